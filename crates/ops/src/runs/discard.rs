//! Discarding dead jobs that need no attention.
//!
//! A discarded job stays in the database, and its document stays failed. Both can still be retried or rerun.

use domain::{Action, Caller, IdempotencyClaim, JobId, JobState};
use serde::{Deserialize, Serialize};
use store::{JobSummary, Tx};

use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::{OpsError, Runs};

/// The result of a request to discard dead jobs.
#[derive(Debug, Serialize, Deserialize)]
pub struct Discarded {
    pub discarded: u32,
    pub skipped: Vec<SkippedJob>,
}

/// A job that was not discarded.
#[derive(Debug, Serialize, Deserialize)]
pub struct SkippedJob {
    pub job_id: JobId,
    pub problem: String,
}

impl Runs {
    /// The most jobs that one request discards.
    pub const MAX_DISCARDED: usize = 1000;

    /// Discards these dead jobs. Skips jobs that are not dead or already need no attention.
    pub async fn discard_jobs(
        &self,
        caller: &Caller,
        jobs: &[JobId],
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<Discarded>, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        if jobs.is_empty() || jobs.len() > Self::MAX_DISCARDED {
            let problem = format!("Name 1 to {} jobs.", Self::MAX_DISCARDED);
            return Err(OpsError::invalid("job_ids", problem));
        }
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = recorded_outcome(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let discarded = discard(&mut tx, jobs).await;
        commit_outcome(tx, claim.as_ref(), discarded).await
    }
}

async fn discard(tx: &mut Tx, jobs: &[JobId]) -> Result<Discarded, OpsError> {
    let standings = tx.job_summaries(jobs).await?;
    let discarded = tx.discard_dead_jobs(jobs).await?;
    let skipped: Vec<SkippedJob> = jobs
        .iter()
        .filter(|job_id| !discarded.contains(job_id))
        .map(|&job_id| SkippedJob { job_id, problem: problem(standings.get(&job_id)) })
        .collect();
    Ok(Discarded { discarded: u32::try_from(discarded.len()).unwrap_or(u32::MAX), skipped })
}

fn problem(standing: Option<&JobSummary>) -> String {
    match standing {
        None => "This job does not exist, or you don't have access.".to_owned(),
        Some(JobSummary { closed_by: Some(closed_by), .. }) => {
            format!("This job needs no attention: {}.", closed_by.sentence())
        }
        Some(JobSummary { status: JobState::Dead, .. }) => {
            "The job was changed at the same time. Reload it and try again.".to_owned()
        }
        Some(JobSummary { status, .. }) => {
            format!("Only a dead job can be discarded. This one is {status}.")
        }
    }
}
