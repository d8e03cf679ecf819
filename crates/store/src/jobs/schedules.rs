//! Schedules of periodic tasks, each of which runs in one process at a time.
//!
//! A schedule is *due* from its `next_at` on, and *running* while a process holds its lease. The next run is due one
//! interval after this one begins: runs that were missed while no process ran are made up for once.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

/// The lease of a running schedule.
#[derive(Clone, Debug)]
pub struct ScheduleLease {
    token: Uuid,
    name: String,
}

impl AcrossTenants {
    /// By how much the clocks of two processes may differ.
    const TOLERANCE: Duration = Duration::from_secs(30);

    /// Takes the lease of the schedule when it is due and no process holds it. A new schedule is due at once.
    pub async fn begin_schedule(
        &mut self,
        name: &str,
        every: Duration,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Option<ScheduleLease>, StoreError> {
        let token = self.next_id();
        let begun: Option<String> = sqlx::query_scalar(sql!("schedules/begin"))
            .bind(name)
            .bind(now)
            .bind(now + every)
            .bind(token)
            .bind(lease_until)
            .bind(Self::TOLERANCE)
            .fetch_optional(self.connection())
            .await?;
        Ok(begun.map(|name| ScheduleLease { token, name }))
    }

    /// Ends the lease; `false` when it has expired and another process holds the schedule.
    pub async fn end_schedule(
        &mut self,
        lease: &ScheduleLease,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let ended = sqlx::query(sql!("schedules/end"))
            .bind(&lease.name)
            .bind(lease.token)
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(ended.rows_affected() > 0)
    }

    /// Deletes finished jobs of runs that ended before this moment, at most `max`; returns how many.
    pub async fn delete_finished_jobs(
        &mut self,
        before: DateTime<Utc>,
        max: u32,
    ) -> Result<u64, StoreError> {
        let statement = sqlx::query(sql!("jobs/delete_finished")).bind(before).bind(i64::from(max));
        Ok(statement.execute(self.connection()).await?.rows_affected())
    }
}
