//! Rerunning a document with an updated original.
//!
//! The document keeps its id, its owners and their titles, and gets a version with the new content. From then on it is no
//! longer identified by its content but by its id (`document://…`): a user who uploads its old or new content gets a
//! document of their own, and sees nothing of this one. While the updated document is deleted, that content is answered
//! like other deleted content. An update with the current content is a plain rerun.

use domain::{
    Action, Caller, ContentHash, DocId, FileKind, IdempotencyClaim, Origin, Scope, upload_uri,
};

use crate::document_types::known::chosen_type;
use crate::documents::intake::{IntakeRequest, UpdateTarget};
use crate::idempotency::Outcome;
use crate::runs::rerun::latest_run;
use crate::{Accepted, OpsError, RerunOptions, Runs, StagedUpload, UploadMetadata};

impl Runs {
    /// Whether the caller may replace the original of this document. Checked before the first byte is read.
    pub async fn check_document_for_update(
        &self,
        caller: &Caller,
        doc_id: DocId,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let document = tx.find_document(doc_id).await?;
        tx.commit().await?;
        document.map(drop).ok_or(OpsError::NotFound("document"))
    }

    /// Queues a run of the new content, once per claim. The current version stays active until the run succeeds.
    pub async fn update_original(
        &self,
        caller: &Caller,
        doc_id: DocId,
        received: StagedUpload,
        metadata: UploadMetadata,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let staged = received.into_staged();
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let found = self.find_update_target(&scope, doc_id, staged.sha256, &metadata).await;
        let update = match found {
            Ok(Some(update)) => update,
            other => {
                self.intake.blobs.discard(staged).await;
                other?;
                let UploadMetadata { password, reason, file_name, document_type, .. } = metadata;
                let rerun = RerunOptions {
                    reason,
                    password,
                    document_type,
                    file_name: Some(file_name),
                    ..RerunOptions::default()
                };
                return self.rerun_with_claim(&scope, doc_id, rerun, claim.as_ref()).await;
            }
        };
        let request = IntakeRequest {
            scope: &scope,
            metadata: &metadata,
            batch: None,
            may_rerun: true,
            claim: claim.as_ref(),
            update: Some(&update),
        };
        self.intake.accept(&Origin::Upload, staged, request).await
    }

    /// The document to update; `None` if it already has this content.
    async fn find_update_target(
        &self,
        scope: &Scope,
        doc_id: DocId,
        content: ContentHash,
        metadata: &UploadMetadata,
    ) -> Result<Option<UpdateTarget>, OpsError> {
        let mut tx = self.store.read(scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        if tx.original_of(doc_id).await? == Some(content) {
            tx.commit().await?;
            return Ok(None);
        }
        let other = tx.find_by_identity(&upload_uri(content)).await?;
        let parent = latest_run(&mut tx, doc_id).await?;
        let parent_run_id = parent.as_ref().map(|run| run.run_id);
        let document_type = match &metadata.document_type {
            Some(name) => chosen_type(&mut tx, "document_type", name.clone()).await?,
            None => parent.and_then(|run| run.config.document_type),
        };
        tx.commit().await?;
        if let Some(other) = other.filter(|other| *other != doc_id) {
            return Err(OpsError::Conflict {
                code: "content_is_another_document",
                problem: format!(
                    "The document {other} already has this content. Delete one of the two documents, or keep both \
                     unchanged."
                ),
            });
        }
        let kind: FileKind = document
            .file_kind
            .parse()
            .map_err(|error| OpsError::internal("reading the kind of a document", error))?;
        let (title, reason) = (document.title, metadata.reason.clone());
        Ok(Some(UpdateTarget { doc_id, title, kind, parent_run_id, reason, document_type }))
    }
}
