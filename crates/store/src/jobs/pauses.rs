//! Jobs that wait for something processing depends on: whether it works again, and who waits for it.

use chrono::{DateTime, Utc};
use domain::Dependency;
use sqlx::FromRow;

use super::announce_work;
use crate::{AcrossTenants, Store, StoreError, sql};

/// What jobs of all tenants wait for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PausedJobs {
    pub dependency: Dependency,
    pub jobs: i64,
    /// When the first of them was paused.
    pub since: DateTime<Utc>,
}

#[derive(FromRow)]
struct PausedRow {
    dependency: String,
    jobs: i64,
    since: Option<DateTime<Utc>>,
}

impl AcrossTenants {
    /// The most to make claimable in one statement. What is left follows with the next probe.
    const RESUMED_AT_ONCE: i64 = 5000;

    /// Lets jobs try again whose pause is over, and one of each dependency for which none was tried after
    /// `probed_before`. Returns how many.
    pub async fn resume_paused(
        &mut self,
        now: DateTime<Utc>,
        probed_before: DateTime<Utc>,
    ) -> Result<u64, StoreError> {
        let names: Vec<&str> = Dependency::ALL.into_iter().map(Dependency::as_str).collect();
        let resumed = sqlx::query(sql!("jobs/resume_paused"))
            .bind(now)
            .bind(probed_before)
            .bind(names)
            .bind(Self::RESUMED_AT_ONCE)
            .execute(self.connection())
            .await?
            .rows_affected();
        if resumed > 0 {
            announce_work(self.connection()).await?;
        }
        Ok(resumed)
    }

    /// For those who wait for what has been seen to work.
    pub(super) async fn wake_paused(
        &mut self,
        dependencies: &[&str],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let woken = sqlx::query(sql!("jobs/wake_paused"))
            .bind(dependencies)
            .bind(now)
            .bind(Self::RESUMED_AT_ONCE)
            .execute(self.connection())
            .await?
            .rows_affected();
        if woken > 0 {
            announce_work(self.connection()).await?;
        }
        Ok(())
    }
}

impl Store {
    /// What jobs wait for at this moment, by dependency.
    pub async fn list_paused_jobs(&self) -> Result<Vec<PausedJobs>, StoreError> {
        let mut across = self.across_tenants().await?;
        let rows: Vec<PausedRow> =
            sqlx::query_as(sql!("jobs/paused")).fetch_all(across.connection()).await?;
        let now = across.now();
        across.commit().await?;
        let paused = |row: PausedRow| {
            // A name that a newer version wrote is its business.
            let dependency = row.dependency.parse().ok()?;
            Some(PausedJobs { dependency, jobs: row.jobs, since: row.since.unwrap_or(now) })
        };
        Ok(rows.into_iter().filter_map(paused).collect())
    }
}
