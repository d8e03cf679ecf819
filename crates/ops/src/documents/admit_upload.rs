//! Whether a caller may upload now. Checked before the first byte of the request body is read.
//!
//! An upload uses memory, a connection and staging space while it lasts, so the number of concurrent uploads per tenant
//! and process is limited.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Action, Caller, TenantId};

use crate::{OpsError, Uploads};

/// Proof that the caller may upload. Holds one of the tenant's upload slots until it is dropped.
#[derive(Debug)]
pub struct UploadPermit {
    caller: Caller,
    admitted_at: Duration,
    _slot: UploadSlot,
}

impl UploadPermit {
    pub fn caller(&self) -> &Caller {
        &self.caller
    }
}

impl Uploads {
    pub async fn admit_upload(&self, caller: &Caller) -> Result<UploadPermit, OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        let granted = self.limits.of(scope.tenant_id()).concurrent_uploads;
        let most = granted.unwrap_or(self.intake.settings().concurrent_uploads);
        let slot = self.upload_slots.take(scope.tenant_id(), most);
        let slot = slot.ok_or(OpsError::TooManyUploads { most })?;
        self.intake.check_queue_quota(&scope).await?;
        let admitted_at = self.store.clock().elapsed();
        Ok(UploadPermit { caller: caller.clone(), admitted_at, _slot: slot })
    }

    /// Whether the caller still has access, which may end during a long upload.
    pub async fn is_upload_still_permitted(&self, permit: &UploadPermit) -> bool {
        const VALID_FOR: Duration = Duration::from_secs(15);
        let age = self.store.clock().elapsed().saturating_sub(permit.admitted_at);
        age < VALID_FOR || self.access.continued_access(&permit.caller).is_valid().await
    }
}

/// The uploads in progress in this process, by tenant.
#[derive(Clone, Debug, Default)]
pub(crate) struct UploadSlots {
    taken: Arc<Mutex<HashMap<TenantId, u32>>>,
}

struct UploadSlot {
    slots: UploadSlots,
    tenant_id: TenantId,
}

impl UploadSlots {
    /// `None` if all of the tenant's slots are taken.
    fn take(&self, tenant_id: TenantId, most: u32) -> Option<UploadSlot> {
        let mut taken = self.taken();
        let of_tenant = taken.entry(tenant_id).or_insert(0);
        if *of_tenant >= most {
            return None;
        }
        *of_tenant += 1;
        Some(UploadSlot { slots: self.clone(), tenant_id })
    }

    /// Ignores poisoning: nothing panics under the lock.
    fn taken(&self) -> MutexGuard<'_, HashMap<TenantId, u32>> {
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for UploadSlot {
    fn drop(&mut self) {
        let mut taken = self.slots.taken();
        if let Some(of_tenant) = taken.get_mut(&self.tenant_id) {
            *of_tenant -= 1;
            if *of_tenant == 0 {
                taken.remove(&self.tenant_id);
            }
        }
    }
}

impl fmt::Debug for UploadSlot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UploadSlot").field("tenant_id", &self.tenant_id).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_counted_per_tenant_and_released() {
        let slots = UploadSlots::default();
        let tenant = |number| TenantId(uuid::Uuid::from_u128(number));
        let first = slots.take(tenant(1), 2).unwrap();
        let second = slots.take(tenant(1), 2).unwrap();
        assert!(slots.take(tenant(1), 2).is_none());
        assert!(slots.take(tenant(2), 2).is_some());
        drop(first);
        assert!(slots.take(tenant(1), 2).is_some());
        drop(second);
        assert!(slots.taken().is_empty(), "a tenant without uploads has no entry");
    }
}
