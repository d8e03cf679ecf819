//! Opening a batch.

use domain::{Action, AuditAction, AuditEntry, BatchId, Caller, Entity, IdempotencyClaim};
use serde_json::{Value, json};
use store::NewBatch;
use url::Url;

use crate::once::{Done, outcome_of, settle};
use crate::{Batches, OpsError};

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

impl Batches {
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
            batch_id: BatchId(self.store.ids().next()),
            name: requested.name,
            webhook_url: requested.webhook_url,
            schema_mapping: requested.schema_mapping,
            dedupe: requested.dedupe.unwrap_or(true),
            pipeline: pipeline.transpose()?,
            expected: requested.expected_documents,
        })
    }
}
