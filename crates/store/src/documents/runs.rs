//! Looking at runs.

use chrono::{DateTime, Utc};
use domain::{
    Artifact, DocId, RunConfig, RunId, RunState, RunStats, RunType, StageStatus, TenantId,
};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{StoreError, Tx, Window, sql};

#[derive(Clone, Debug, FromRow)]
pub struct RunRecord {
    #[sqlx(try_from = "Uuid")]
    pub run_id: RunId,
    #[sqlx(try_from = "Uuid")]
    pub tenant_id: TenantId,
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    #[sqlx(try_from = "String")]
    pub status: RunState,
    #[sqlx(try_from = "String")]
    pub run_type: RunType,
    pub pipeline: Vec<String>,
    pub parent_run_id: Option<Uuid>,
    pub reason: Option<String>,
    pub initiated_by: Option<Uuid>,
    pub batch_id: Option<Uuid>,
    #[sqlx(try_from = "Value")]
    pub config: RunConfig,
    /// Of all its stages together.
    #[sqlx(json)]
    pub stats: RunStats,
    pub error: Option<String>,
    /// Which failure that is, where a program can do something about it.
    pub error_code: Option<String>,
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    /// What the owner calls the document, where the scope sees only their own.
    own_title: Option<String>,
    own_filename: Option<String>,
}

impl RunRecord {
    /// A run that somebody else began says what the content is, and nothing of them.
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

/// What became of a stage, or where it stands.
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
    /// How far it is, where it tells: so many of so many.
    pub progress_done: Option<i32>,
    pub progress_total: Option<i32>,
    /// The dependency that it waits for.
    pub waiting_for: Option<String>,
}

impl Tx {
    /// What the scope may see, newest first; of one document when it is named.
    pub async fn list_runs(
        &mut self,
        status: Option<RunState>,
        doc_id: Option<DocId>,
        window: &Window,
    ) -> Result<Vec<RunRecord>, StoreError> {
        let owner = self.owner();
        let runs: Vec<RunRecord> = sqlx::query_as(sql!("runs/page"))
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
        Ok(runs.into_iter().map(|run| run.redacted_for(owner.as_deref())).collect())
    }

    pub async fn find_run(&mut self, run_id: RunId) -> Result<Option<RunRecord>, StoreError> {
        let owner = self.owner();
        let run: Option<RunRecord> = sqlx::query_as(sql!("runs/find"))
            .bind(self.tenant_id().0)
            .bind(run_id.0)
            .bind(&owner)
            .fetch_optional(self.connection())
            .await?;
        Ok(run.map(|run| run.redacted_for(owner.as_deref())))
    }

    pub async fn list_stages(&mut self, runs: &[RunId]) -> Result<Vec<StageRecord>, StoreError> {
        let ids: Vec<Uuid> = runs.iter().map(|id| id.0).collect();
        Ok(sqlx::query_as(sql!("runs/stages"))
            .bind(self.tenant_id().0)
            .bind(ids)
            .fetch_all(self.connection())
            .await?)
    }

    /// How many of the tenant's runs wait, `most` at most.
    pub async fn count_waiting_runs(&mut self, most: i64) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(sql!("runs/waiting"))
            .bind(self.tenant_id().0)
            .bind(most)
            .fetch_one(self.connection())
            .await?)
    }
}
