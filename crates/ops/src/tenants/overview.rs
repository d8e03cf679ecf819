//! A tenant as its administrators see it: its rules, limits and usage.

use domain::{Action, Caller, StageName, Tenant, TenantRules};
use store::TenantUsage;

use crate::{OpsError, Tenants};

/// A tenant as its administrators see it.
#[derive(Clone, Debug)]
pub struct TenantOverview {
    pub tenant: Tenant,
    /// What its pipelines can be made of.
    pub stages: Vec<StageName>,
    pub rules: TenantRules,
    /// What was granted, else what everybody gets.
    pub max_upload_bytes: u64,
    pub queue_quota: u32,
    /// None where it is what everybody gets.
    pub requests_per_second: Option<u32>,
    pub concurrent_uploads: u32,
    /// None where there is no limit.
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

    pub async fn look_at_tenant(&self, caller: &Caller) -> Result<TenantOverview, OpsError> {
        let scope = caller.permit(Action::ManageTenant)?;
        let mut tx = self.store.read(&scope).await?;
        let found = tx.find_tenant().await?;
        let usage = tx.measure_usage().await?;
        tx.commit().await?;
        let everybody = self.intake.settings();
        Ok(TenantOverview {
            tenant: found.tenant,
            stages: everybody.stages.clone(),
            rules: found.rules,
            max_upload_bytes: found.limits.max_upload_bytes.unwrap_or(everybody.max_bytes),
            queue_quota: found.limits.queue_quota.unwrap_or(everybody.queue_quota),
            requests_per_second: found.limits.requests_per_second,
            concurrent_uploads: found
                .limits
                .concurrent_uploads
                .unwrap_or(everybody.concurrent_uploads),
            storage_quota: found.limits.storage_quota_bytes.or(everybody.storage_quota),
            usage,
        })
    }
}
