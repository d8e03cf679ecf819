//! Dead jobs: what closed those that need no attention any more, and discarding them.
//!
//! The view `dead_jobs` computes what closed a dead job. Only the discarding is stored.

use std::collections::HashMap;

use domain::{AuditAction, AuditEntry, ClosedBy, DocId, Entity, Event, JobId, JobState, RunId};
use serde_json::json;
use uuid::Uuid;

use crate::{StoreError, Tx, sql};

/// The state of a job that a user wants to discard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobSummary {
    pub status: JobState,
    /// Why it needs no attention although it is dead.
    pub closed_by: Option<ClosedBy>,
}

pub(super) fn parse_closed_by(text: &str) -> Result<ClosedBy, StoreError> {
    let value = text.to_owned();
    text.parse().map_err(|()| StoreError::Unreadable { what: "end of a failure", value })
}

impl Tx {
    /// The states of these jobs; jobs of other tenants are left out.
    pub async fn job_summaries(
        &mut self,
        jobs: &[JobId],
    ) -> Result<HashMap<JobId, JobSummary>, StoreError> {
        let ids: Vec<Uuid> = jobs.iter().map(|id| id.0).collect();
        let rows: Vec<(Uuid, String, Option<String>)> = sqlx::query_as(sql!("jobs/summaries"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .fetch_all(self.connection())
            .await?;
        let summary = |(id, status, closed_by): (Uuid, String, Option<String>)| {
            let status = status.parse()?;
            let closed_by = closed_by.as_deref().map(parse_closed_by).transpose()?;
            Ok((JobId(id), JobSummary { status, closed_by }))
        };
        rows.into_iter().map(summary).collect()
    }

    /// Discards the failures of these jobs; returns the jobs that needed attention until now.
    pub async fn discard_dead_jobs(&mut self, jobs: &[JobId]) -> Result<Vec<JobId>, StoreError> {
        let ids: Vec<Uuid> = jobs.iter().map(|id| id.0).collect();
        let discarded: Vec<(Uuid, Uuid, Uuid)> = sqlx::query_as(sql!("jobs/discard"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .bind(self.now())
            .fetch_all(self.connection())
            .await?;
        for &(job_id, run_id, doc_id) in &discarded {
            self.append_audit(AuditEntry {
                action: AuditAction::JobDiscarded,
                entity: Entity::Job(JobId(job_id)),
                detail: json!({ "run_id": RunId(run_id), "doc_id": DocId(doc_id) }),
            })
            .await?;
        }
        if !discarded.is_empty() {
            self.publish_dead_jobs_changed().await?;
        }
        Ok(discarded.into_iter().map(|(job_id, ..)| JobId(job_id)).collect())
    }

    /// Publishes that the list of dead jobs has changed.
    pub(crate) async fn publish_dead_jobs_changed(&mut self) -> Result<(), StoreError> {
        self.append_event(Event::DeadJobsChanged {}).await
    }
}
