//! Times that lie ahead because the database's clock was set back.

use chrono::{DateTime, TimeDelta, Utc};

use super::announce_work;
use crate::{AcrossTenants, StoreError, sql};

impl AcrossTenants {
    /// What lies no further ahead may have been written by a process whose time differs a little.
    const DIFFERENCE: TimeDelta = TimeDelta::minutes(1);

    /// Moves the times of live jobs and runs that were written later than `now` to now, at most `most` of each kind;
    /// returns how many there were.
    pub async fn heal_future_times(
        &mut self,
        now: DateTime<Utc>,
        most: u32,
    ) -> Result<u64, StoreError> {
        let mut healed = 0;
        for statement in
            [sql!("jobs/heal_waiting"), sql!("jobs/heal_leased"), sql!("jobs/heal_runs")]
        {
            let moved = sqlx::query(statement)
                .bind(now)
                .bind(now + Self::DIFFERENCE)
                .bind(i64::from(most))
                .execute(self.connection())
                .await?;
            healed += moved.rows_affected();
        }
        if healed > 0 {
            announce_work(self.connection()).await?;
        }
        Ok(healed)
    }
}
