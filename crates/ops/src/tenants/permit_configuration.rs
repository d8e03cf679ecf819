//! Permission to view the server's configuration.
//!
//! Paths, hosts and limits concern the operator, whose tenant is the first one, which the first start created. The other
//! tenants are customers: they do not need the configuration, and it could help an attacker.

use domain::{Action, Caller};

use crate::{OpsError, Tenants};

impl Tenants {
    /// Permits administrators of the first tenant.
    pub async fn permit_configuration(&self, caller: &Caller) -> Result<(), OpsError> {
        let scope = caller.permit(Action::SeeConfiguration)?;
        let tenants = self.list_tenants().await?;
        let first = tenants.iter().min_by_key(|tenant| (tenant.created_at, tenant.tenant_id.0));
        if first.is_some_and(|first| first.tenant_id == scope.tenant_id()) {
            Ok(())
        } else {
            Err(OpsError::OperatorOnly)
        }
    }
}
