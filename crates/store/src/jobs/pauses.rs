//! Paused jobs: resuming them, and listing what they wait for.

use chrono::{DateTime, Utc};
use domain::Dependency;
use sqlx::FromRow;

use super::notify_workers;
use crate::{AcrossTenants, Store, StoreError, sql};

/// The paused jobs of all tenants that wait for one dependency.
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
    /// The most jobs that one statement resumes. The rest follows with the next probe.
    const MAX_RESUMED: i64 = 5000;

    /// Resumes the jobs whose pause is over, and one job of each dependency for which none was tried after
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
            .bind(Self::MAX_RESUMED)
            .execute(self.connection())
            .await?
            .rows_affected();
        if resumed > 0 {
            notify_workers(self.connection()).await?;
        }
        Ok(resumed)
    }

    /// Resumes the jobs that wait for dependencies which work again.
    pub(super) async fn resume_waiting_for(
        &mut self,
        dependencies: &[&str],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let resumed = sqlx::query(sql!("jobs/resume_waiting_for"))
            .bind(dependencies)
            .bind(now)
            .bind(Self::MAX_RESUMED)
            .execute(self.connection())
            .await?
            .rows_affected();
        if resumed > 0 {
            notify_workers(self.connection()).await?;
        }
        Ok(())
    }
}

impl Store {
    /// The paused jobs, by dependency.
    pub async fn list_paused_jobs(&self) -> Result<Vec<PausedJobs>, StoreError> {
        let mut across = self.across_tenants().await?;
        let rows: Vec<PausedRow> =
            sqlx::query_as(sql!("jobs/paused")).fetch_all(across.connection()).await?;
        let now = across.now();
        across.commit().await?;
        let paused = |row: PausedRow| {
            // A newer version may have written a dependency that this one does not know.
            let dependency = row.dependency.parse().ok()?;
            Some(PausedJobs { dependency, jobs: row.jobs, since: row.since.unwrap_or(now) })
        };
        Ok(rows.into_iter().filter_map(paused).collect())
    }
}
