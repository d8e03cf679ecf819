//! Adding a person to a tenant.

use domain::{
    Action, AuditAction, AuditEntry, Caller, Entity, IdempotencyClaim, NewPassword, Role, Secret,
    User, UserId,
};
use serde_json::json;
use store::{NewUser, Tx};

use crate::once::{Done, outcome_of, settle};
use crate::{Access, OpsError};

/// A user somebody asks for.
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
    ) -> Result<Done<User>, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let new = self.prepare_user(&requested).await?;
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let added = add_user(&mut tx, new).await;
        settle(tx, claim.as_ref(), added).await
    }

    /// Validates, and does the slow part: no transaction is open meanwhile.
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

/// The row and its audit row, in whatever transaction the caller has open.
pub(crate) async fn add_user(tx: &mut Tx, new: NewUser) -> Result<User, OpsError> {
    let email = new.email.clone();
    let Some(user) = tx.insert_user(new).await? else {
        return Err(OpsError::Conflict {
            code: "email_taken",
            problem: format!("there is a user with the address {email} already"),
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
