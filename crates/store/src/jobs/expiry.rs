//! Taking back jobs whose lease has expired.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, Entity, JobId, JobState, RetryPolicy, RunChange, RunId, TenantId,
};
use serde_json::json;
use sqlx::FromRow;
use uuid::Uuid;

use super::notify_workers;
use super::progression::apply_run_changes;
use super::queue::parse_stage;
use crate::audit::SystemEntry;
use crate::{AcrossTenants, StoreError, sql};

/// A job whose lease expired.
#[derive(Clone, Debug)]
pub struct ExpiredLease {
    pub job_id: JobId,
    pub tenant_id: TenantId,
    pub is_dead: bool,
}

#[derive(FromRow)]
struct ExpiredRow {
    job_id: Uuid,
    tenant_id: Uuid,
    run_id: Uuid,
    stage: String,
    status: String,
    error: Option<String>,
    trace_parent: Option<String>,
}

impl ExpiredRow {
    fn is_dead(&self) -> bool {
        self.status == JobState::Dead.as_str()
    }

    fn run_change(&self) -> Result<RunChange, StoreError> {
        let stage = Some(parse_stage(self.stage.clone())?);
        let error = self.error.clone().unwrap_or_default();
        Ok(RunChange::Failed { stage, error, code: None })
    }

    fn audit(&self) -> SystemEntry {
        let entry = AuditEntry {
            action: if self.is_dead() {
                AuditAction::JobFailed
            } else {
                AuditAction::JobRetryScheduled
            },
            entity: Entity::Job(JobId(self.job_id)),
            detail: json!({ "run_id": self.run_id, "stage": self.stage, "error": self.error }),
        };
        SystemEntry::new(TenantId(self.tenant_id), entry, self.trace_parent.as_deref())
    }
}

impl AcrossTenants {
    /// Releases jobs whose lease has expired, at most `max`. After some expiries a job is delayed
    /// ([`RetryPolicy::LOST_WORKER`]); after `allowed_expiries` it is dead.
    pub async fn expire_leases(
        &mut self,
        now: DateTime<Utc>,
        allowed_expiries: u32,
        max: u32,
    ) -> Result<Vec<ExpiredLease>, StoreError> {
        let delays = RetryPolicy::LOST_WORKER.delays().iter().map(Duration::as_secs_f64);
        let rows: Vec<ExpiredRow> = sqlx::query_as(sql!("jobs/expire"))
            .bind(now)
            .bind(i32::try_from(allowed_expiries).unwrap_or(i32::MAX))
            .bind(i64::from(max))
            .bind(delays.collect::<Vec<f64>>())
            .fetch_all(self.connection())
            .await?;
        let dead = rows.iter().filter(|row| row.is_dead());
        let changes: Vec<(RunId, RunChange)> = dead
            .map(|row| Ok((RunId(row.run_id), row.run_change()?)))
            .collect::<Result<_, StoreError>>()?;
        apply_run_changes(self.writing(now), &changes, Vec::new()).await?;
        self.append_audit_many(now, rows.iter().map(ExpiredRow::audit)).await?;
        if rows.iter().any(|row| !row.is_dead()) {
            notify_workers(self.connection()).await?;
        }
        let expired = |row: &ExpiredRow| ExpiredLease {
            job_id: JobId(row.job_id),
            tenant_id: TenantId(row.tenant_id),
            is_dead: row.is_dead(),
        };
        Ok(rows.iter().map(expired).collect())
    }
}
