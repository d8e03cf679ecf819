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
    progress: Progress,
    /// What the world was told last.
    told: Option<(u32, u32)>,
}

/// Holds a lease until it is dropped.
#[derive(Debug)]
pub(crate) struct Holding {
    held: Held,
    pub(crate) lost: CancellationToken,
    pub(crate) progress: Progress,
    leases: HeldLeases,
}

impl HeldLeases {
    pub(crate) fn hold(&self, job: &ClaimedJob, length: Duration) -> Holding {
        let held = Held { job_id: job.job_id, token: job.token };
        let lost = CancellationToken::new();
        let progress = Progress::default();
        let lease = HeldLease {
            tenant_id: job.tenant_id,
            token: job.token,
            length,
            lost: lost.clone(),
            progress: progress.clone(),
            told: None,
        };
        if let Some(before) = self.lock().insert(job.job_id, lease) {
            // Taken back from us and claimed by us again: the first try is in vain.
            before.lost.cancel();
        }
        Holding { held, lost, progress, leases: self.clone() }
    }

    pub(crate) fn all(&self) -> Vec<(Held, Duration)> {
        let lease = |(job_id, lease): (&JobId, &HeldLease)| {
            (Held { job_id: *job_id, token: lease.token }, lease.length)
        };
        self.lock().iter().map(lease).collect()
    }

    pub(crate) fn has(&self, tenant_id: TenantId) -> bool {
        self.lock().values().any(|lease| lease.tenant_id == tenant_id)
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

    /// Tells whoever works on the job that it is somebody else's now.
    pub(crate) fn lose(&self, held: Held) {
        if let Some(lease) = self.lock().get(&held.job_id)
            && lease.token == held.token
        {
            lease.lost.cancel();
        }
    }

    /// Nothing here can be left half done by a panic.
    fn lock(&self) -> MutexGuard<'_, HashMap<JobId, HeldLease>> {
        self.leases.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Holding {
    fn drop(&mut self) {
        let mut leases = self.leases.lock();
        if leases.get(&self.held.job_id).is_some_and(|lease| lease.token == self.held.token) {
            leases.remove(&self.held.job_id);
        }
    }
}
