//! Trying a document again whose last run failed.

use domain::{Action, Caller, DocId, RunId, RunState};
use store::Window;

use crate::{OpsError, Rerun, Runs};

impl Runs {
    /// Tries a document again whose last run failed.
    pub async fn retry_document(&self, caller: &Caller, doc_id: DocId) -> Result<RunId, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let latest = Window { after: None, skip: 0, limit: 1 };
        let last = tx.list_runs(None, Some(doc_id), &latest).await?.into_iter().next();
        tx.commit().await?;
        match last {
            Some(run) if run.status == RunState::Failed.as_str() => {
                let rerun = Rerun {
                    reason: Some("retry".to_owned()),
                    pipeline: Some(run.pipeline),
                    from_stage: None,
                    password: None,
                };
                self.rerun_document(caller, doc_id, rerun).await
            }
            other => {
                let stands = other.map_or_else(|| "missing".to_owned(), |run| run.status);
                Err(OpsError::Conflict {
                    code: "not_failed",
                    problem: format!(
                        "only a failed document can be retried; its last run is {stands}"
                    ),
                })
            }
        }
    }
}
