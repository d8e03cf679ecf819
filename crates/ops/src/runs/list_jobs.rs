//! Listing jobs, dead jobs and queues.

use domain::{Action, Caller, JobId, JobState};
use store::{After, JobFilter, JobRecord, QueueRecord};

use crate::{OpsError, Page, PageRequest, Runs};

impl Runs {
    /// Newest first. With the status `DEAD`, only dead jobs that need attention.
    pub async fn list_jobs(
        &self,
        caller: &Caller,
        filter: &JobFilter,
        request: &PageRequest,
    ) -> Result<Page<JobRecord>, OpsError> {
        let scope = caller.permit(Action::ReadDeadJobs)?;
        let mut tx = self.store.read(&scope).await?;
        let jobs = tx.list_jobs(filter, &request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(jobs, |job| After { moment: job.created_at, id: job.job_id.0 }))
    }

    /// Dead jobs that need attention: at most one per failed document.
    pub async fn list_dead_jobs(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<JobRecord>, OpsError> {
        let dead = JobFilter { status: Some(JobState::Dead), ..JobFilter::default() };
        self.list_jobs(caller, &dead, request).await
    }

    pub async fn find_job(&self, caller: &Caller, job_id: JobId) -> Result<JobRecord, OpsError> {
        let scope = caller.permit(Action::ReadDeadJobs)?;
        let mut tx = self.store.read(&scope).await?;
        let job = tx.find_job(job_id).await?;
        tx.commit().await?;
        job.ok_or(OpsError::NotFound("job"))
    }

    pub async fn list_queues(&self, caller: &Caller) -> Result<Vec<QueueRecord>, OpsError> {
        let scope = caller.permit(Action::ReadDeadJobs)?;
        let mut tx = self.store.read(&scope).await?;
        let queues = tx.list_queues().await?;
        tx.commit().await?;
        Ok(queues)
    }
}
