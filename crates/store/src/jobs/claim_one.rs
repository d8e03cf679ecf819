//! The claim of a job that a message names, for transports other than the database itself.

use chrono::{DateTime, Utc};
use domain::{Envelope, JobState};
use sqlx::postgres::PgRow;
use sqlx::{FromRow, Row};

use super::dead::parse_state;
use super::queue::{ClaimedJob, ClaimedRow};
use crate::{AcrossTenants, StoreError, sql};

/// What a message's job was when its message came.
#[derive(Debug)]
pub enum NamedClaim {
    /// It is the worker's until its lease runs out.
    Claimed(Box<ClaimedJob>),
    /// It was completed or given up: the message has nothing left to do.
    Ended,
    /// Somebody works on it.
    Leased,
    /// It was put off, or waits for a dependency.
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
            let claimed = self.take_claimed(rows, worker_id, now).await?.pop();
            return Ok(claimed.map_or(NamedClaim::Unknown, |job| NamedClaim::Claimed(job.into())));
        }
        Ok(match parse_state(row.try_get("status_before")?)? {
            JobState::Pending => NamedClaim::NotDue,
            JobState::Processing => NamedClaim::Leased,
            JobState::Completed | JobState::Dead => NamedClaim::Ended,
        })
    }
}
