//! Takes over stale runs; `sql/jobs/take_over_stale.sql` defines them.

use chrono::{DateTime, Utc};
use domain::{AuditAction, AuditEntry, Entity, JobId, RetryPolicy, RunChange, RunId, TenantId};
use serde_json::json;
use sqlx::FromRow;
use uuid::Uuid;

use super::notify_workers;
use super::progression::apply_run_changes;
use crate::audit::SystemEntry;
use crate::{AcrossTenants, StoreError, sql};

/// A run that was not updated since then is stale.
#[derive(Clone, Copy, Debug)]
pub struct StaleBefore {
    pub queued: DateTime<Utc>,
    pub running: DateTime<Utc>,
}

#[derive(FromRow)]
struct TakenOverRow {
    what: String,
    job_id: Option<Uuid>,
    tenant_id: Uuid,
    run_id: Uuid,
    stage: Option<String>,
    error: Option<String>,
    trace_parent: Option<String>,
}

impl TakenOverRow {
    fn audit(&self) -> SystemEntry {
        let action = match self.what.as_str() {
            "requeued" => AuditAction::JobRetryScheduled,
            "recreated" => AuditAction::JobCreated,
            _ => AuditAction::RunClosed,
        };
        let run = RunId(self.run_id);
        let entry = AuditEntry {
            action,
            entity: self.job_id.map_or(Entity::Run(run), |job| Entity::Job(JobId(job))),
            detail: json!({ "run_id": run, "stage": self.stage, "error": self.error }),
        };
        SystemEntry::new(TenantId(self.tenant_id), entry, self.trace_parent.as_deref())
    }
}

impl AcrossTenants {
    /// Takes over stale runs, at most `max` of each kind; returns how many.
    pub async fn take_over_stale_runs(
        &mut self,
        stale: StaleBefore,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<usize, StoreError> {
        let jobs: Vec<Uuid> = (0..max).map(|_| self.next_id()).collect();
        let retries = i32::try_from(RetryPolicy::PIPELINE.retries()).unwrap_or(i32::MAX);
        let taken: Vec<TakenOverRow> = sqlx::query_as(sql!("jobs/take_over_stale"))
            .bind(stale.queued)
            .bind(stale.running)
            .bind(now)
            .bind(i64::from(max))
            .bind(jobs)
            .bind(retries)
            .fetch_all(self.connection())
            .await?;
        let closed = taken.iter().filter(|taken| taken.what == "closed");
        let changes: Vec<_> = closed
            .map(|taken| (RunId(taken.run_id), RunChange::Succeeded { stage: None }))
            .collect();
        apply_run_changes(self.writing(now), &changes, Vec::new()).await?;
        self.append_audit_many(now, taken.iter().map(TakenOverRow::audit)).await?;
        if taken.iter().any(|taken| taken.job_id.is_some()) {
            notify_workers(self.connection()).await?;
        }
        Ok(taken.len())
    }
}
