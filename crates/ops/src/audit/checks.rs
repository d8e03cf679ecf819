//! Limits the checks of the audit log that run at the same time on request over HTTP.
//!
//! A check reads the tenant's whole log. At most one runs per tenant and two per process. A check continues when its
//! client disconnects, because the database query would, and holds its permit until it ends.

use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};

use domain::{Action, Caller, ChainReport, TenantId};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::{Audit, OpsError};

#[derive(Clone, Debug)]
pub(crate) struct AuditChecks {
    slots: Arc<Semaphore>,
    tenants: Arc<Mutex<HashSet<TenantId>>>,
}

impl Default for AuditChecks {
    fn default() -> Self {
        Self { slots: Arc::new(Semaphore::new(Self::MAX_RUNNING)), tenants: Arc::default() }
    }
}

impl AuditChecks {
    const MAX_RUNNING: usize = 2;

    /// A permit to hold while the check runs; `None` at the limit.
    fn try_start(&self, tenant_id: TenantId) -> Option<CheckPermit> {
        let slot = Arc::clone(&self.slots).try_acquire_owned().ok()?;
        let mut tenants = self.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        let is_first = tenants.insert(tenant_id);
        is_first.then(|| CheckPermit { checks: self.clone(), tenant_id, _slot: slot })
    }
}

#[derive(Debug)]
struct CheckPermit {
    checks: AuditChecks,
    tenant_id: TenantId,
    _slot: OwnedSemaphorePermit,
}

impl Drop for CheckPermit {
    fn drop(&mut self) {
        let mut tenants = self.checks.tenants.lock().unwrap_or_else(PoisonError::into_inner);
        tenants.remove(&self.tenant_id);
    }
}

impl Audit {
    /// Checks the log of the caller's tenant, unless too many checks are running.
    pub async fn check_own_audit(&self, caller: &Caller) -> Result<ChainReport, OpsError> {
        let tenant_id = caller.permit(Action::ReadAudit)?.tenant_id();
        let permit = self.checks.try_start(tenant_id);
        let permit = permit.ok_or(OpsError::AuditCheckRunning)?;
        let (audit, caller) = (self.clone(), caller.clone());
        let check = self.background.spawn(async move {
            let report = audit.verify_own_audit(&caller).await;
            drop(permit);
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
    fn one_check_runs_per_tenant_and_two_per_process() {
        let checks = AuditChecks::default();
        let first = checks.try_start(tenant(1)).unwrap();
        assert!(checks.try_start(tenant(1)).is_none());
        let second = checks.try_start(tenant(2)).unwrap();
        assert!(checks.try_start(tenant(3)).is_none());
        drop(first);
        let third = checks.try_start(tenant(3)).unwrap();
        drop((second, third));
        assert!(checks.try_start(tenant(1)).is_some());
    }
}
