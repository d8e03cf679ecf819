//! A tenant's own rules, limits and usage.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, StageName, Tenant, TenantId, TenantLimits,
    TenantRules,
};
use serde_json::json;
use store::TenantUsage;

use crate::{Ops, OpsError};

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

impl Ops {
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

    /// Replaces the rules. They hold for what is handed in or run again from now on.
    pub async fn change_rules(&self, caller: &Caller, rules: TenantRules) -> Result<(), OpsError> {
        let scope = caller.permit(Action::ManageTenant)?;
        rules.check().map_err(|error| OpsError::invalid("masks", error))?;
        if !rules.pipeline.is_empty() {
            self.intake.pipeline_of(&rules.pipeline)?;
        }
        let mut tx = self.store.begin(&scope).await?;
        tx.set_rules(&rules).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::TenantRulesChanged,
            entity: Entity::Tenant(scope.tenant_id()),
            detail: json!(rules),
        })
        .await?;
        Ok(tx.commit().await?)
    }

    /// What this tenant is granted beyond or below what everybody gets.
    pub fn limits_of(&self, tenant_id: TenantId) -> TenantLimits {
        self.limits.of(tenant_id)
    }

    /// The operator's word. All servers keep to it within seconds.
    pub async fn change_limits(&self, name: &str, limits: TenantLimits) -> Result<(), OpsError> {
        let tenants = self.list_tenants().await?;
        let tenant = tenants.into_iter().find(|tenant| tenant.name == name);
        let tenant = tenant.ok_or(OpsError::NotFound("tenant"))?;
        let scope = Caller::system(tenant.tenant_id).permit(Action::ManageTenant)?;
        let mut tx = self.store.begin(&scope).await?;
        tx.set_limits(&limits).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::TenantLimitsChanged,
            entity: Entity::Tenant(tenant.tenant_id),
            detail: json!(limits),
        })
        .await?;
        tx.commit().await?;
        self.intake.queue.forget(tenant.tenant_id);
        Ok(())
    }
}
