//! Limits expensive requests: at most one of a kind runs per tenant, and a few per process.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use domain::TenantId;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Cheap to clone.
#[derive(Clone, Debug)]
pub(crate) struct TenantSlots {
    slots: Arc<Semaphore>,
    tenants: Arc<Mutex<HashSet<TenantId>>>,
}

impl TenantSlots {
    /// `most` run in this process at once.
    pub(crate) fn new(most: usize) -> Self {
        Self { slots: Arc::new(Semaphore::new(most)), tenants: Arc::default() }
    }

    /// A slot to hold while the request runs; `None` at the limit.
    pub(crate) fn try_take(&self, tenant_id: TenantId) -> Option<TenantSlot> {
        let permit = Arc::clone(&self.slots).try_acquire_owned().ok()?;
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = tenants.insert(tenant_id);
        is_first.then(|| TenantSlot { slots: self.clone(), tenant_id, _permit: permit })
    }
}

#[derive(Debug)]
pub(crate) struct TenantSlot {
    slots: TenantSlots,
    tenant_id: TenantId,
    _permit: OwnedSemaphorePermit,
}

impl Drop for TenantSlot {
    fn drop(&mut self) {
        let mut tenants = self.slots.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        tenants.remove(&self.tenant_id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(number: u128) -> TenantId {
        TenantId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn one_request_runs_per_tenant_and_two_per_process() {
        let slots = TenantSlots::new(2);
        let first = slots.try_take(tenant(1)).unwrap();
        assert!(slots.try_take(tenant(1)).is_none());
        let second = slots.try_take(tenant(2)).unwrap();
        assert!(slots.try_take(tenant(3)).is_none());
        drop(first);
        let third = slots.try_take(tenant(3)).unwrap();
        drop((second, third));
        assert!(slots.try_take(tenant(1)).is_some());
    }
}
