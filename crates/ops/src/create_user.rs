//! Adding a person to a tenant.

use domain::{
    Action, AuditAction, AuditEntry, Caller, EmailAddress, Entity, IdempotencyClaim, NewPassword,
    Role, User, UserId,
};
use serde_json::json;
use store::{NewUser, Tx};

use crate::once::{Done, outcome_of, settle};
use crate::{Ops, OpsError};

/// A user somebody asks for.
#[derive(Debug)]
pub struct RequestedUser {
    pub email: String,
    pub password: String,
    pub role: Role,
}

/// The same, found to be in order.
struct ValidUser {
    email: EmailAddress,
    password: NewPassword,
    role: Role,
}

impl Ops {
    pub async fn create_user(
        &self,
        caller: &Caller,
        requested: RequestedUser,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<User>, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let valid = validate(&requested)?;
        let new = self.prepare_user(valid).await?;
        let mut tx = self.store.begin(&scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim).await? {
            return Ok(done);
        }
        let added = add_user(&mut tx, new).await;
        settle(tx, claim, added).await
    }

    async fn prepare_user(&self, valid: ValidUser) -> Result<NewUser, OpsError> {
        Ok(NewUser {
            user_id: UserId(self.ids.next()),
            email: valid.email,
            password_hash: self.passwords.hash(&valid.password).await?,
            role: valid.role,
        })
    }

    /// For the first administrator of a tenant, whose request is somebody else's use case.
    pub(crate) async fn validated_user(
        &self,
        requested: &RequestedUser,
    ) -> Result<NewUser, OpsError> {
        self.prepare_user(validate(requested)?).await
    }
}

fn validate(requested: &RequestedUser) -> Result<ValidUser, OpsError> {
    Ok(ValidUser {
        email: requested.email.parse().map_err(|error| OpsError::invalid("email", error))?,
        password: requested
            .password
            .parse()
            .map_err(|error| OpsError::invalid("password", error))?,
        role: requested.role,
    })
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
    tx.append_audit(&AuditEntry {
        action: AuditAction::UserCreated,
        entity: Entity::User(user.user_id),
        detail: json!({ "role": user.role }),
    })
    .await?;
    Ok(user)
}
