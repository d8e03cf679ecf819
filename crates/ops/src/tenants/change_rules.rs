//! Changing the rules of a tenant: its masks and its pipeline, and the error rates that it accepts.

use domain::{
    AcceptanceRules, Action, AuditAction, AuditEntry, Caller, Entity, Scope, TenantRules,
};
use serde_json::json;

use crate::{OpsError, Tenants};

impl Tenants {
    /// Replaces masks and pipeline. They apply to uploads and reruns from now on.
    pub async fn change_rules(&self, caller: &Caller, rules: TenantRules) -> Result<(), OpsError> {
        let scope = caller.permit(Action::ManageTenant)?;
        rules.check().map_err(|error| OpsError::invalid("masks", error))?;
        if !rules.pipeline.is_empty() {
            self.intake.pipeline_of(&rules.pipeline)?;
        }
        self.replace_rules(&scope, |current| TenantRules {
            acceptance: current.acceptance,
            ..rules
        })
        .await
    }

    /// Replaces the accepted error rates. They apply to documents that are processed from now on.
    pub async fn change_acceptance(
        &self,
        caller: &Caller,
        acceptance: AcceptanceRules,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::ManageTenant)?;
        acceptance.check().map_err(|error| OpsError::invalid("acceptance", error))?;
        self.replace_rules(&scope, |current| TenantRules { acceptance, ..current }).await
    }

    async fn replace_rules(
        &self,
        scope: &Scope,
        change: impl FnOnce(TenantRules) -> TenantRules,
    ) -> Result<(), OpsError> {
        let mut tx = self.store.begin(scope).await?;
        let rules = change(tx.lock_rules().await?);
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
