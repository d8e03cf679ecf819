//! Batches: documents that are handed in together.

use domain::{Action, AuditAction, AuditEntry, BatchId, Caller, Entity, IdempotencyClaim, Scope};
use serde_json::{Value, json};
use store::{After, BatchItemRecord, BatchRecord, NewBatch};
use url::Url;

use crate::once::{Done, outcome_of, settle};
use crate::{Ops, OpsError, Page, PageRequest};

/// A batch somebody asks for.
#[derive(Clone, Debug, Default)]
pub struct RequestedBatch {
    pub name: Option<String>,
    pub webhook_url: Option<String>,
    pub schema_mapping: Option<Value>,
    pub dedupe: Option<bool>,
    pub pipeline: Option<Vec<String>>,
    pub expected_documents: Option<i32>,
}

impl Ops {
    pub async fn create_batch(
        &self,
        caller: &Caller,
        requested: RequestedBatch,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<BatchId>, OpsError> {
        let scope = caller.permit(Action::CreateBatches)?;
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let new = self.new_batch(requested)?;
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let made = async {
            tx.insert_batch(&new).await?;
            tx.append_audit(AuditEntry {
                action: AuditAction::BatchCreated,
                entity: Entity::Batch(new.batch_id),
                detail: json!({ "name": new.name }),
            })
            .await?;
            Ok(new.batch_id)
        };
        let made = made.await;
        settle(tx, claim.as_ref(), made).await
    }

    fn new_batch(&self, requested: RequestedBatch) -> Result<NewBatch, OpsError> {
        if let Some(url) = &requested.webhook_url {
            let web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !web {
                return Err(OpsError::invalid(
                    "webhook_url",
                    "this is not an http or https address",
                ));
            }
        }
        if requested.expected_documents.is_some_and(|expected| expected < 1) {
            return Err(OpsError::invalid(
                "expected_documents",
                "a batch has at least one document",
            ));
        }
        let pipeline = requested.pipeline.as_deref().map(|names| self.intake.pipeline_of(names));
        Ok(NewBatch {
            batch_id: BatchId(self.ids.next()),
            name: requested.name,
            webhook_url: requested.webhook_url,
            schema_mapping: requested.schema_mapping,
            dedupe: requested.dedupe.unwrap_or(true),
            pipeline: pipeline.transpose()?,
            expected: requested.expected_documents,
        })
    }

    pub async fn find_batch(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<BatchRecord, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let batch = tx.find_batch(batch_id).await?;
        tx.commit().await?;
        batch.ok_or(OpsError::NotFound("batch"))
    }

    /// May the caller add to this batch? Asked before the first byte is taken.
    pub async fn check_batch_for_upload(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        caller.permit(Action::UploadDocuments)?;
        self.find_batch(caller, batch_id).await.map(drop)
    }

    /// A file that was too large to be taken is a file that came, all the same.
    pub async fn note_too_large_in_batch(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        self.note_refused_in_batch(&scope, batch_id).await
    }

    /// A batch that expects so many files must not wait for one that was refused.
    pub(crate) async fn note_refused_in_batch(
        &self,
        scope: &Scope,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        let mut tx = self.store.begin(scope).await?;
        tx.note_refused_in_batch(batch_id).await?;
        Ok(tx.commit().await?)
    }

    /// Newest first.
    pub async fn list_batches(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<BatchRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let batches = tx.list_batches(&request.window()).await?;
        tx.commit().await?;
        Ok(request
            .page_of(batches, |batch| After { moment: batch.created_at, id: batch.batch_id.0 }))
    }

    /// Its documents in the order they came, with what became of each.
    pub async fn list_batch_results(
        &self,
        caller: &Caller,
        batch_id: BatchId,
        request: &PageRequest,
    ) -> Result<Page<BatchItemRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        tx.find_batch(batch_id).await?.ok_or(OpsError::NotFound("batch"))?;
        let items = tx.list_batch_items(batch_id, &request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(items, |item| After { moment: item.added_at, id: item.doc_id.0 }))
    }
}
