//! Looking at documents.

use domain::{Action, Caller, DocId};
use store::{After, DocumentFilter, DocumentRecord, PartRecord, VersionRecord, Window};

use crate::runs::list::details;
use crate::{Documents, OpsError, Page, PageRequest, RunDetail};

/// Everything about one document.
#[derive(Clone, Debug)]
pub struct DocumentDetail {
    pub document: DocumentRecord,
    pub versions: Vec<VersionRecord>,
    /// The latest ones, newest first.
    pub runs: Vec<RunDetail>,
    /// What came within it, and what it came within.
    pub parts: Vec<PartRecord>,
}

impl Documents {
    /// Runs shown with a document; the others are in the list of runs.
    const RUNS_SHOWN: i64 = 20;

    /// What the caller may see, newest first.
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
        let page = request.page_of(found.documents, place);
        // Fewer than wanted, and there is more to look at: the next page goes on there.
        Ok(Page { next: page.next.or(found.until), ..page })
    }

    /// Documents that were taken in and never got a version.
    pub async fn list_orphans(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<DocumentRecord>, OpsError> {
        let scope = caller.permit(Action::DeactivateDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let documents = tx.list_orphans(&request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(documents, place))
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
        let latest = Window { after: None, skip: 0, limit: Self::RUNS_SHOWN };
        let runs = tx.list_runs(None, Some(doc_id), &latest).await?;
        let runs = details(&mut tx, caller, runs).await?;
        let parts = tx.list_parts(doc_id).await?;
        tx.commit().await?;
        Ok(DocumentDetail { document, versions, runs, parts })
    }

    /// How many documents the caller may see, by where they stand.
    pub async fn count_documents(&self, caller: &Caller) -> Result<Vec<(String, i64)>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let counts = tx.count_documents().await?;
        tx.commit().await?;
        Ok(counts)
    }
}

fn place(document: &DocumentRecord) -> After {
    After { moment: document.created_at, id: document.doc_id.0 }
}
