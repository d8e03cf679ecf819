//! Listing runs.

use std::collections::HashMap;

use domain::{Action, Caller, DocId, ReadableObject, RunId, RunState};
use store::{After, RunRecord, StageRecord, Tx};

use crate::documents::content_access::{ContentRights, readable_runs};
use crate::{OpsError, Page, PageRequest, Runs};

/// A run with its stages.
#[derive(Clone, Debug)]
pub struct RunDetail {
    pub run: RunRecord,
    pub stages: Vec<StageRecord>,
    /// Whether the caller may read the artifacts of its stages; otherwise they are not listed.
    pub is_readable: bool,
}

impl Runs {
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
}

/// Runs as the caller may see them.
pub(crate) async fn details(
    tx: &mut Tx,
    caller: &Caller,
    runs: Vec<RunRecord>,
) -> Result<Vec<RunDetail>, OpsError> {
    let ids: Vec<RunId> = runs.iter().map(|run| run.run_id).collect();
    let mut stages_by_run: HashMap<RunId, Vec<StageRecord>> = HashMap::new();
    for stage in tx.list_stages(&ids).await? {
        stages_by_run.entry(stage.run_id).or_default().push(stage);
    }
    let keys: Vec<_> = runs.iter().map(|run| (run.doc_id, Some(run.run_id))).collect();
    let rights = ContentRights::of(caller);
    let readable = readable_runs(tx, ReadableObject::Artifact, rights, &keys).await?;
    let detail = |run: RunRecord| {
        let is_readable = readable.contains(&(run.doc_id, run.run_id));
        let mut stages = stages_by_run.remove(&run.run_id).unwrap_or_default();
        if !is_readable {
            for stage in &mut stages {
                stage.artifacts.clear();
            }
        }
        RunDetail { run, stages, is_readable }
    };
    Ok(runs.into_iter().map(detail).collect())
}
