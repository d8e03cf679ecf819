//! Listing documents.

use std::collections::HashMap;

use domain::{Action, Caller, DocId, DocumentStatus, FileKind};
use store::{
    After, DocumentFilter, DocumentPlace, DocumentProgress, DocumentRecord, DocumentWindow,
    PartRecord, TradeRecord, Tx, VersionRecord, Window,
};

use crate::documents::read_pages::has_page_images;
use crate::results::trades_of_document;
use crate::runs::list::details;
use crate::{Documents, OpsError, Page, PageRequest, RunDetail};

/// A document with its versions, runs, attachments and trades.
#[derive(Clone, Debug)]
pub struct DocumentDetail {
    pub document: ListedDocument,
    pub versions: Vec<VersionRecord>,
    /// The latest ones, newest first.
    pub runs: Vec<RunDetail>,
    /// Its attachments, and the documents that it is an attachment of.
    pub parts: Vec<PartRecord>,
    /// The trades of its current result, as far as the caller may read it.
    pub trades: Vec<TradeRecord>,
}

/// A document as lists show it.
#[derive(Clone, Debug)]
pub struct ListedDocument {
    pub document: DocumentRecord,
    /// How far the run is that works on it, if one does.
    pub progress: Option<DocumentProgress>,
    /// Its first page can be shown as a small image. Not when parts of it are masked: a list gives no reason to render
    /// those.
    pub has_page_images: bool,
}

/// A page of a list of documents.
#[derive(Debug)]
pub struct DocumentListPage {
    pub items: Vec<ListedDocument>,
    /// Where the next page begins; `None` on the last one.
    pub next: Option<DocumentPlace>,
}

impl Documents {
    /// Runs in the details of a document; the list of runs has the others.
    const MAX_RUNS: i64 = 20;

    /// The documents that the caller may see, in the order of the window. The window's limit is the size of the page.
    pub async fn list_documents(
        &self,
        caller: &Caller,
        filter: &DocumentFilter,
        window: DocumentWindow,
    ) -> Result<DocumentListPage, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let limit = usize::try_from(window.limit).unwrap_or(usize::MAX);
        // One more than the page holds tells whether there is another page.
        let one_more = DocumentWindow { limit: window.limit + 1, ..window };
        let mut found = tx.list_documents(filter, &one_more).await?;
        let has_more = found.documents.len() > limit;
        found.documents.truncate(limit);
        // A page that is not full continues where the examination ended.
        let last = found.documents.last().map(|(_, place)| place.clone());
        let next = if has_more { last } else { found.until };
        let documents = found.documents.into_iter().map(|(document, _)| document).collect();
        let items = with_progress(&mut tx, documents).await?;
        tx.commit().await?;
        Ok(DocumentListPage { items, next })
    }

    /// Documents that were accepted but never got a version.
    pub async fn list_orphans(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<ListedDocument>, OpsError> {
        let scope = caller.permit(Action::DeactivateDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let documents = tx.list_orphans(&request.window()).await?;
        let page = request.page_of(documents, |document| After {
            moment: document.created_at,
            id: document.doc_id.0,
        });
        let items = with_progress(&mut tx, page.items).await?;
        tx.commit().await?;
        Ok(Page { items, next: page.next })
    }

    pub async fn find_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
    ) -> Result<DocumentDetail, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let document = with_progress(&mut tx, vec![document]).await?.into_iter().next();
        let document = document.ok_or(OpsError::NotFound("document"))?;
        let versions = tx.list_versions(doc_id).await?;
        let latest = Window { after: None, skip: 0, limit: Self::MAX_RUNS };
        let runs = tx.list_runs(None, Some(doc_id), &latest).await?;
        let runs = details(&mut tx, caller, runs).await?;
        let parts = tx.list_parts(doc_id).await?;
        let trades = trades_of_document(&mut tx, caller, doc_id).await?;
        tx.commit().await?;
        Ok(DocumentDetail { document, versions, runs, parts, trades })
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

async fn with_progress(
    tx: &mut Tx,
    documents: Vec<DocumentRecord>,
) -> Result<Vec<ListedDocument>, OpsError> {
    let ids: Vec<DocId> = documents.iter().map(|document| document.doc_id).collect();
    let progress = tx.progress_of_documents(&ids).await?;
    let mut progress: HashMap<DocId, DocumentProgress> =
        progress.into_iter().map(|progress| (progress.doc_id, progress)).collect();
    let listed = documents.into_iter().map(|document| ListedDocument {
        progress: progress.remove(&document.doc_id),
        has_page_images: document.status == DocumentStatus::Active
            && !document.content_locked
            && !document.is_masked
            && FileKind::of_media_type(&document.mime).is_some_and(has_page_images),
        document,
    });
    Ok(listed.collect())
}
