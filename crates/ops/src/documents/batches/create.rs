//! Creating a batch.

use domain::{
    Action, AuditAction, AuditEntry, BatchId, Caller, Entity, IdempotencyClaim, SchemaMapping,
};
use serde_json::{Value, json};
use store::NewBatch;
use url::Url;

use crate::document_types::known::check_types;
use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::{Batches, OpsError};

/// A request for a batch.
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
    ) -> Result<Outcome<BatchId>, OpsError> {
        let scope = caller.permit(Action::CreateBatches)?;
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let mapping = requested.schema_mapping.clone().map(SchemaMapping::read).transpose();
        let mapping = mapping.map_err(|error| OpsError::invalid("schema_mapping", error))?;
        let new = self.new_batch(requested)?;
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = recorded_outcome(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let made = async {
            if let Some(mapping) = &mapping {
                check_types(&mut tx, "schema_mapping", mapping.types()).await?;
            }
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
        commit_outcome(tx, claim.as_ref(), made).await
    }

    fn new_batch(&self, requested: RequestedBatch) -> Result<NewBatch, OpsError> {
        if let Some(url) = &requested.webhook_url {
            let is_web = Url::parse(url).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
            if !is_web {
                return Err(OpsError::invalid(
                    "webhook_url",
                    "webhook_url must be an http or https address.",
                ));
            }
        }
        if requested.expected_documents.is_some_and(|expected| expected < 1) {
            return Err(OpsError::invalid(
                "expected_documents",
                "expected_documents must be at least 1.",
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
