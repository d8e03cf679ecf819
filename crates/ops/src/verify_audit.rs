//! Checking that nobody touched the audit log: the operator's use case, over all tenants.

use domain::ChainReport;

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
}
