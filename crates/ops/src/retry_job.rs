//! Giving dead jobs a fresh start.

use domain::{Action, Caller, JobId, JobState};
use store::{JobFilter, JobRecord, Tx, Window};

use crate::{Ops, OpsError};

impl Ops {
    /// How many dead jobs one request revives.
    pub const REQUEUE_AT_ONCE: i64 = 1000;

    /// Attempts 0, waiting, now, and no error.
    pub async fn retry_job(&self, caller: &Caller, job_id: JobId) -> Result<JobRecord, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        let mut tx = self.store.begin(&scope).await?;
        let revived = tx.retry_job(job_id).await?;
        let job = tx.find_job(job_id).await?.ok_or(OpsError::NotFound("job"))?;
        if !revived {
            tx.rollback().await?;
            return Err(OpsError::Conflict {
                code: "job_not_dead",
                problem: format!("only a dead job can be retried; this one is {}", job.status),
            });
        }
        tx.commit().await?;
        Ok(job)
    }

    /// Revives the dead jobs of a stage, or all; returns how many. The rest of a large number is left
    /// for the next request.
    pub async fn requeue_dead_jobs(
        &self,
        caller: &Caller,
        stage: Option<String>,
    ) -> Result<u32, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        let mut tx = self.store.begin(&scope).await?;
        let revived = revive_all(&mut tx, stage).await?;
        tx.commit().await?;
        Ok(revived)
    }
}

async fn revive_all(tx: &mut Tx, stage: Option<String>) -> Result<u32, OpsError> {
    let filter = JobFilter { status: Some(JobState::Dead), stage, run_id: None };
    let window = Window { after: None, skip: 0, limit: Ops::REQUEUE_AT_ONCE };
    let mut revived = 0;
    for job in tx.list_jobs(&filter, &window).await? {
        // Somebody else may have been quicker with this one.
        revived += u32::from(tx.retry_job(job.job_id).await?);
    }
    Ok(revived)
}
