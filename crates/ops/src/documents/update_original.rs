//! Processing a document again with an updated original.
//!
//! The document keeps its id, its owners and what they call it, and gets a version with the new content. From then on
//! it is not identified by its content any more (`document://…`): whoever uploads its old or its new content has a
//! document of their own, and sees nothing of this one. The same content as before is a plain rerun.

use domain::{
    Action, Caller, ContentHash, DocId, FileKind, IdempotencyClaim, Origin, Scope, upload_uri,
};

use crate::documents::intake::{Arrival, Replaced};
use crate::once::Done;
use crate::runs::rerun::latest_run;
use crate::{Accepted, Described, OpsError, Received, Rerun, Runs};

impl Runs {
    /// May the caller replace the original of this document? Asked before the first byte is taken.
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

    /// Queues a run of the new content, once under one claim. What is served stays served until it succeeds.
    pub async fn update_original(
        &self,
        caller: &Caller,
        doc_id: DocId,
        received: Received,
        described: Described,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let staged = received.into_staged();
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let looked_up = self.find_replaced(&scope, doc_id, staged.sha256, &described).await;
        let replaced = match looked_up {
            Ok(Some(replaced)) => replaced,
            other => {
                self.intake.blobs.discard(staged).await;
                other?;
                let Described { password, reason, .. } = described;
                let rerun = Rerun { reason, password, ..Rerun::default() };
                return self.rerun_once(&scope, doc_id, rerun, claim.as_ref()).await;
            }
        };
        let arrival = Arrival {
            scope: &scope,
            described: &described,
            batch: None,
            may_rerun: true,
            claim: claim.as_ref(),
            replaced: Some(&replaced),
        };
        self.intake.accept(&Origin::Upload, staged, arrival).await
    }

    /// The document, unless it has this content already.
    async fn find_replaced(
        &self,
        scope: &Scope,
        doc_id: DocId,
        content: ContentHash,
        described: &Described,
    ) -> Result<Option<Replaced>, OpsError> {
        let mut tx = self.store.read(scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        if tx.original_of(doc_id).await? == Some(content) {
            tx.commit().await?;
            return Ok(None);
        }
        let other = tx.find_by_identity(&upload_uri(content)).await?;
        let parent_run_id = latest_run(&mut tx, doc_id).await?.map(|run| run.run_id);
        tx.commit().await?;
        if let Some(other) = other.filter(|other| *other != doc_id) {
            return Err(OpsError::Conflict {
                code: "content_is_another_document",
                problem: format!(
                    "this content is the document {other} already; delete one of the two, or keep both as they are"
                ),
            });
        }
        let kind: FileKind = document
            .file_kind
            .parse()
            .map_err(|error| OpsError::internal("reading the kind of a document", error))?;
        let (title, reason) = (document.title, described.reason.clone());
        Ok(Some(Replaced { doc_id, title, kind, parent_run_id, reason }))
    }
}
