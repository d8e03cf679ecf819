//! Retrying dead jobs.

use domain::{Action, Caller, ClosedBy, JobId};
use store::{DeadJobFilter, JobRecord};

use crate::{OpsError, Runs};

impl Runs {
    /// The most dead jobs that one request requeues.
    pub const MAX_REQUEUED: i64 = 1000;

    /// Requeues a dead job with 0 attempts and no error, due now.
    pub async fn retry_job(&self, caller: &Caller, job_id: JobId) -> Result<JobRecord, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        let mut tx = self.store.begin(&scope).await?;
        let requeued = tx.retry_job(job_id).await?;
        let job = tx.find_job(job_id).await?.ok_or(OpsError::NotFound("job"))?;
        if !requeued {
            tx.rollback().await?;
            return Err(not_retried(&job));
        }
        tx.commit().await?;
        Ok(job)
    }

    /// Requeues the dead jobs that match the filter and need attention, up to [`Self::MAX_REQUEUED`]; returns how many.
    pub async fn requeue_dead_jobs(
        &self,
        caller: &Caller,
        requested: &RequestedRequeue,
    ) -> Result<u32, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        let filter = requested.checked()?;
        let mut tx = self.store.begin(&scope).await?;
        let requeued = tx.requeue_dead_jobs(filter, Self::MAX_REQUEUED).await?;
        tx.commit().await?;
        Ok(u32::try_from(requeued).unwrap_or(u32::MAX))
    }
}

fn not_retried(job: &JobRecord) -> OpsError {
    let (code, problem) = match job.closed_by {
        Some(ClosedBy::Deleted) => (
            "document_deleted",
            "The document of this job was deleted. Upload it again to process it.".to_owned(),
        ),
        Some(closed_by) => (
            "job_superseded",
            format!("This job cannot be retried: {}. Rerun the document.", closed_by.sentence()),
        ),
        None => {
            ("job_not_dead", format!("Only a dead job can be retried. This one is {}.", job.status))
        }
    };
    OpsError::Conflict { code, problem }
}

/// Which dead jobs to requeue. Requeueing all of them must be explicit, since an empty filter is more likely a mistake.
#[derive(Clone, Debug, Default)]
pub struct RequestedRequeue {
    pub filter: DeadJobFilter,
    pub all: bool,
}

impl RequestedRequeue {
    fn checked(&self) -> Result<&DeadJobFilter, OpsError> {
        let is_open = self.filter == DeadJobFilter::default();
        match (is_open, self.all) {
            (true, false) => Err(OpsError::invalid(
                "all",
                "Set at least one condition (stage, error_class, created_after, created_before, run_id, doc_id or \
                 error_contains), or set all to true.",
            )),
            (false, true) => Err(OpsError::invalid(
                "all",
                "all cannot be combined with other conditions. Leave one of them out.",
            )),
            _ => Ok(&self.filter),
        }
    }
}
