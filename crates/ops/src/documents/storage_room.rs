//! Whether a tenant may store another original.
//!
//! What a tenant stores is the sum of the originals of its documents that are not deleted; content that several people
//! handed in counts once. Summing up takes the longer the more there is, so a sum is good for ten seconds. What this
//! process accepts meanwhile is added to it; what others accept is not, so several processes together can go beyond the
//! quota by what they accept in that time.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use blob::Staged;
use domain::{Clock, Scope, TenantId, upload_uri};

use crate::OpsError;
use crate::documents::intake::Intake;

#[derive(Clone, Debug, Default)]
pub(crate) struct StorageRoom {
    tenants: Arc<Mutex<HashMap<TenantId, Stored>>>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Stored {
    /// When `bytes` was summed up; `None` when that must be done anew.
    at: Option<Duration>,
    bytes: u64,
    /// For uploads that have not ended yet.
    reserved: u64,
}

/// Space set aside for one upload; free again when it is dropped.
#[derive(Debug)]
pub(crate) struct Reservation {
    room: StorageRoom,
    tenant_id: TenantId,
    bytes: u64,
}

impl Intake {
    /// Sets space aside for an original, unless the tenant stores it already.
    pub(crate) async fn reserve_storage(
        &self,
        scope: &Scope,
        staged: &Staged,
    ) -> Result<Option<Reservation>, OpsError> {
        let granted = self.room_of(scope).await?.limits.storage_quota_bytes;
        let Some(quota) = granted.or(self.settings().storage_quota) else { return Ok(None) };
        let tenant_id = scope.tenant_id();
        if !self.storage.knows(tenant_id, self.clock.as_ref()) {
            let mut tx = self.store.read(scope).await?;
            let bytes = tx.sum_stored_bytes().await?;
            tx.commit().await?;
            self.storage.summed_up(tenant_id, bytes, self.clock.as_ref());
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

impl StorageRoom {
    const GOOD_FOR: Duration = Duration::from_secs(10);

    fn knows(&self, tenant_id: TenantId, clock: &dyn Clock) -> bool {
        let known = self.tenants().get(&tenant_id).and_then(|stored| stored.at);
        known.is_some_and(|at| clock.elapsed().saturating_sub(at) < Self::GOOD_FOR)
    }

    fn summed_up(&self, tenant_id: TenantId, bytes: u64, clock: &dyn Clock) {
        let mut tenants = self.tenants();
        let stored = tenants.entry(tenant_id).or_default();
        (stored.at, stored.bytes) = (Some(clock.elapsed()), bytes);
    }

    fn reserve(&self, tenant_id: TenantId, bytes: u64, quota: u64) -> Option<Reservation> {
        let mut tenants = self.tenants();
        let stored = tenants.entry(tenant_id).or_default();
        if stored.bytes.saturating_add(stored.reserved).saturating_add(bytes) > quota {
            return None;
        }
        stored.reserved += bytes;
        Some(Reservation { room: self.clone(), tenant_id, bytes })
    }

    /// To be summed up anew: something was deleted.
    pub(crate) fn forget(&self, tenant_id: TenantId) {
        if let Some(stored) = self.tenants().get_mut(&tenant_id) {
            stored.at = None;
        }
    }

    /// Nothing that can panic happens under the lock.
    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, Stored>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Reservation {
    /// The original is stored, and is from now on part of the sum.
    pub(crate) fn keep(self) {
        if let Some(stored) = self.room.tenants().get_mut(&self.tenant_id) {
            stored.bytes = stored.bytes.saturating_add(self.bytes);
        }
    }
}

impl Drop for Reservation {
    fn drop(&mut self) {
        if let Some(stored) = self.room.tenants().get_mut(&self.tenant_id) {
            stored.reserved = stored.reserved.saturating_sub(self.bytes);
        }
    }
}
