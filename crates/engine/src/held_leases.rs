//! The leases a worker holds, as its tasks and its heartbeat see them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{JobId, LeaseToken, TenantId};
use store::{ClaimedJob, LeaseRef, ProgressReport};
use tokio_util::sync::CancellationToken;

use crate::stage::Progress;

#[derive(Clone, Debug, Default)]
pub(crate) struct HeldLeases {
    leases: Arc<Mutex<HashMap<JobId, HeldLease>>>,
}

#[derive(Clone, Debug)]
struct HeldLease {
    tenant_id: TenantId,
    token: LeaseToken,
    length: Duration,
    lost: CancellationToken,
    /// The job's outcome is being written, which ends the lease.
    is_settling: bool,
    progress: Progress,
    /// The progress that was reported last.
    reported: Option<(u32, u32)>,
}

/// Holds a lease until it is dropped.
#[derive(Debug)]
pub(crate) struct LeaseGuard {
    held: LeaseRef,
    pub(crate) lost: CancellationToken,
    pub(crate) progress: Progress,
    leases: HeldLeases,
}

impl HeldLeases {
    pub(crate) fn hold(&self, job: &ClaimedJob, length: Duration) -> LeaseGuard {
        let held = LeaseRef { job_id: job.job_id, token: job.token };
        let lost = CancellationToken::new();
        let progress = Progress::default();
        let lease = HeldLease {
            tenant_id: job.tenant_id,
            token: job.token,
            length,
            lost: lost.clone(),
            is_settling: false,
            progress: progress.clone(),
            reported: None,
        };
        if let Some(before) = self.lock().insert(job.job_id, lease) {
            // The lease expired and this worker claimed the job again: the result of the first try is not accepted.
            before.lost.cancel();
        }
        LeaseGuard { held, lost, progress, leases: self.clone() }
    }

    pub(crate) fn all(&self) -> Vec<(LeaseRef, Duration)> {
        let lease = |(job_id, lease): (&JobId, &HeldLease)| {
            (LeaseRef { job_id: *job_id, token: lease.token }, lease.length)
        };
        self.lock().iter().map(lease).collect()
    }

    /// The tenants of the held leases.
    pub(crate) fn tenants(&self) -> Vec<TenantId> {
        let tenants: HashSet<TenantId> =
            self.lock().values().map(|lease| lease.tenant_id).collect();
        tenants.into_iter().collect()
    }

    /// The progress that has changed since the last call.
    pub(crate) fn changed_progress(&self) -> Vec<ProgressReport> {
        let mut leases = self.lock();
        let changed = leases.iter_mut().filter_map(|(job_id, lease)| {
            let latest = lease.progress.latest();
            if latest == lease.reported {
                return None;
            }
            lease.reported = latest;
            let lease = LeaseRef { job_id: *job_id, token: lease.token };
            latest.map(|(done, total)| ProgressReport { lease, done, total })
        });
        changed.collect()
    }

    /// Tells the task that runs the job that its lease is lost. `false` when no task runs it: the outcome was settled
    /// during the heartbeat.
    pub(crate) fn lose(&self, held: LeaseRef) -> bool {
        match self.lock().get(&held.job_id) {
            Some(lease) if lease.token == held.token && !lease.is_settling => {
                lease.lost.cancel();
                true
            }
            _ => false,
        }
    }

    /// A panic cannot leave the map in an inconsistent state.
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, HeldLease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeaseGuard {
    /// From now on a missing lease means that the outcome was settled. The heartbeat still renews it, because the
    /// database may be unavailable for a while.
    pub(crate) fn begin_settling(&self) {
        if let Some(lease) = self.leases.lock().get_mut(&self.held.job_id)
            && lease.token == self.held.token
        {
            lease.is_settling = true;
        }
    }
}

impl Drop for LeaseGuard {
    fn drop(&mut self) {
        let mut leases = self.leases.lock();
        if leases.get(&self.held.job_id).is_some_and(|lease| lease.token == self.held.token) {
            leases.remove(&self.held.job_id);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_that_ends_with_its_outcome_is_not_lost() {
        let held = LeaseRef { job_id: JobId(uuid(1)), token: LeaseToken(uuid(2)) };
        let leases = HeldLeases::default();
        let lost = CancellationToken::new();
        let lease = HeldLease {
            tenant_id: TenantId(uuid(3)),
            token: held.token,
            length: Duration::from_secs(15),
            lost: lost.clone(),
            is_settling: false,
            progress: Progress::default(),
            reported: None,
        };
        leases.lock().insert(held.job_id, lease);
        let guard =
            LeaseGuard { held, lost, progress: Progress::default(), leases: leases.clone() };
        guard.begin_settling();
        assert!(!leases.lose(held));
        assert!(!guard.lost.is_cancelled());
        assert_eq!(leases.all().len(), 1, "it is renewed until the outcome is written");
        drop(guard);
        assert!(!leases.lose(held), "the guard was dropped");
    }

    fn uuid(number: u128) -> uuid::Uuid {
        uuid::Uuid::from_u128(number)
    }
}
