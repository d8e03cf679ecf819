//! Changing a user's role or password, or deactivating them. Any change ends their sessions.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, Revocation, Role, Scope, Secret, User,
    UserChange, UserId,
};
use serde_json::json;
use store::Tx;

use crate::access::create_user::valid_password;
use crate::{Access, OpsError};

/// A requested change; `None` leaves a field unchanged.
#[derive(Debug, Default)]
pub struct RequestedChange {
    pub role: Option<Role>,
    pub active: Option<bool>,
    pub password: Option<Secret>,
}

impl Access {
    pub async fn update_user(
        &self,
        caller: &Caller,
        user_id: UserId,
        requested: RequestedChange,
    ) -> Result<User, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let change = UserChange {
            role: requested.role,
            active: requested.active,
            password: requested.password.as_ref().map(valid_password).transpose()?,
        };
        if change.is_empty() {
            return self.find_user(caller, user_id).await;
        }
        Ok(self.change_user(&scope, user_id, change).await?.0)
    }

    /// A user is never deleted, because the audit log refers to them.
    pub async fn deactivate_user(
        &self,
        caller: &Caller,
        user_id: UserId,
    ) -> Result<User, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let change = UserChange { active: Some(false), ..UserChange::default() };
        Ok(self.change_user(&scope, user_id, change).await?.0)
    }

    /// For the operator, when a user has lost their password.
    pub async fn reset_password(&self, email: &str, password: &Secret) -> Result<User, OpsError> {
        let email = email.parse().map_err(|error| OpsError::invalid("email", error))?;
        let password = valid_password(password)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&email).await?;
        across.commit().await?;
        let user = found.ok_or(OpsError::NotFound("user"))?.user;
        let scope = Caller::system(user.tenant_id).permit(Action::ManageUsers)?;
        let change = UserChange { password: Some(password), ..UserChange::default() };
        Ok(self.change_user(&scope, user.user_id, change).await?.0)
    }

    /// Returns the changed user and their new session epoch: sessions with an earlier one are revoked.
    pub(crate) async fn change_user(
        &self,
        scope: &Scope,
        user_id: UserId,
        change: UserChange,
    ) -> Result<(User, i64), OpsError> {
        let password_hash = match &change.password {
            Some(password) => Some(self.passwords.hash(password).await?),
            None => None,
        };
        let mut tx = self.store.begin(scope).await?;
        check_not_last_admin(&mut tx, user_id, &change).await?;
        let (user, epoch) = tx
            .update_user(user_id, change.role, password_hash, change.active)
            .await?
            .ok_or(OpsError::NotFound("user"))?;
        tx.append_audit(audit_entry(user_id, &change)).await?;
        let moment = tx.now();
        tx.commit().await?;
        self.credentials.apply(&[Revocation::SessionsBefore { user_id, epoch }], moment);
        Ok((user, epoch))
    }
}

/// Refuses a change that would leave the tenant without an active administrator.
async fn check_not_last_admin(
    tx: &mut Tx,
    user_id: UserId,
    change: &UserChange,
) -> Result<(), OpsError> {
    let loses_admin =
        change.active == Some(false) || change.role.is_some_and(|role| role != Role::Admin);
    if loses_admin && tx.lock_active_admins().await? == [user_id] {
        return Err(OpsError::Conflict {
            code: "last_admin",
            problem: "This is the tenant's last active administrator. Make another user an administrator first."
                .to_owned(),
        });
    }
    Ok(())
}

fn audit_entry(user_id: UserId, change: &UserChange) -> AuditEntry {
    let action = if change.active == Some(false) {
        AuditAction::UserDeactivated
    } else {
        AuditAction::UserUpdated
    };
    AuditEntry {
        action,
        entity: Entity::User(user_id),
        detail: json!({
            "role": change.role,
            "active": change.active,
            "password_changed": change.password.is_some(),
        }),
    }
}
