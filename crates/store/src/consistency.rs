//! Queries that check the engine's guarantees, for chaos tests.

use chrono::{DateTime, Utc};
use domain::{DocId, RunId, RunState};
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, sql};

/// The facts of a run that a check needs.
#[derive(Clone, Debug)]
pub struct CheckedRun {
    pub run_id: RunId,
    pub doc_id: DocId,
    pub state: RunState,
    pub all_stages_succeeded: bool,
    /// How many events of its end the outbox has.
    pub end_events: i64,
}

/// A job whose worker lost its lease.
#[derive(Clone, Debug)]
pub struct Takeover {
    pub run_id: RunId,
    pub worker_id: String,
    pub expired_at: DateTime<Utc>,
    /// When another claim started it; `None` when none did.
    pub restarted_at: Option<DateTime<Utc>>,
}

#[derive(FromRow)]
struct TakeoverRow {
    run_id: Uuid,
    worker_id: String,
    expired_at: DateTime<Utc>,
    restarted_at: Option<DateTime<Utc>>,
}

impl AcrossTenants {
    pub async fn list_checked_runs(&mut self) -> Result<Vec<CheckedRun>, StoreError> {
        let rows: Vec<(Uuid, Uuid, String, bool, i64)> =
            sqlx::query_as(sql!("consistency/runs")).fetch_all(self.connection()).await?;
        let checked =
            |(run_id, doc_id, state, all_stages_succeeded, end_events): (_, _, String, _, _)| {
                let (run_id, doc_id) = (RunId(run_id), DocId(doc_id));
                Ok(CheckedRun {
                    run_id,
                    doc_id,
                    state: state.parse()?,
                    all_stages_succeeded,
                    end_events,
                })
            };
        rows.into_iter().map(checked).collect()
    }

    pub async fn count_stages_committed_twice(&mut self) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(sql!("consistency/committed_twice"))
            .fetch_one(self.connection())
            .await?)
    }

    pub async fn list_takeovers(&mut self) -> Result<Vec<Takeover>, StoreError> {
        let rows: Vec<TakeoverRow> =
            sqlx::query_as(sql!("consistency/takeovers")).fetch_all(self.connection()).await?;
        let takeover = |row: TakeoverRow| Takeover {
            run_id: RunId(row.run_id),
            worker_id: row.worker_id,
            expired_at: row.expired_at,
            restarted_at: row.restarted_at,
        };
        Ok(rows.into_iter().map(takeover).collect())
    }
}
