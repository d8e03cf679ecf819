//! Adding a user to a tenant.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, IdempotencyClaim, NewPassword, Role, Secret,
    User, UserId,
};
use serde_json::json;
use store::{NewUser, Tx};

use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::{Access, OpsError};

/// A request for a user.
#[derive(Debug)]
pub struct RequestedUser {
    pub email: String,
    pub password: Secret,
    pub role: Role,
}

impl Access {
    pub async fn create_user(
        &self,
        caller: &Caller,
        requested: RequestedUser,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<User>, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let new = self.prepare_user(&requested).await?;
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = recorded_outcome(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let added = add_user(&mut tx, new).await;
        commit_outcome(tx, claim.as_ref(), added).await
    }

    /// Validates the request and hashes the password, which is slow, outside of any transaction.
    pub(crate) async fn prepare_user(
        &self,
        requested: &RequestedUser,
    ) -> Result<NewUser, OpsError> {
        let email = requested.email.parse().map_err(|error| OpsError::invalid("email", error))?;
        let password = valid_password(&requested.password)?;
        Ok(NewUser {
            user_id: UserId(self.store.ids().next()),
            email,
            password_hash: self.passwords.hash(&password).await?,
            role: requested.role,
        })
    }
}

pub(crate) fn valid_password(text: &Secret) -> Result<NewPassword, OpsError> {
    text.reveal().parse().map_err(|error| OpsError::invalid("password", error))
}

/// Inserts the user and the audit row in the caller's transaction.
pub(crate) async fn add_user(tx: &mut Tx, new: NewUser) -> Result<User, OpsError> {
    let email = new.email.clone();
    let Some(user) = tx.insert_user(new).await? else {
        return Err(OpsError::Conflict {
            code: "email_taken",
            problem: format!("A user with the email address {email} already exists."),
        });
    };
    tx.append_audit(AuditEntry {
        action: AuditAction::UserCreated,
        entity: Entity::User(user.user_id),
        detail: json!({ "role": user.role }),
    })
    .await?;
    Ok(user)
}
