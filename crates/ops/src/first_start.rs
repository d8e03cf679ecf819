//! The first start: the tenant `default` and somebody who can sign in to it.

use domain::User;

use crate::{Ops, OpsError, RequestedTenant};

/// What the first start found to do.
#[derive(Debug)]
pub enum FirstStart {
    /// This process made the first user.
    Created(User),
    /// There is somebody who can sign in already.
    NothingToDo,
}

impl Ops {
    const DEFAULT_TENANT: &str = "default";

    /// Safe when several processes start on one empty database: one of them makes the user.
    pub async fn first_start(&self, email: &str, password: &str) -> Result<FirstStart, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let somebody_is_there = across.has_users().await?;
        across.commit().await?;
        if somebody_is_there {
            return Ok(FirstStart::NothingToDo);
        }
        let made = self
            .create_tenant(RequestedTenant {
                name: Self::DEFAULT_TENANT.to_owned(),
                admin_email: email.to_owned(),
                admin_password: password.to_owned(),
            })
            .await;
        match made {
            Ok((_, user)) => Ok(FirstStart::Created(user)),
            // Another process was quicker.
            Err(OpsError::Conflict { .. }) => Ok(FirstStart::NothingToDo),
            Err(error) => Err(error),
        }
    }

    /// The caller that every request gets when authentication is switched off for development.
    pub async fn development_caller(&self, email: &str) -> Result<domain::Caller, OpsError> {
        let email = email.parse().map_err(|error| OpsError::invalid("email", error))?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_user_for_login(&email).await?;
        across.commit().await?;
        let user = found.ok_or(OpsError::NotFound("user"))?.user;
        Ok(domain::Caller {
            tenant_id: user.tenant_id,
            actor: domain::Actor::User(user.user_id),
            role: user.role,
            name: user.email.to_string(),
            token_id: None,
            trace_id: None,
        })
    }
}
