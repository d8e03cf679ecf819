//! Cache of the waiting runs and the limits of tenants, for the queue quota.
//!
//! Counting takes time proportional to the number of waiting runs, so the count is cached for a second; runs that this
//! process queues meanwhile are added.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Clock, TenantId, TenantLimits};

#[derive(Debug, Default)]
pub(crate) struct QueueUsageCache {
    tenants: Mutex<HashMap<TenantId, CachedUsage>>,
}

/// The waiting runs of a tenant, and its limits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct QueueUsage {
    pub(crate) waiting: i64,
    pub(crate) limits: TenantLimits,
}

#[derive(Clone, Copy, Debug)]
struct CachedUsage {
    counted_at: Duration,
    usage: QueueUsage,
}

impl QueueUsageCache {
    const MAX_AGE: Duration = Duration::from_secs(1);

    pub(crate) fn get(&self, tenant_id: TenantId, clock: &dyn Clock) -> Option<QueueUsage> {
        let cached = self.tenants().get(&tenant_id).copied()?;
        let age = clock.elapsed().saturating_sub(cached.counted_at);
        (age < Self::MAX_AGE).then_some(cached.usage)
    }

    pub(crate) fn insert(&self, tenant_id: TenantId, usage: QueueUsage, clock: &dyn Clock) {
        self.tenants().insert(tenant_id, CachedUsage { counted_at: clock.elapsed(), usage });
    }

    pub(crate) fn increment(&self, tenant_id: TenantId) {
        if let Some(cached) = self.tenants().get_mut(&tenant_id) {
            cached.usage.waiting += 1;
        }
    }

    /// Call after the tenant's limits were changed.
    pub(crate) fn invalidate(&self, tenant_id: TenantId) {
        self.tenants().remove(&tenant_id);
    }

    pub(crate) fn evict_stale(&self, clock: &dyn Clock) {
        let now = clock.elapsed();
        self.tenants().retain(|_, cached| now.saturating_sub(cached.counted_at) < Self::MAX_AGE);
    }

    /// Ignores poisoning: nothing panics under the lock.
    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, CachedUsage>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
