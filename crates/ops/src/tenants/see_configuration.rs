//! Who may see how the server is set up.
//!
//! Paths, hosts and limits are the business of whoever runs the server. That is the first tenant, the one that the
//! first start made; the others are its customers, and what they could learn here is no use to them that it should
//! be worth the risk.

use domain::{Action, Caller};

use crate::{OpsError, Tenants};

impl Tenants {
    /// Administrators of the tenant that was made first.
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
