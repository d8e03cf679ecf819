//! Checking that nobody touched the audit log: for the operator over all tenants, for an auditor in their own.

use domain::{Action, Caller, ChainReport};

use crate::{Ops, OpsError};

impl Ops {
    pub async fn verify_audit(&self) -> Result<Vec<ChainReport>, OpsError> {
        let mut across = self.store.across_tenants().await?;
        across.hold_one_view().await?;
        let mut reports = Vec::new();
        for tenant in across.list_tenants().await? {
            reports.push(ChainReport {
                tenant_id: tenant.tenant_id,
                rows: across.count_audit_rows(tenant.tenant_id).await?,
                faults: across.find_chain_faults(tenant.tenant_id).await?,
                tenant_name: tenant.name,
            });
        }
        across.commit().await?;
        Ok(reports)
    }

    pub async fn verify_own_audit(&self, caller: &Caller) -> Result<ChainReport, OpsError> {
        let scope = caller.permit(Action::ReadAudit)?;
        let mut tx = self.store.read(&scope).await?;
        let tenant = tx.find_tenant().await?.tenant;
        tx.commit().await?;
        let mut across = self.store.across_tenants().await?;
        across.hold_one_view().await?;
        let report = ChainReport {
            tenant_id: tenant.tenant_id,
            rows: across.count_audit_rows(tenant.tenant_id).await?,
            faults: across.find_chain_faults(tenant.tenant_id).await?,
            tenant_name: tenant.name,
        };
        across.commit().await?;
        Ok(report)
    }
}
