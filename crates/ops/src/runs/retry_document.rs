//! Retrying a document whose last run failed.

use domain::{Action, Caller, DocId, RunId, RunState};

use crate::runs::rerun::latest_run;
use crate::{OpsError, RerunOptions, Runs};

impl Runs {
    /// Queues a run of the content that the last run failed on.
    pub async fn retry_document(&self, caller: &Caller, doc_id: DocId) -> Result<RunId, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let mut tx = self.store.begin(&scope).await?;
        if !tx.lock_document(doc_id).await? {
            return Err(OpsError::NotFound("document"));
        }
        let last = match latest_run(&mut tx, doc_id).await? {
            Some(run) if run.status == RunState::Failed => run,
            other => {
                let status =
                    other.map_or_else(|| "missing".to_owned(), |run| run.status.to_string());
                return Err(OpsError::Conflict {
                    code: "not_failed",
                    problem: format!(
                        "Only a failed document can be retried. The last run of this one is {status}."
                    ),
                });
            }
        };
        let content = tx.content_of_run(last.run_id).await?;
        let rerun = RerunOptions {
            reason: Some("retry".to_owned()),
            pipeline: Some(last.pipeline),
            ..RerunOptions::default()
        };
        let run = self.queue_rerun(&mut tx, &scope, doc_id, rerun, content).await?;
        tx.commit().await?;
        Ok(run.run_id)
    }
}
