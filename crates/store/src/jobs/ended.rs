//! Runs that have just ended, for the log.

use domain::{DocId, JobId, RunId, TenantId};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

/// How a run ended, and how long it took.
#[derive(Clone, Debug, FromRow)]
pub struct EndedRun {
    #[sqlx(try_from = "Uuid")]
    pub run_id: RunId,
    #[sqlx(try_from = "Uuid")]
    pub tenant_id: TenantId,
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub status: String,
    pub chunks_created: Option<i64>,
    pub tokens_total: Option<i64>,
    pub duration_ms: Option<i64>,
    pub queue_wait_ms: Option<i64>,
    /// `{"ocr_ms": 812, …}`
    pub stages: Value,
}

impl AcrossTenants {
    /// The runs of these jobs that have ended.
    pub async fn ended_runs(&mut self, jobs: &[JobId]) -> Result<Vec<EndedRun>, StoreError> {
        let ids: Vec<Uuid> = jobs.iter().map(|job| job.0).collect();
        Ok(sqlx::query_as(sql!("runs/ended")).bind(ids).fetch_all(self.connection()).await?)
    }
}
