//! Giving dead jobs a fresh start.

use domain::{Action, Caller, ClosedBy, JobId};
use store::{DeadJobFilter, JobRecord};

use crate::{OpsError, Runs};

impl Runs {
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
            return Err(not_retried(&job));
        }
        tx.commit().await?;
        Ok(job)
    }

    /// Revives the dead jobs that fit and need attention; returns how many. The rest of a large number is left for the
    /// next request.
    pub async fn requeue_dead_jobs(
        &self,
        caller: &Caller,
        requested: &RequestedRequeue,
    ) -> Result<u32, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        let filter = requested.checked()?;
        let mut tx = self.store.begin(&scope).await?;
        let revived = tx.requeue_dead_jobs(filter, Self::REQUEUE_AT_ONCE).await?;
        tx.commit().await?;
        Ok(u32::try_from(revived).unwrap_or(u32::MAX))
    }
}

fn not_retried(job: &JobRecord) -> OpsError {
    let (code, problem) = match job.closed_by {
        Some(ClosedBy::Deleted) => (
            "document_deleted",
            "the document of this job was deleted; upload it again to process it".to_owned(),
        ),
        Some(closed_by) => (
            "job_superseded",
            format!("this job cannot be retried: {}; rerun the document", closed_by.sentence()),
        ),
        None => {
            ("job_not_dead", format!("only a dead job can be retried; this one is {}", job.status))
        }
    };
    OpsError::Conflict { code, problem }
}

/// Which dead jobs to revive. All of them only for who says so: an empty filter is more likely a slip.
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
                "say which dead jobs are meant: name a stage, an error class, a time, a run, a \
                 document or a part of the error; or ask for all",
            )),
            (false, true) => Err(OpsError::invalid(
                "all",
                "all and a filter contradict each other; leave one out",
            )),
            _ => Ok(&self.filter),
        }
    }
}
