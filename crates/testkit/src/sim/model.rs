//! Who holds which lease, as far as one can tell from the store's answers.

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use domain::{JobId, LeaseToken, RunId, StageName};
use store::{ClaimedJob, Lease, LeaseRef, NextJob, Outcome};

/// A change of the clock by less than two seconds is no jump: by so much two processes may differ.
const LEASE_LASTS: Duration = Duration::from_secs(13);

/// What to say when a promise does not hold.
pub(crate) type Kept = Result<(), String>;

#[derive(Debug, Default)]
pub(crate) struct Model {
    leases: HashMap<JobId, ModelLease>,
    committed: HashSet<(RunId, StageName)>,
    excused_before: Duration,
}

#[derive(Debug)]
struct ModelLease {
    token: LeaseToken,
    /// When it was last prolonged, by the time that really passes.
    renewed: Duration,
    run_id: RunId,
}

impl Model {
    pub(crate) fn claimed(&mut self, job: &ClaimedJob, passed: Duration) -> Kept {
        let lease = ModelLease { token: job.token, renewed: passed, run_id: job.run_id };
        match self.leases.insert(job.job_id, lease) {
            None => Ok(()),
            Some(_) => Err(format!("the job {} was claimed while it was leased", job.job_id)),
        }
    }

    pub(crate) fn prolonged(&mut self, held: LeaseRef, passed: Duration, is_lost: bool) -> Kept {
        match (self.leases.get_mut(&held.job_id), is_lost) {
            (Some(lease), false) if lease.token == held.token => {
                lease.renewed = passed;
                Ok(())
            }
            (Some(lease), true) if lease.token == held.token => {
                Err(format!("a good lease of the job {} was called lost", held.job_id))
            }
            (_, false) => Err(format!("a zombie prolonged the lease of the job {}", held.job_id)),
            (_, true) => Ok(()),
        }
    }

    pub(crate) fn settled(
        &mut self,
        job: &ClaimedJob,
        outcome: &Outcome,
        counted: bool,
        passed: Duration,
    ) -> Kept {
        let is_good = self.leases.get(&job.job_id).is_some_and(|lease| lease.token == job.token);
        match (is_good, counted) {
            (true, false) => {
                return Err(format!("a good report on the job {} did not count", job.job_id));
            }
            (false, true) => {
                return Err(format!("a zombie's report on the job {} counted", job.job_id));
            }
            (false, false) => return Ok(()),
            (true, true) => self.leases.remove(&job.job_id),
        };
        let Outcome::Succeeded { next, .. } = outcome else { return Ok(()) };
        if !self.committed.insert((job.run_id, job.stage.clone())) {
            return Err(format!("the stage {} of {} was committed twice", job.stage, job.run_id));
        }
        if let Some(NextJob { job_id, lease: Some(Lease { token, .. }), .. }) = next {
            let lease = ModelLease { token: *token, renewed: passed, run_id: job.run_id };
            self.leases.insert(*job_id, lease);
        }
        Ok(())
    }

    /// A lease lasts its whole length, whatever the clocks say.
    pub(crate) fn taken_back(&mut self, job_id: JobId, passed: Duration) -> Kept {
        match self.leases.remove(&job_id) {
            Some(lease) if lease.renewed + LEASE_LASTS <= passed => Ok(()),
            Some(lease) if lease.renewed < self.excused_before => Ok(()),
            Some(lease) => {
                let age = passed.saturating_sub(lease.renewed);
                Err(format!("a fresh lease of the job {job_id} was taken back after {age:?}"))
            }
            None => Err(format!("the job {job_id} was reclaimed, but no worker held it")),
        }
    }

    /// Good leases may be taken back that were given before then.
    pub(crate) fn excuse_leases_before(&mut self, passed: Duration) {
        self.excused_before = passed;
    }

    pub(crate) fn cancelled(&mut self, run_id: RunId) {
        self.leases.retain(|_, lease| lease.run_id != run_id);
    }
}
