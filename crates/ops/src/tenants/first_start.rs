//! The first start: the tenant `default` and somebody who can sign in to it.

use domain::{Secret, User};

use crate::{OpsError, RequestedTenant, Tenants};

/// What the first start found to do.
#[derive(Debug)]
pub enum FirstStart {
    /// This process made the first user.
    Created(User),
    /// There is somebody who can sign in already.
    NothingToDo,
}

impl Tenants {
    const DEFAULT_TENANT: &str = "default";

    /// Safe when several processes start on one empty database: one of them makes the user.
    pub async fn first_start(
        &self,
        email: &str,
        password: &Secret,
    ) -> Result<FirstStart, OpsError> {
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
                admin_password: password.clone(),
            })
            .await;
        match made {
            Ok((_, user)) => Ok(FirstStart::Created(user)),
            // Another process was quicker.
            Err(OpsError::Conflict { .. }) => Ok(FirstStart::NothingToDo),
            Err(error) => Err(error),
        }
    }
}
