//! The storage quota of tenants.
//!
//! A tenant's usage is the total size of the originals of its documents that are not deleted; content that several users
//! uploaded counts once. Computing it takes time proportional to the number of documents, so it is cached for ten
//! seconds. Uploads that this process accepts meanwhile are added; those of other processes are not, so several processes
//! together can exceed the quota by what they accept within that time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blob::Staged;
use domain::{Clock, Scope, TenantId, upload_uri};

use crate::OpsError;
use crate::documents::intake::Intake;

#[derive(Clone, Debug, Default)]
pub(crate) struct StorageUsageCache {
    tenants: Arc<Mutex<HashMap<TenantId, StorageUsage>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct StorageUsage {
    /// When `bytes` was computed; `None` if it must be computed again.
    computed_at: Option<Duration>,
    bytes: u64,
    /// For uploads in progress.
    reserved: u64,
}

/// Space reserved for one upload; released on drop.
#[derive(Debug)]
pub(crate) struct Reservation {
    cache: StorageUsageCache,
    tenant_id: TenantId,
    bytes: u64,
}

impl Intake {
    /// Reserves space for an original, unless the tenant already stores it.
    pub(crate) async fn reserve_storage(
        &self,
        scope: &Scope,
        staged: &Staged,
    ) -> Result<Option<Reservation>, OpsError> {
        let granted = self.queue_usage(scope).await?.limits.storage_quota_bytes;
        let Some(quota) = granted.or(self.settings().storage_quota) else { return Ok(None) };
        let tenant_id = scope.tenant_id();
        if !self.storage.is_fresh(tenant_id, self.clock.as_ref()) {
            let mut tx = self.store.read(scope).await?;
            let bytes = tx.sum_stored_bytes().await?;
            tx.commit().await?;
            self.storage.record(tenant_id, bytes, self.clock.as_ref());
        }
        if let Some(reservation) = self.storage.reserve(tenant_id, staged.size, quota) {
            return Ok(Some(reservation));
        }
        let mut tx = self.store.read(scope).await?;
        let is_stored = tx.stores(&upload_uri(staged.sha256)).await?;
        tx.commit().await?;
        if is_stored { Ok(None) } else { Err(OpsError::StorageQuotaExceeded { quota }) }
    }
}

impl StorageUsageCache {
    const MAX_AGE: Duration = Duration::from_secs(10);

    fn is_fresh(&self, tenant_id: TenantId, clock: &dyn Clock) -> bool {
        let computed_at = self.tenants().get(&tenant_id).and_then(|usage| usage.computed_at);
        computed_at.is_some_and(|at| clock.elapsed().saturating_sub(at) < Self::MAX_AGE)
    }

    fn record(&self, tenant_id: TenantId, bytes: u64, clock: &dyn Clock) {
        let mut tenants = self.tenants();
        let usage = tenants.entry(tenant_id).or_default();
        (usage.computed_at, usage.bytes) = (Some(clock.elapsed()), bytes);
    }

    fn reserve(&self, tenant_id: TenantId, bytes: u64, quota: u64) -> Option<Reservation> {
        let mut tenants = self.tenants();
        let usage = tenants.entry(tenant_id).or_default();
        if usage.bytes.saturating_add(usage.reserved).saturating_add(bytes) > quota {
            return None;
        }
        usage.reserved += bytes;
        Some(Reservation { cache: self.clone(), tenant_id, bytes })
    }

    /// Call after a deletion.
    pub(crate) fn invalidate(&self, tenant_id: TenantId) {
        if let Some(usage) = self.tenants().get_mut(&tenant_id) {
            usage.computed_at = None;
        }
    }

    /// Ignores poisoning: nothing panics under the lock.
    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, StorageUsage>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// The original is stored: adds the reserved space to the usage.
    pub(crate) fn confirm(self) {
        if let Some(usage) = self.cache.tenants().get_mut(&self.tenant_id) {
            usage.bytes = usage.bytes.saturating_add(self.bytes);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(usage) = self.cache.tenants().get_mut(&self.tenant_id) {
            usage.reserved = usage.reserved.saturating_sub(self.bytes);
        }
    }
}
