//! Dead jobs that need nobody's attention any more: what closed them, and discarding them.
//!
//! The view `dead_jobs` says what closed a dead job. Only the discarding is stored.

use std::collections::HashMap;

use domain::{AuditAction, AuditEntry, ClosedBy, DocId, Entity, Event, JobId, JobState, RunId};
use serde_json::json;
use uuid::Uuid;

use crate::{StoreError, Tx, sql};

/// Where a job stands, for whoever wants to discard it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JobStanding {
    pub status: JobState,
    /// Why nobody needs to look at it, though it is dead.
    pub closed_by: Option<ClosedBy>,
}

pub(super) fn parse_closed_by(text: &str) -> Result<ClosedBy, StoreError> {
    let value = text.to_owned();
    text.parse().map_err(|()| StoreError::NotUnderstood { what: "end of a failure", value })
}

pub(super) fn parse_state(text: &str) -> Result<JobState, StoreError> {
    let value = text.to_owned();
    text.parse().map_err(|()| StoreError::NotUnderstood { what: "state of a job", value })
}

impl Tx {
    /// Where each of these jobs stands; those of others are left out.
    pub async fn job_standings(
        &mut self,
        jobs: &[JobId],
    ) -> Result<HashMap<JobId, JobStanding>, StoreError> {
        let ids: Vec<Uuid> = jobs.iter().map(|id| id.0).collect();
        let rows: Vec<(Uuid, String, Option<String>)> = sqlx::query_as(sql!("jobs/standings"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .fetch_all(self.connection())
            .await?;
        let standing = |(id, status, closed_by): (Uuid, String, Option<String>)| {
            let status = parse_state(&status)?;
            let closed_by = closed_by.as_deref().map(parse_closed_by).transpose()?;
            Ok((JobId(id), JobStanding { status, closed_by }))
        };
        rows.into_iter().map(standing).collect()
    }

    /// Discards the failures of these jobs; returns those that needed attention until now.
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
            self.tell_dead_jobs_changed().await?;
        }
        Ok(discarded.into_iter().map(|(job_id, ..)| JobId(job_id)).collect())
    }

    /// Tells followers that the list of dead jobs is another one now.
    pub(crate) async fn tell_dead_jobs_changed(&mut self) -> Result<(), StoreError> {
        self.append_event(Event::DeadJobsChanged {}).await
    }
}
