//! Changing one's own password.

use std::net::IpAddr;

use domain::{Action, Caller, EmailAddress, NewPassword, Secret, TokenId, UserChange};

use crate::access::login::SignedIn;
use crate::{Access, OpsError};

impl Access {
    /// Whoever knows the password may replace it. All other sessions end; this one goes on with the token given back.
    pub async fn change_own_password(
        &self,
        caller: &Caller,
        current: Secret,
        new: &Secret,
        client: IpAddr,
    ) -> Result<SignedIn, OpsError> {
        let scope = caller.permit(Action::UseOwnSession)?;
        let (Some(_), Some(user_id)) = (caller.session, caller.actor.user_id()) else {
            return Err(OpsError::Conflict {
                code: "not_a_session",
                problem: "nobody signed in with a password here".to_owned(),
            });
        };
        let new: NewPassword =
            new.reveal().parse().map_err(|error| OpsError::invalid("new_password", error))?;
        let email: EmailAddress =
            caller.name.parse().map_err(|error| OpsError::internal("reading an address", error))?;
        // Whoever found a token must not find the password with it.
        let turn = self.login_throttle.admit(&email, client, &self.passwords)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&email).await?;
        across.commit().await?;
        let hash = found.map(|login| login.password_hash);
        if !self.passwords.matches(current, hash, turn).await? {
            return Err(OpsError::invalid("current_password", "the current password is wrong"));
        }
        let change = UserChange { password: Some(new), ..UserChange::default() };
        let (user, epoch) = self.change_user(&scope, user_id, change).await?;
        let token_id = TokenId(self.store.ids().next());
        let (token, expires_at) =
            self.tokens.issue(&user, epoch, token_id, self.store.clock().now())?;
        Ok(SignedIn { token: Secret::new(token), expires_at, user })
    }
}
