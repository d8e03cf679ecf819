//! Looking at documents and their runs.

use std::collections::HashMap;

use domain::{Action, Caller, DocId, ReadableObject, RunId, RunState};
use serde_json::json;
use store::{
    After, DocumentFilter, DocumentRecord, PartRecord, RunRecord, StageRecord, Tx, VersionRecord,
    Window,
};

use crate::documents::content_access::{ContentRights, readable_runs};
use crate::{Ops, OpsError, Page, PageRequest};

/// A run with what became of its stages.
#[derive(Clone, Debug)]
pub struct RunDetail {
    pub run: RunRecord,
    pub stages: Vec<StageRecord>,
    /// Whether the caller may read what its stages left; otherwise that is not listed.
    pub is_readable: bool,
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
        let items = details(&mut tx, caller, page.items).await?;
        tx.commit().await?;
        Ok(Page { items, next: page.next })
    }

    pub async fn find_run(&self, caller: &Caller, run_id: RunId) -> Result<RunDetail, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let run = tx.find_run(run_id).await?.ok_or(OpsError::NotFound("run"))?;
        let found = details(&mut tx, caller, vec![run]).await?;
        tx.commit().await?;
        found.into_iter().next().ok_or(OpsError::NotFound("run"))
    }

    /// A run with all that its stages left: for those who ask who may read it.
    pub(crate) async fn run_and_stages(
        &self,
        caller: &Caller,
        run_id: RunId,
    ) -> Result<(RunRecord, Vec<StageRecord>), OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let run = tx.find_run(run_id).await?.ok_or(OpsError::NotFound("run"))?;
        let stages = tx.list_stages(&[run_id]).await?;
        tx.commit().await?;
        Ok((run, stages))
    }
}

fn place(document: &DocumentRecord) -> After {
    After { moment: document.created_at, id: document.doc_id.0 }
}

/// Runs as the caller may see them.
async fn details(
    tx: &mut Tx,
    caller: &Caller,
    runs: Vec<RunRecord>,
) -> Result<Vec<RunDetail>, OpsError> {
    let ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    let mut of_run: HashMap<RunId, Vec<StageRecord>> = HashMap::new();
    for stage in tx.list_stages(&ids).await? {
        of_run.entry(stage.run_id).or_default().push(stage);
    }
    let wanted: Vec<_> = runs.iter().map(|run| (run.doc_id, Some(run.run_id))).collect();
    let rights = ContentRights::of(caller);
    let readable = readable_runs(tx, ReadableObject::Artifact, rights, &wanted).await?;
    let detail = |run: RunRecord| {
        let is_readable = readable.contains(&(run.doc_id, run.run_id));
        let mut stages = of_run.remove(&run.run_id).unwrap_or_default();
        if !is_readable {
            for stage in &mut stages {
                stage.artifacts = json!([]);
            }
        }
        RunDetail { run, stages, is_readable }
    };
    Ok(runs.into_iter().map(detail).collect())
}
