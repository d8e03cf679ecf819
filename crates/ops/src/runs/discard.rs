//! Discarding failures: dead jobs that nobody means to repair.
//!
//! A discarded failure stays on record, and its document stays failed. It can still be retried or rerun.

use domain::{Action, Caller, IdempotencyClaim, JobId, JobState};
use serde::{Deserialize, Serialize};
use store::{JobSummary, Tx};

use crate::once::{Done, outcome_of, settle};
use crate::{OpsError, Runs};

/// What came of a request to discard failures.
#[derive(Debug, Serialize, Deserialize)]
pub struct Discarded {
    pub discarded: u32,
    pub skipped: Vec<SkippedJob>,
}

/// A job that was left as it is.
#[derive(Debug, Serialize, Deserialize)]
pub struct SkippedJob {
    pub job_id: JobId,
    pub problem: String,
}

impl Runs {
    /// How many failures one request discards.
    pub const DISCARD_AT_ONCE: usize = 1000;

    /// Discards the failures of these jobs. Jobs that are not dead or need no attention are left as they are.
    pub async fn discard_jobs(
        &self,
        caller: &Caller,
        jobs: &[JobId],
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Discarded>, OpsError> {
        let scope = caller.permit(Action::RetryDeadJobs)?;
        if jobs.is_empty() || jobs.len() > Self::DISCARD_AT_ONCE {
            let problem = format!("name 1 to {} jobs", Self::DISCARD_AT_ONCE);
            return Err(OpsError::invalid("job_ids", problem));
        }
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let discarded = discard(&mut tx, jobs).await;
        settle(tx, claim.as_ref(), discarded).await
    }
}

async fn discard(tx: &mut Tx, jobs: &[JobId]) -> Result<Discarded, OpsError> {
    let standings = tx.job_summaries(jobs).await?;
    let discarded = tx.discard_dead_jobs(jobs).await?;
    let left: Vec<SkippedJob> = jobs
        .iter()
        .filter(|job_id| !discarded.contains(job_id))
        .map(|&job_id| SkippedJob { job_id, problem: problem(standings.get(&job_id)) })
        .collect();
    Ok(Discarded { discarded: u32::try_from(discarded.len()).unwrap_or(u32::MAX), skipped: left })
}

fn problem(standing: Option<&JobSummary>) -> String {
    match standing {
        None => "there is no such job".to_owned(),
        Some(JobSummary { closed_by: Some(closed_by), .. }) => {
            format!("nothing to discard: {}", closed_by.sentence())
        }
        Some(JobSummary { status: JobState::Dead, .. }) => {
            "the job was changed at the same moment; look at it again".to_owned()
        }
        Some(JobSummary { status, .. }) => {
            format!("only a dead job can be discarded; this one is {status}")
        }
    }
}
