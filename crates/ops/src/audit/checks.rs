//! How many checks of the audit log run at once for people who ask over HTTP.
//!
//! A check reads the tenant's whole log. A tenant has one under way at most and a process two; a check goes on
//! when its caller leaves, because the database would, and keeps its turn until it has ended.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{Action, Caller, ChainReport, TenantId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Audit, OpsError};

#[derive(Clone, Debug)]
pub(crate) struct AuditChecks {
    places: Arc<Semaphore>,
    tenants: Arc<Mutex<HashSet<TenantId>>>,
}

impl Default for AuditChecks {
    fn default() -> Self {
        Self { places: Arc::new(Semaphore::new(Self::AT_ONCE)), tenants: Arc::default() }
    }
}

impl AuditChecks {
    const AT_ONCE: usize = 2;

    /// Held while a check runs; `None` when there is no room for another.
    fn take_turn(&self, tenant_id: TenantId) -> Option<Turn> {
        let place = Arc::clone(&self.places).try_acquire_owned().ok()?;
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = tenants.insert(tenant_id);
        is_first.then(|| Turn { checks: self.clone(), tenant_id, _place: place })
    }
}

#[derive(Debug)]
struct Turn {
    checks: AuditChecks,
    tenant_id: TenantId,
    _place: OwnedSemaphorePermit,
}

impl Drop for Turn {
    fn drop(&mut self) {
        let mut tenants = self.checks.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        tenants.remove(&self.tenant_id);
    }
}

impl Audit {
    /// Checks the log of the caller's tenant, when there is room for a check.
    pub async fn check_own_audit(&self, caller: &Caller) -> Result<ChainReport, OpsError> {
        let tenant_id = caller.permit(Action::ReadAudit)?.tenant_id();
        let turn = self.checks.take_turn(tenant_id);
        let turn = turn.ok_or(OpsError::AuditCheckRunning)?;
        let (audit, caller) = (self.clone(), caller.clone());
        let check = self.background.spawn(async move {
            let report = audit.verify_own_audit(&caller).await;
            drop(turn);
            report
        });
        check.await.map_err(|error| OpsError::internal("checking the audit log", error))?
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tenant(number: u128) -> TenantId {
        TenantId(uuid::Uuid::from_u128(number))
    }

    #[test]
    fn a_tenant_has_one_check_under_way_and_a_process_two() {
        let checks = AuditChecks::default();
        let first = checks.take_turn(tenant(1)).unwrap();
        assert!(checks.take_turn(tenant(1)).is_none());
        let second = checks.take_turn(tenant(2)).unwrap();
        assert!(checks.take_turn(tenant(3)).is_none());
        drop(first);
        let third = checks.take_turn(tenant(3)).unwrap();
        drop((second, third));
        assert!(checks.take_turn(tenant(1)).is_some());
    }
}
