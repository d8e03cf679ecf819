//! Things that happen again and again, by one process at a time.
//!
//! A schedule is *due* from its `next_at` on, and *begun* while somebody holds its lease. Who begins
//! it moves `next_at` on from the moment it begins: what was missed while nobody ran is done once, not
//! once for each time it was missed.

use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

/// A schedule in somebody's hands.
#[derive(Clone, Debug)]
pub struct BegunSchedule {
    token: Uuid,
    name: String,
}

impl AcrossTenants {
    /// By how much the times of two processes may differ.
    const TOLERANCE: Duration = Duration::from_secs(30);

    /// Begins the schedule when it is due and nobody is at it. One that is new is due at once.
    pub async fn begin_schedule(
        &mut self,
        name: &str,
        every: Duration,
        now: DateTime<Utc>,
        lease_until: DateTime<Utc>,
    ) -> Result<Option<BegunSchedule>, StoreError> {
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
        Ok(begun.map(|name| BegunSchedule { token, name }))
    }

    /// Lets the schedule go; `false` when it was somebody else's by now.
    pub async fn end_schedule(
        &mut self,
        begun: &BegunSchedule,
        now: DateTime<Utc>,
    ) -> Result<bool, StoreError> {
        let ended = sqlx::query(sql!("schedules/end"))
            .bind(&begun.name)
            .bind(begun.token)
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(ended.rows_affected() > 0)
    }

    /// Removes finished jobs from before the moment, at most `most`; returns how many there were.
    pub async fn sweep_finished(
        &mut self,
        before: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StoreError> {
        let statement = sqlx::query(sql!("jobs/sweep")).bind(before).bind(i64::from(most));
        Ok(statement.execute(self.connection()).await?.rows_affected())
    }
}
