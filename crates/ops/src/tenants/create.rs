//! Creating a tenant with its first administrator, for the operator.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, Name, Role, Secret, Tenant, TenantId, User,
};
use serde_json::json;

use crate::access::create_user::{RequestedUser, add_user};
use crate::{OpsError, Tenants};

/// A request for a tenant.
#[derive(Debug)]
pub struct RequestedTenant {
    pub name: String,
    pub admin_email: String,
    pub admin_password: Secret,
}

impl Tenants {
    pub async fn create_tenant(
        &self,
        requested: RequestedTenant,
    ) -> Result<(Tenant, User), OpsError> {
        let name: Name =
            requested.name.parse().map_err(|error| OpsError::invalid("name", error))?;
        let admin = self
            .access
            .prepare_user(&RequestedUser {
                email: requested.admin_email,
                password: requested.admin_password,
                role: Role::Admin,
            })
            .await?;
        let tenant = Tenant {
            tenant_id: TenantId(self.store.ids().next()),
            name: name.into_string(),
            created_at: self.store.clock().now(),
        };
        let mut across = self.store.across_tenants().await?;
        if !across.insert_tenant(&tenant).await? {
            return Err(OpsError::Conflict {
                code: "tenant_name_taken",
                problem: format!("A tenant called '{}' already exists.", tenant.name),
            });
        }
        let scope = Caller::system(tenant.tenant_id).permit(Action::ManageUsers)?;
        let mut tx = across.enter(&scope).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::TenantCreated,
            entity: Entity::Tenant(tenant.tenant_id),
            detail: json!({ "name": tenant.name }),
        })
        .await?;
        let admin = add_user(&mut tx, admin).await?;
        tx.commit().await?;
        Ok((tenant, admin))
    }
}
