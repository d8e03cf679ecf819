//! The first start: creates the tenant `default` and its administrator.

use domain::{Secret, User};

use crate::{OpsError, RequestedTenant, Tenants};

/// The result of the first start.
#[derive(Debug)]
pub enum FirstStart {
    /// This process created the first user.
    Created(User),
    /// There are users already.
    NothingToDo,
}

impl Tenants {
    const DEFAULT_TENANT: &str = "default";

    /// Safe if several processes start on one empty database: one of them creates the user.
    pub async fn first_start(
        &self,
        email: &str,
        password: &Secret,
    ) -> Result<FirstStart, OpsError> {
        let mut across = self.store.across_tenants().await?;
        let has_users = across.has_users().await?;
        across.commit().await?;
        if has_users {
            return Ok(FirstStart::NothingToDo);
        }
        let created = self
            .create_tenant(RequestedTenant {
                name: Self::DEFAULT_TENANT.to_owned(),
                admin_email: email.to_owned(),
                admin_password: password.clone(),
            })
            .await;
        match created {
            Ok((_, user)) => Ok(FirstStart::Created(user)),
            // Another process created it first.
            Err(OpsError::Conflict { .. }) => Ok(FirstStart::NothingToDo),
            Err(error) => Err(error),
        }
    }
}
