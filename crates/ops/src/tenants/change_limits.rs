//! Changing the limits of a tenant, for the operator.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity, TenantId, TenantLimits};
use serde_json::json;

use crate::{OpsError, Tenants};

impl Tenants {
    /// The limits of this tenant that differ from the defaults.
    pub fn limits_of(&self, tenant_id: TenantId) -> TenantLimits {
        self.limits.of(tenant_id)
    }

    /// All servers apply the new limits within seconds.
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
        self.intake.queue.invalidate(tenant.tenant_id);
        Ok(())
    }
}
