//! Cancelling a run.

use domain::{Action, Caller, RunId};

use crate::{OpsError, Runs};

impl Runs {
    /// A worker that processes the run loses its lease and learns that from its next heartbeat.
    pub async fn cancel_run(&self, caller: &Caller, run_id: RunId) -> Result<(), OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let mut tx = self.store.begin(&scope).await?;
        let exists = tx.run_exists(run_id).await?;
        let cancelled = tx.cancel_run(run_id).await?;
        tx.commit().await?;
        match (exists, cancelled) {
            (false, _) => Err(OpsError::NotFound("run")),
            (true, true) => Ok(()),
            (true, false) => Err(OpsError::Conflict {
                code: "run_is_over",
                problem: "This run has already ended, so it cannot be cancelled.".to_owned(),
            }),
        }
    }
}
