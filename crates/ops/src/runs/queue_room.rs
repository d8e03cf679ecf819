//! Whether a tenant's queue has room for another document, and what the tenant is granted.
//!
//! Counting what waits takes the longer the more there is, so the answer is good for a second; what
//! this process accepts meanwhile is counted on.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Clock, TenantId, TenantLimits};

#[derive(Debug, Default)]
pub(crate) struct QueueRoom {
    tenants: Mutex<HashMap<TenantId, Counted>>,
}

/// How many runs of a tenant wait, and what it is granted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Room {
    pub(crate) waiting: i64,
    pub(crate) limits: TenantLimits,
}

#[derive(Clone, Copy, Debug)]
struct Counted {
    at: Duration,
    room: Room,
}

impl QueueRoom {
    const GOOD_FOR: Duration = Duration::from_secs(1);

    /// What was counted just now.
    pub(crate) fn known(&self, tenant_id: TenantId, clock: &dyn Clock) -> Option<Room> {
        let counted = self.tenants().get(&tenant_id).copied()?;
        let age = clock.elapsed().saturating_sub(counted.at);
        (age < Self::GOOD_FOR).then_some(counted.room)
    }

    pub(crate) fn counted(&self, tenant_id: TenantId, room: Room, clock: &dyn Clock) {
        self.tenants().insert(tenant_id, Counted { at: clock.elapsed(), room });
    }

    pub(crate) fn one_more(&self, tenant_id: TenantId) {
        if let Some(counted) = self.tenants().get_mut(&tenant_id) {
            counted.room.waiting += 1;
        }
    }

    /// To be counted again: the tenant's limits changed.
    pub(crate) fn forget(&self, tenant_id: TenantId) {
        self.tenants().remove(&tenant_id);
    }

    /// Drops what is too old to be asked for again.
    pub(crate) fn forget_old(&self, clock: &dyn Clock) {
        let now = clock.elapsed();
        self.tenants().retain(|_, counted| now.saturating_sub(counted.at) < Self::GOOD_FOR);
    }

    /// Nothing that can panic happens under the lock.
    fn tenants(&self) -> MutexGuard<'_, HashMap<TenantId, Counted>> {
        self.tenants.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
