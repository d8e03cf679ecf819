//! Listing documents.

use domain::{Action, Caller, DocId, DocumentStatus};
use store::{After, DocumentFilter, DocumentRecord, PartRecord, VersionRecord, Window};

use crate::runs::list::details;
use crate::{Documents, OpsError, Page, PageRequest, RunDetail};

/// A document with its versions, runs and attachments.
#[derive(Clone, Debug)]
pub struct DocumentDetail {
    pub document: DocumentRecord,
    pub versions: Vec<VersionRecord>,
    /// The latest ones, newest first.
    pub runs: Vec<RunDetail>,
    /// Its attachments, and the documents that it is an attachment of.
    pub parts: Vec<PartRecord>,
}

impl Documents {
    /// Runs in the details of a document; the list of runs has the others.
    const MAX_RUNS: i64 = 20;

    /// The documents that the caller may see, newest first.
    pub async fn list_documents(
        &self,
        caller: &Caller,
        filter: &DocumentFilter,
        request: &PageRequest,
    ) -> Result<Page<DocumentRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let found = tx.list_documents(filter, &request.window()).await?;
        tx.commit().await?;
        let page = request.page_of(found.documents, cursor);
        // The scan stopped early, perhaps with fewer rows than requested: the next page continues there.
        Ok(Page { next: page.next.or(found.until), ..page })
    }

    /// Documents that were accepted but never got a version.
    pub async fn list_orphans(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<DocumentRecord>, OpsError> {
        let scope = caller.permit(Action::DeactivateDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let documents = tx.list_orphans(&request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(documents, cursor))
    }

    pub async fn find_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
    ) -> Result<DocumentDetail, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let versions = tx.list_versions(doc_id).await?;
        let latest = Window { after: None, skip: 0, limit: Self::MAX_RUNS };
        let runs = tx.list_runs(None, Some(doc_id), &latest).await?;
        let runs = details(&mut tx, caller, runs).await?;
        let parts = tx.list_parts(doc_id).await?;
        tx.commit().await?;
        Ok(DocumentDetail { document, versions, runs, parts })
    }

    /// How many documents the caller may see, by status.
    pub async fn count_documents(
        &self,
        caller: &Caller,
    ) -> Result<Vec<(DocumentStatus, i64)>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let counts = tx.count_documents().await?;
        tx.commit().await?;
        Ok(counts)
    }
}

fn cursor(document: &DocumentRecord) -> After {
    After { moment: document.created_at, id: document.doc_id.0 }
}
