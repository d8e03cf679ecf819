//! Changing the rules of a tenant: its masks and its pipeline.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity, TenantRules};
use serde_json::json;

use crate::{OpsError, Tenants};

impl Tenants {
    /// Replaces the rules. They apply to uploads and reruns from now on.
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
}
