//! Claims the job that a message names, for transports other than the database itself.

use chrono::{DateTime, Utc};
use domain::{Envelope, JobState};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::queue::{ClaimedJob, ClaimedRow};
use crate::{AcrossTenants, StoreError, sql};

/// The result of the claim.
#[derive(Debug)]
pub enum NamedClaim {
    /// The worker holds its lease now.
    Claimed(Box<ClaimedJob>),
    /// The job is completed or dead: the message is done.
    Ended,
    /// Another worker holds its lease.
    Leased,
    /// It waits for a retry or for a dependency.
    NotDue,
    /// There is no such job.
    Unknown,
}

impl AcrossTenants {
    /// Claims the job that the envelope names, by the same rules as [`AcrossTenants::claim_jobs`].
    pub async fn claim_named_job(
        &mut self,
        envelope: &Envelope,
        worker_id: &str,
        lease_until: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<NamedClaim, StoreError> {
        let row: Option<PgRow> = sqlx::query(sql!("jobs/claim_one"))
            .bind(envelope.run_id.0)
            .bind(envelope.stage.as_str())
            .bind(envelope.tenant_id.0)
            .bind(envelope.doc_id.0)
            .bind(now)
            .bind(worker_id)
            .bind(self.next_id())
            .bind(lease_until)
            .fetch_optional(self.connection())
            .await?;
        let Some(row) = row else { return Ok(NamedClaim::Unknown) };
        if row.try_get("is_due")? {
            let rows = vec![ClaimedRow::from_row(&row)?];
            let claimed = self.record_claimed(rows, worker_id, now).await?.pop();
            return Ok(claimed.map_or(NamedClaim::Unknown, |job| NamedClaim::Claimed(job.into())));
        }
        Ok(match row.try_get::<&str, _>("status_before")?.parse::<JobState>()? {
            JobState::Pending => NamedClaim::NotDue,
            JobState::Processing => NamedClaim::Leased,
            JobState::Completed | JobState::Dead => NamedClaim::Ended,
        })
    }
}
