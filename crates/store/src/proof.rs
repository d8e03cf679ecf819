//! What the rows say about the engine's promises, for whoever puts them to the test.

use chrono::{DateTime, Utc};
use domain::{DocId, RunId, RunState};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

/// A run, as a proof looks at it.
#[derive(Clone, Debug)]
pub struct ProvenRun {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub state: RunState,
    /// All its stages succeeded.
    pub is_whole: bool,
    /// How often the outbox says that it ended.
    pub told: i64,
}

/// A job that was taken back from a worker.
#[derive(Clone, Debug)]
pub struct Takeover {
    pub run_id: RunId,
    pub worker_id: String,
    pub taken_back: DateTime<Utc>,
    /// When somebody began it again; `None` when nobody did.
    pub begun_again: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct TakeoverRow {
    run_id: Uuid,
    worker_id: String,
    taken_back: DateTime<Utc>,
    begun_again: Option<DateTime<Utc>>,
}

impl AcrossTenants {
    pub async fn prove_runs(&mut self) -> Result<Vec<ProvenRun>, StoreError> {
        let rows: Vec<(Uuid, Uuid, String, bool, i64)> =
            sqlx::query_as(sql!("proof/runs")).fetch_all(self.connection()).await?;
        let proven = |(run_id, doc_id, state, is_whole, told): (_, _, String, _, _)| {
            let state = state.parse()?;
            Ok(ProvenRun { run_id: RunId(run_id), doc_id: DocId(doc_id), state, is_whole, told })
        };
        rows.into_iter().map(proven).collect()
    }

    pub async fn count_stages_committed_twice(&mut self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(sql!("proof/committed_twice")).fetch_one(self.connection()).await?)
    }

    pub async fn list_takeovers(&mut self) -> Result<Vec<Takeover>, StoreError> {
        let rows: Vec<TakeoverRow> =
            sqlx::query_as(sql!("proof/takeovers")).fetch_all(self.connection()).await?;
        let takeover = |row: TakeoverRow| Takeover {
            run_id: RunId(row.run_id),
            worker_id: row.worker_id,
            taken_back: row.taken_back,
            begun_again: row.begun_again,
        };
        Ok(rows.into_iter().map(takeover).collect())
    }
}
