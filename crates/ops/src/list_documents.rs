//! Looking at documents and their runs.

use std::collections::HashMap;

use domain::{Action, Caller, DocId, RunId, RunState};
use store::{
    After, DocumentFilter, DocumentRecord, PartRecord, RunRecord, StageRecord, Tx, VersionRecord,
    Window,
};

use crate::{Ops, OpsError, Page, PageRequest};

/// A run with what became of its stages.
#[derive(Clone, Debug)]
pub struct RunDetail {
    pub run: RunRecord,
    pub stages: Vec<StageRecord>,
}

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

impl Ops {
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
        let runs = with_stages(&mut tx, runs).await?;
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

    /// Newest first.
    pub async fn list_runs(
        &self,
        caller: &Caller,
        status: Option<RunState>,
        doc_id: Option<DocId>,
        request: &PageRequest,
    ) -> Result<Page<RunDetail>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let runs = tx.list_runs(status, doc_id, &request.window()).await?;
        let page = request.page_of(runs, |run| After { moment: run.created_at, id: run.run_id.0 });
        let items = with_stages(&mut tx, page.items).await?;
        tx.commit().await?;
        Ok(Page { items, next: page.next })
    }

    pub async fn find_run(&self, caller: &Caller, run_id: RunId) -> Result<RunDetail, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let run = tx.find_run(run_id).await?.ok_or(OpsError::NotFound("run"))?;
        let stages = tx.list_stages(&[run_id]).await?;
        tx.commit().await?;
        Ok(RunDetail { run, stages })
    }
}

fn place(document: &DocumentRecord) -> After {
    After { moment: document.created_at, id: document.doc_id.0 }
}

async fn with_stages(tx: &mut Tx, runs: Vec<RunRecord>) -> Result<Vec<RunDetail>, OpsError> {
    let ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    let mut of_run: HashMap<RunId, Vec<StageRecord>> = HashMap::new();
    for stage in tx.list_stages(&ids).await? {
        of_run.entry(stage.run_id).or_default().push(stage);
    }
    let detail =
        |run: RunRecord| RunDetail { stages: of_run.remove(&run.run_id).unwrap_or_default(), run };
    Ok(runs.into_iter().map(detail).collect())
}
