//! The leases a worker holds, as its tasks and its heartbeat see them.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{JobId, LeaseToken, TenantId};
use store::{ClaimedJob, Held, Told};
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
    /// The job's outcome is on its way to the database, which ends the lease.
    is_settling: bool,
    progress: Progress,
    /// What the world was told last.
    told: Option<(u32, u32)>,
}

/// Holds a lease until it is dropped.
#[derive(Debug)]
pub(crate) struct LeaseGuard {
    held: Held,
    pub(crate) lost: CancellationToken,
    pub(crate) progress: Progress,
    leases: HeldLeases,
}

impl HeldLeases {
    pub(crate) fn hold(&self, job: &ClaimedJob, length: Duration) -> LeaseGuard {
        let held = Held { job_id: job.job_id, token: job.token };
        let lost = CancellationToken::new();
        let progress = Progress::default();
        let lease = HeldLease {
            tenant_id: job.tenant_id,
            token: job.token,
            length,
            lost: lost.clone(),
            is_settling: false,
            progress: progress.clone(),
            told: None,
        };
        if let Some(before) = self.lock().insert(job.job_id, lease) {
            // Taken back from us and claimed by us again: the first try is in vain.
            before.lost.cancel();
        }
        LeaseGuard { held, lost, progress, leases: self.clone() }
    }

    pub(crate) fn all(&self) -> Vec<(Held, Duration)> {
        let lease = |(job_id, lease): (&JobId, &HeldLease)| {
            (Held { job_id: *job_id, token: lease.token }, lease.length)
        };
        self.lock().iter().map(lease).collect()
    }

    /// Whose they are.
    pub(crate) fn tenants(&self) -> Vec<TenantId> {
        let tenants: HashSet<TenantId> =
            self.lock().values().map(|lease| lease.tenant_id).collect();
        tenants.into_iter().collect()
    }

    /// What was told by stages since the last call.
    pub(crate) fn news(&self) -> Vec<Told> {
        let mut leases = self.lock();
        let news = leases.iter_mut().filter_map(|(job_id, lease)| {
            let now = lease.progress.told();
            if now == lease.told {
                return None;
            }
            lease.told = now;
            let held = Held { job_id: *job_id, token: lease.token };
            now.map(|(done, total)| Told { held, done, total })
        });
        news.collect()
    }

    /// Tells whoever works on the job that it is somebody else's now. `false` when nobody does: its outcome was settled
    /// while the heartbeat asked.
    pub(crate) fn lose(&self, held: Held) -> bool {
        match self.lock().get(&held.job_id) {
            Some(lease) if lease.token == held.token && !lease.is_settling => {
                lease.lost.cancel();
                true
            }
            _ => false,
        }
    }

    /// Nothing here can be left half done by a panic.
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, HeldLease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl LeaseGuard {
    /// From now on the lease may end because of us. It is still prolonged: the database may be away for a while.
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
    fn a_lease_that_ended_with_its_outcome_is_not_lost() {
        let held = Held { job_id: JobId(uuid(1)), token: LeaseToken(uuid(2)) };
        let leases = HeldLeases::default();
        let lost = CancellationToken::new();
        let lease = HeldLease {
            tenant_id: TenantId(uuid(3)),
            token: held.token,
            length: Duration::from_secs(15),
            lost: lost.clone(),
            is_settling: false,
            progress: Progress::default(),
            told: None,
        };
        leases.lock().insert(held.job_id, lease);
        let guard =
            LeaseGuard { held, lost, progress: Progress::default(), leases: leases.clone() };
        guard.begin_settling();
        assert!(!leases.lose(held));
        assert!(!guard.lost.is_cancelled());
        assert_eq!(leases.all().len(), 1, "it is prolonged until the outcome is there");
        drop(guard);
        assert!(!leases.lose(held), "nobody holds it any more");
    }

    fn uuid(number: u128) -> uuid::Uuid {
        uuid::Uuid::from_u128(number)
    }
}
