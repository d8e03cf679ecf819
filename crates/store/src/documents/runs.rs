//! Reads runs and their stages.

use chrono::{DateTime, Utc};
use domain::{
    Artifact, DocId, RunConfig, RunId, RunState, RunStats, RunType, StageStatus, TenantId,
};
use serde::Deserialize;
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{StoreError, Tx, Window, sql};

#[derive(Clone, Debug)]
pub struct RunRecord {
    pub run_id: RunId,
    pub tenant_id: TenantId,
    pub doc_id: DocId,
    pub status: RunState,
    pub run_type: RunType,
    pub pipeline: Vec<String>,
    pub parent_run_id: Option<Uuid>,
    pub reason: Option<String>,
    pub initiated_by: Option<Uuid>,
    pub batch_id: Option<Uuid>,
    /// Empty when this process cannot read the stored value.
    pub config: RunConfig,
    /// The statistics of all stages. Empty when this process cannot read the stored value.
    pub stats: RunStats,
    pub error: Option<String>,
    /// The failure code.
    pub error_code: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// The owner's title of the document, where the scope is limited to an owner.
    own_title: Option<String>,
    own_filename: Option<String>,
}

#[derive(FromRow)]
struct RunRow {
    run_id: Uuid,
    tenant_id: Uuid,
    doc_id: Uuid,
    #[sqlx(try_from = "String")]
    status: RunState,
    #[sqlx(try_from = "String")]
    run_type: RunType,
    pipeline: Vec<String>,
    parent_run_id: Option<Uuid>,
    reason: Option<String>,
    initiated_by: Option<Uuid>,
    batch_id: Option<Uuid>,
    config: Value,
    stats: Value,
    error: Option<String>,
    error_code: Option<String>,
    created_at: DateTime<Utc>,
    started_at: Option<DateTime<Utc>>,
    updated_at: DateTime<Utc>,
    finished_at: Option<DateTime<Utc>>,
    own_title: Option<String>,
    own_filename: Option<String>,
}

impl From<RunRow> for RunRecord {
    fn from(row: RunRow) -> Self {
        let run_id = RunId(row.run_id);
        let config = RunConfig::read(row.config).map_err(|error| error.to_string());
        let stats = RunStats::deserialize(row.stats).map_err(|error| error.to_string());
        Self {
            run_id,
            tenant_id: TenantId(row.tenant_id),
            doc_id: DocId(row.doc_id),
            status: row.status,
            run_type: row.run_type,
            pipeline: row.pipeline,
            parent_run_id: row.parent_run_id,
            reason: row.reason,
            initiated_by: row.initiated_by,
            batch_id: row.batch_id,
            config: readable_or_empty(run_id, "config", config),
            stats: readable_or_empty(run_id, "stats", stats),
            error: row.error,
            error_code: row.error_code,
            created_at: row.created_at,
            started_at: row.started_at,
            updated_at: row.updated_at,
            finished_at: row.finished_at,
            own_title: row.own_title,
            own_filename: row.own_filename,
        }
    }
}

/// One unreadable value, such as one of a newer version, must not hide the other runs of a page.
fn readable_or_empty<T: Default>(run_id: RunId, field: &str, value: Result<T, String>) -> T {
    value.unwrap_or_else(|error| {
        tracing::warn!(%run_id, field, error, "a field of a run cannot be read and is shown empty");
        T::default()
    })
}

impl RunRecord {
    /// Hides who started a run from other owners of its document.
    fn redacted_for(mut self, owner: Option<&str>) -> Self {
        let Some(owner) = owner else { return self };
        if self.config.created_by.as_deref() == Some(owner) {
            return self;
        }
        self.config = self.config.redacted(self.own_title.clone(), self.own_filename.clone());
        (self.reason, self.initiated_by, self.batch_id) = (None, None, None);
        self
    }
}

/// The result of a stage, or its current state.
#[derive(Clone, Debug, FromRow)]
pub struct StageRecord {
    #[sqlx(try_from = "Uuid")]
    pub run_id: RunId,
    pub name: String,
    #[sqlx(try_from = "String")]
    pub status: StageStatus,
    pub started_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub worker_id: Option<String>,
    pub retries: i32,
    pub error: Option<String>,
    #[sqlx(json)]
    pub artifacts: Vec<Artifact>,
    /// Its progress, where the stage reports it.
    pub progress_done: Option<i32>,
    pub progress_total: Option<i32>,
    /// The dependency that it waits for.
    pub waiting_for: Option<String>,
}

impl Tx {
    /// The runs that the scope may see, newest first; of one document when `doc_id` is given.
    pub async fn list_runs(
        &mut self,
        status: Option<RunState>,
        doc_id: Option<DocId>,
        window: &Window,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let owner = self.owner();
        let runs: Vec<RunRow> = sqlx::query_as(sql!("runs/page"))
            .bind(self.tenant_id().0)
            .bind(status.map(RunState::as_str))
            .bind(&owner)
            .bind(window.moment())
            .bind(window.id())
            .bind(doc_id.map(|id| id.0))
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        let record = |row| RunRecord::from(row).redacted_for(owner.as_deref());
        Ok(runs.into_iter().map(record).collect())
    }

    pub async fn find_run(&mut self, run_id: RunId) -> Result<Option<RunRecord>, StoreError> {
        let owner = self.owner();
        let run: Option<RunRow> = sqlx::query_as(sql!("runs/find"))
            .bind(self.tenant_id().0)
            .bind(run_id.0)
            .bind(&owner)
            .fetch_optional(self.connection())
            .await?;
        Ok(run.map(|row| RunRecord::from(row).redacted_for(owner.as_deref())))
    }

    pub async fn list_stages(&mut self, runs: &[RunId]) -> Result<Vec<StageRecord>, StoreError> {
        let ids: Vec<Uuid> = runs.iter().map(|id| id.0).collect();
        Ok(sqlx::query_as(sql!("runs/stages"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .fetch_all(self.connection())
            .await?)
    }

    /// How many of the tenant's runs are queued, counted up to `max`.
    pub async fn count_waiting_runs(&mut self, max: i64) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(sql!("runs/waiting"))
            .bind(self.tenant_id().0)
            .bind(max)
            .fetch_one(self.connection())
            .await?)
    }
}
