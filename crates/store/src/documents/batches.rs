//! Batches.

use chrono::{DateTime, Utc};
use domain::{
    BatchCounts, BatchId, BatchStatus, DedupResult, DocId, Event, Pipeline, RunId, StageName,
    TenantId,
};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use super::Submission;
use crate::tx::Writing;
use crate::{StoreError, Tx, Window, sql};

/// A batch about to be made.
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
    pub status: String,
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

/// A batch by its name, for those who choose one.
#[derive(Clone, Debug, FromRow)]
pub struct BatchName {
    #[sqlx(try_from = "Uuid")]
    pub batch_id: BatchId,
    pub name: Option<String>,
    pub created_at: DateTime<Utc>,
}

/// A document of a batch, and what became of it.
#[derive(Clone, Debug, FromRow)]
pub struct BatchItemRecord {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub run_id: Option<Uuid>,
    pub outcome: String,
    pub added_at: DateTime<Utc>,
    pub title: String,
    pub filename: String,
    pub status: String,
    pub run_status: Option<String>,
    pub error: Option<String>,
    pub stats: Option<Value>,
    pub finished_at: Option<DateTime<Utc>>,
}

/// What a batch has counted, after that changed, and where it stood before.
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

/// Notes where batches stand after their counts changed; returns what is to be told of those that are over: when they
/// were not before, and with every file that was offered.
pub(crate) async fn follow_batches(
    writing: &mut Writing<'_>,
    batches: Vec<BatchRow>,
    was_offered: bool,
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
    let news =
        changed.iter().filter(|(batch, status)| was_offered || batch.status != status.as_str());
    let told = news.filter_map(|(batch, _)| {
        let event = batch.counts().end(BatchId(batch.batch_id))?;
        Some((TenantId(batch.tenant_id), event))
    });
    Ok(told.collect())
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

    /// Of these batches, those that the scope may see, newest first; `most` at most.
    pub async fn name_batches(
        &mut self,
        batches: &[Uuid],
        most: i64,
    ) -> Result<Vec<BatchName>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("batches/chosen"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(batches)
            .bind(most)
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
        let is_part = submission.offer.is_part;
        let batch = sqlx::query_as(sql!("batches/add_document"))
            .bind(batch_id.0)
            .bind(doc_id.0)
            .bind(self.tenant_id().0)
            .bind(run_id.map(|id| id.0))
            .bind(result.as_str())
            .bind(self.now())
            .bind(i32::from(!is_part))
            .bind(&submission.title)
            .bind(&submission.file_name)
            .fetch_all(self.connection())
            .await?;
        self.follow_batch(batch, !is_part).await
    }

    /// Notes that a file of the batch was not accepted.
    pub async fn note_refused_in_batch(&mut self, batch_id: BatchId) -> Result<(), StoreError> {
        let batch = sqlx::query_as(sql!("batches/refuse"))
            .bind(self.tenant_id().0)
            .bind(batch_id.0)
            .bind(self.now())
            .fetch_all(self.connection())
            .await?;
        self.follow_batch(batch, true).await
    }

    async fn follow_batch(
        &mut self,
        batch: Vec<BatchRow>,
        was_offered: bool,
    ) -> Result<(), StoreError> {
        let mut writing = self.writing();
        let told = follow_batches(&mut writing, batch, was_offered).await?;
        writing.append_events(&told).await
    }

    /// In the order in which they came.
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
