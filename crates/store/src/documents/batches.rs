//! Batches: documents that are submitted together.

use chrono::{DateTime, Utc};
use domain::{
    BatchCounts, BatchId, BatchStatus, DedupResult, DocId, DocumentStatus, Event, Pipeline, RunId,
    RunState, RunStats, StageName, TenantId, UnknownValue,
};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use super::Submission;
use crate::tx::Writing;
use crate::{StoreError, Tx, Window, sql};

/// A batch to be inserted.
#[derive(Clone, Debug)]
pub struct NewBatch {
    pub batch_id: BatchId,
    pub name: Option<String>,
    pub webhook_url: Option<String>,
    pub schema_mapping: Option<Value>,
    pub dedupe: bool,
    pub pipeline: Option<Pipeline>,
    /// How many documents it will have, when that is known.
    pub expected: Option<i32>,
}

#[derive(Clone, Debug, FromRow)]
pub struct BatchRecord {
    #[sqlx(try_from = "Uuid")]
    pub batch_id: BatchId,
    pub name: Option<String>,
    pub owner: String,
    #[sqlx(try_from = "String")]
    pub status: BatchStatus,
    pub webhook_url: Option<String>,
    pub schema_mapping: Option<Value>,
    pub dedupe: bool,
    pub pipeline: Option<Vec<String>>,
    pub expected: Option<i32>,
    pub offered: i32,
    pub refused: i32,
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// The name of a batch, for a list to choose from.
#[derive(Clone, Debug, FromRow)]
pub struct BatchName {
    #[sqlx(try_from = "Uuid")]
    pub batch_id: BatchId,
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A document of a batch, and its result.
#[derive(Clone, Debug, FromRow)]
pub struct BatchItemRecord {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub run_id: Option<Uuid>,
    #[sqlx(try_from = "String")]
    pub outcome: DedupResult,
    pub added_at: DateTime<Utc>,
    pub title: String,
    pub filename: String,
    #[sqlx(try_from = "String")]
    pub status: DocumentStatus,
    #[sqlx(try_from = "Option<String>")]
    pub run_status: OptionalRunState,
    pub error: Option<String>,
    #[sqlx(json(nullable))]
    pub stats: Option<RunStats>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// The state of a document's run, if it has one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OptionalRunState(pub Option<RunState>);

impl TryFrom<Option<String>> for OptionalRunState {
    type Error = UnknownValue;

