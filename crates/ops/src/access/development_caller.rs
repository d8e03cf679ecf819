//! The caller when authentication is off.

use domain::Caller;

use crate::{Access, OpsError};

impl Access {
    /// The caller of every request when authentication is off, for development.
    pub async fn development_caller(&self, email: &str) -> Result<Caller, OpsError> {
        let address = email.parse().map_err(|error| OpsError::invalid("email", error))?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&address).await?;
        across.commit().await?;
        match found {
            Some(login) if login.user.is_active() => Ok(Caller::of_user(&login.user)),
            _ => Err(OpsError::Conflict {
                code: "no_development_user",
                problem: format!(
                    "Authentication is off, so every request runs as {email}, but this database has no such active \
                     user. Set auth_enabled = true, or use a new data folder."
                ),
            }),
        }
    }
}
