//! Changing a person's role, password or standing. Any of these ends their sessions.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, Revocation, Role, Scope, Secret, User,
    UserChange, UserId,
};
use serde_json::json;
use store::Tx;

use crate::access::create_user::valid_password;
use crate::{Access, OpsError};

/// A change somebody asks for; `None` leaves things as they are.
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

    /// A user is never removed: the audit log goes on naming them.
    pub async fn deactivate_user(
        &self,
        caller: &Caller,
        user_id: UserId,
    ) -> Result<User, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let change = UserChange { active: Some(false), ..UserChange::default() };
        Ok(self.change_user(&scope, user_id, change).await?.0)
    }

    /// The operator's way back in when a password is lost.
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

    /// The user as they are now, and the epoch that their sessions count from.
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
        keep_one_admin(&mut tx, user_id, &change).await?;
        let (user, epoch) = tx
            .update_user(user_id, change.role, password_hash, change.active)
            .await?
            .ok_or(OpsError::NotFound("user"))?;
        tx.append_audit(audit_entry(user_id, &change)).await?;
        let moment = tx.now();
        tx.commit().await?;
        self.directory.apply(&[Revocation::SessionsBefore { user_id, epoch }], moment);
        Ok((user, epoch))
    }
}

/// A tenant without an active administrator could never be administered again.
async fn keep_one_admin(tx: &mut Tx, user_id: UserId, change: &UserChange) -> Result<(), OpsError> {
    let steps_down =
        change.active == Some(false) || change.role.is_some_and(|role| role != Role::Admin);
    if steps_down && tx.lock_active_admins().await? == [user_id] {
        return Err(OpsError::Conflict {
            code: "last_admin",
            problem: "this is the tenant's last active administrator; make somebody else one first"
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
