//! A tenant as its administrators see it: its rules, limits and usage.

use domain::{Action, Caller, StageName, Tenant, TenantRules};
use store::TenantUsage;

use crate::{OpsError, Tenants};

/// A tenant as its administrators see it.
#[derive(Clone, Debug)]
pub struct TenantOverview {
    pub tenant: Tenant,
    /// The stages that its pipelines can contain.
    pub stages: Vec<StageName>,
    pub rules: TenantRules,
    /// The tenant's own limit, or else the default. The same holds for the others.
    pub max_upload_bytes: u64,
    pub queue_quota: u32,
    /// `None`: the default.
    pub requests_per_second: Option<u32>,
    pub concurrent_uploads: u32,
    /// `None`: no limit.
    pub storage_quota: Option<u64>,
    pub usage: TenantUsage,
}

impl Tenants {
    /// The caller's tenant, for everyone who has access to it.
    pub async fn own_tenant(&self, caller: &Caller) -> Result<Tenant, OpsError> {
        let scope = caller.permit(Action::UseOwnSession)?;
        let mut tx = self.store.read(&scope).await?;
        let found = tx.find_tenant().await?;
        tx.commit().await?;
        Ok(found.tenant)
    }

    pub async fn tenant_overview(&self, caller: &Caller) -> Result<TenantOverview, OpsError> {
        let scope = caller.permit(Action::ManageTenant)?;
        let mut tx = self.store.read(&scope).await?;
        let found = tx.find_tenant().await?;
        let usage = tx.measure_usage().await?;
        tx.commit().await?;
        let defaults = self.intake.settings();
        Ok(TenantOverview {
            tenant: found.tenant,
            stages: defaults.stages.clone(),
            rules: found.rules,
            max_upload_bytes: found.limits.max_upload_bytes.unwrap_or(defaults.max_bytes),
            queue_quota: found.limits.queue_quota.unwrap_or(defaults.queue_quota),
            requests_per_second: found.limits.requests_per_second,
            concurrent_uploads: found
                .limits
                .concurrent_uploads
                .unwrap_or(defaults.concurrent_uploads),
            storage_quota: found.limits.storage_quota_bytes.or(defaults.storage_quota),
            usage,
        })
    }
}
