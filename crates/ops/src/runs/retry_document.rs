//! Trying a document again whose last run failed.

use domain::{Action, Caller, DocId, RunId, RunState};

use crate::runs::rerun::latest_run;
use crate::{OpsError, Rerun, Runs};

impl Runs {
    /// Tries a document again whose last run failed, with the content that it failed on.
    pub async fn retry_document(&self, caller: &Caller, doc_id: DocId) -> Result<RunId, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let mut tx = self.store.begin(&scope).await?;
        tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let last = match latest_run(&mut tx, doc_id).await? {
            Some(run) if run.status == RunState::Failed => run,
            other => {
                let stands =
                    other.map_or_else(|| "missing".to_owned(), |run| run.status.to_string());
                return Err(OpsError::Conflict {
                    code: "not_failed",
                    problem: format!(
                        "only a failed document can be retried; its last run is {stands}"
                    ),
                });
            }
        };
        let content = tx.content_of_run(last.run_id).await?;
        let rerun = Rerun {
            reason: Some("retry".to_owned()),
            pipeline: Some(last.pipeline),
            ..Rerun::default()
        };
        let run = self.queue_rerun(&mut tx, &scope, doc_id, rerun, content).await?;
        tx.commit().await?;
        Ok(run.run_id)
    }
}
