//! Checks of the audit log on request over HTTP.
//!
//! A check reads the tenant's whole log, so few run at the same time. A check continues when its client disconnects,
//! because the database query would, and holds its slot until it ends.

use domain::{Action, Caller, ChainReport};

use crate::{Audit, OpsError};

impl Audit {
    /// How many checks run at once in this process.
    pub(crate) const CONCURRENT_CHECKS: usize = 2;

    /// Checks the log of the caller's tenant, unless too many checks are running.
    pub async fn check_own_audit(&self, caller: &Caller) -> Result<ChainReport, OpsError> {
        let tenant_id = caller.permit(Action::ReadAudit)?.tenant_id();
        let slot = self.checks.try_take(tenant_id).ok_or(OpsError::AuditCheckRunning)?;
        let (audit, caller) = (self.clone(), caller.clone());
        let check = self.background.spawn(async move {
            let report = audit.verify_own_audit(&caller).await;
            drop(slot);
            report
        });
        check.await.map_err(|error| OpsError::internal("checking the audit log", error))?
    }
}