    fn try_from(text: Option<String>) -> Result<Self, UnknownValue> {
        text.map(RunState::try_from).transpose().map(Self)
    }
}

/// The new counts of a batch, and its status before.
#[derive(FromRow)]
pub(crate) struct BatchRow {
    batch_id: Uuid,
    tenant_id: Uuid,
    status: String,
    expected: Option<i32>,
    offered: i32,
    refused: i32,
    documents: i32,
    succeeded: i32,
    failed: i32,
}

impl BatchRow {
    fn counts(&self) -> BatchCounts {
        BatchCounts {
            expected: self.expected,
            offered: self.offered,
            refused: self.refused,
            documents: self.documents,
            succeeded: self.succeeded,
            failed: self.failed,
        }
    }
}

/// Updates the status of batches after their counts changed. Returns the events of batches that have ended: when they
/// had not ended before, and after every file that was submitted.
pub(crate) async fn update_batches(
    writing: &mut Writing<'_>,
    batches: Vec<BatchRow>,
    is_submission: bool,
) -> Result<Vec<(TenantId, Event)>, StoreError> {
    let changed: Vec<(BatchRow, BatchStatus)> = batches
        .into_iter()
        .map(|batch| {
            let status = batch.counts().status();
            (batch, status)
        })
        .filter(|(batch, status)| status.is_over() || batch.status != status.as_str())
        .collect();
    if changed.is_empty() {
        return Ok(Vec::new());
    }
    sqlx::query(sql!("batches/set_status"))
        .bind(changed.iter().map(|(batch, _)| batch.batch_id).collect::<Vec<_>>())
        .bind(changed.iter().map(|(_, status)| status.as_str()).collect::<Vec<_>>())
        .bind(changed.iter().map(|(_, status)| status.is_over()).collect::<Vec<_>>())
        .bind(writing.now)
        .execute(&mut *writing.connection)
        .await?;
    let to_publish =
        changed.iter().filter(|(batch, status)| is_submission || batch.status != status.as_str());
    let events = to_publish.filter_map(|(batch, _)| {
        let event = batch.counts().end_event(BatchId(batch.batch_id))?;
        Some((TenantId(batch.tenant_id), event))
    });
    Ok(events.collect())
}

impl Tx {
    pub async fn insert_batch(&mut self, new: &NewBatch) -> Result<(), StoreError> {
        let pipeline = new.pipeline.as_ref();
        let stages: Option<Vec<&str>> =
            pipeline.map(|pipeline| pipeline.stages().iter().map(StageName::as_str).collect());
        sqlx::query(sql!("batches/insert"))
            .bind(new.batch_id.0)
            .bind(self.tenant_id().0)
            .bind(&new.name)
            .bind(self.scope().actor().to_string())
            .bind(&new.webhook_url)
            .bind(&new.schema_mapping)
            .bind(new.dedupe)
            .bind(stages)
            .bind(new.expected)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    pub async fn find_batch(
        &mut self,
        batch_id: BatchId,
    ) -> Result<Option<BatchRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("batches/find"))
            .bind(self.tenant_id().0)
            .bind(batch_id.0)
            .bind(owner)
            .fetch_optional(self.connection())
            .await?)
    }

    pub async fn list_batches(&mut self, window: &Window) -> Result<Vec<BatchRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("batches/page"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?)
    }

    /// The names of those of these batches that the scope may see, newest first, at most `max`.
    pub async fn name_batches(
        &mut self,
        batches: &[Uuid],
        max: i64,
    ) -> Result<Vec<BatchName>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("batches/names"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(batches)
            .bind(max)
            .fetch_all(self.connection())
            .await?)
    }

    pub(super) async fn add_to_batch(
        &mut self,
        batch_id: BatchId,
        doc_id: DocId,
        run_id: Option<RunId>,
        (result, submission): (DedupResult, &Submission),
    ) -> Result<(), StoreError> {
        let is_attachment = submission.options.is_attachment;
        let batch = sqlx::query_as(sql!("batches/add_document"))
            .bind(batch_id.0)
            .bind(doc_id.0)
            .bind(self.tenant_id().0)
            .bind(run_id.map(|id| id.0))
            .bind(result.as_str())
            .bind(self.now())
            .bind(i32::from(!is_attachment))
            .bind(&submission.title)
            .bind(&submission.file_name)
            .fetch_all(self.connection())
            .await?;
        self.update_batch(batch, !is_attachment).await
    }

    /// Counts a file of the batch that was refused.
    pub async fn note_refused_in_batch(&mut self, batch_id: BatchId) -> Result<(), StoreError> {
        let batch = sqlx::query_as(sql!("batches/refuse"))
            .bind(self.tenant_id().0)
            .bind(batch_id.0)
            .bind(self.now())
            .fetch_all(self.connection())
            .await?;
        self.update_batch(batch, true).await
    }

    async fn update_batch(
        &mut self,
        batch: Vec<BatchRow>,
        is_submission: bool,
    ) -> Result<(), StoreError> {
        let mut writing = self.writing();
        let events = update_batches(&mut writing, batch, is_submission).await?;
        writing.append_events(&events).await
    }

    /// In the order in which they were added.
    pub async fn list_batch_items(
        &mut self,
        batch_id: BatchId,
        window: &Window,
    ) -> Result<Vec<BatchItemRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("batches/results"))
            .bind(self.tenant_id().0)
            .bind(batch_id.0)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .bind(owner)
            .fetch_all(self.connection())
            .await?)
    }
}
