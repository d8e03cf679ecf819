//! Listing a tenant's API keys.

use domain::{Action, ApiKey, ApiKeyId, Caller};
use store::After;

use crate::{Access, OpsError, Page, PageRequest};

impl Access {
    pub async fn list_api_keys(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<ApiKey>, OpsError> {
        let scope = caller.permit(Action::ManageApiKeys)?;
        let mut tx = self.store.read(&scope).await?;
        let keys = tx.list_api_keys(&request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(keys, |key| After { moment: key.created_at, id: key.api_key_id.0 }))
    }

    pub async fn find_api_key(&self, caller: &Caller, id: ApiKeyId) -> Result<ApiKey, OpsError> {
        let scope = caller.permit(Action::ManageApiKeys)?;
        let mut tx = self.store.read(&scope).await?;
        let key = tx.find_api_key(id).await?;
        tx.commit().await?;
        key.ok_or(OpsError::NotFound("API key"))
    }
}
