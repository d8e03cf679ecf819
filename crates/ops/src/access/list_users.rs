//! Listing the users of a tenant.

use domain::{Action, Caller, User, UserId};
use store::After;

use crate::{Access, OpsError, Page, PageRequest};

impl Access {
    pub async fn list_users(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<User>, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let mut tx = self.store.read(&scope).await?;
        let users = tx.list_users(&request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(users, |user| After { moment: user.created_at, id: user.user_id.0 }))
    }

    pub async fn find_user(&self, caller: &Caller, user_id: UserId) -> Result<User, OpsError> {
        let scope = caller.permit(Action::ManageUsers)?;
        let mut tx = self.store.read(&scope).await?;
        let user = tx.find_user(user_id).await?;
        tx.commit().await?;
        user.ok_or(OpsError::NotFound("user"))
    }
}
