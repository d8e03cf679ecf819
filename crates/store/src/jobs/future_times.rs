//! Corrects times in the future after the database's clock was set back.

use chrono::{DateTime, TimeDelta, Utc};

use super::notify_workers;
use crate::{AcrossTenants, StoreError, sql};

impl AcrossTenants {
    /// Times up to this far ahead may come from a process whose clock differs slightly.
    const CLOCK_TOLERANCE: TimeDelta = TimeDelta::minutes(1);

    /// Moves the times of live jobs and runs that were written later than `now` to `now`, at most `max` of each kind;
    /// returns how many it changed.
    pub async fn correct_future_times(
        &mut self,
        now: DateTime<Utc>,
        max: u32,
    ) -> Result<u64, StoreError> {
        let mut corrected = 0;
        for statement in
            [sql!("jobs/correct_pending"), sql!("jobs/correct_leased"), sql!("jobs/correct_runs")]
        {
            let moved = sqlx::query(statement)
                .bind(now)
                .bind(now + Self::CLOCK_TOLERANCE)
                .bind(i64::from(max))
                .execute(self.connection())
                .await?;
            corrected += moved.rows_affected();
        }
        if corrected > 0 {
            notify_workers(self.connection()).await?;
        }
        Ok(corrected)
    }
}
