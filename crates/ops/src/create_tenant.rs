//! Adding a tenant with its first administrator: the operator's use case.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity, Role, Tenant, TenantId, User};
use serde_json::json;

use crate::create_user::{RequestedUser, add_user};
use crate::{Ops, OpsError};

/// A tenant the operator asks for.
#[derive(Debug)]
pub struct RequestedTenant {
    pub name: String,
    pub admin_email: String,
    pub admin_password: String,
}

impl Ops {
    const TENANT_NAME_MAX_CHARS: usize = 100;

    pub async fn create_tenant(
        &self,
        requested: RequestedTenant,
    ) -> Result<(Tenant, User), OpsError> {
        let name = requested.name.trim();
        if name.is_empty() || name.chars().count() > Self::TENANT_NAME_MAX_CHARS {
            return Err(OpsError::invalid(
                "name",
                format!(
                    "give the tenant a name of 1 to {} characters",
                    Self::TENANT_NAME_MAX_CHARS
                ),
            ));
        }
        let admin = self
            .validated_user(&RequestedUser {
                email: requested.admin_email,
                password: requested.admin_password,
                role: Role::Admin,
            })
            .await?;
        let tenant = Tenant {
            tenant_id: TenantId(self.ids.next()),
            name: name.to_owned(),
            created_at: self.clock.now(),
        };
        let mut across = self.store.across_tenants().await?;
        if !across.insert_tenant(&tenant).await? {
            return Err(OpsError::Conflict {
                code: "tenant_name_taken",
                problem: format!("there is a tenant called '{name}' already"),
            });
        }
        let scope = Caller::system(tenant.tenant_id).permit(Action::ManageUsers)?;
        let mut tx = across.enter(&scope).await?;
        tx.append_audit(&AuditEntry {
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
