//! Revoking an API key.

use domain::{Action, ApiKey, ApiKeyId, AuditAction, AuditEntry, Caller, Entity, Revocation};
use serde_json::json;

use crate::{Access, OpsError};

impl Access {
    /// Idempotent: revoking a revoked key succeeds and writes no second audit row.
    pub async fn revoke_api_key(&self, caller: &Caller, id: ApiKeyId) -> Result<ApiKey, OpsError> {
        let scope = caller.permit(Action::ManageApiKeys)?;
        let mut tx = self.store.begin(&scope).await?;
        let revoked_now = tx.revoke_api_key(id).await?;
        let key = tx.find_api_key(id).await?.ok_or(OpsError::NotFound("API key"))?;
        if revoked_now {
            tx.append_audit(AuditEntry {
                action: AuditAction::ApiKeyRevoked,
                entity: Entity::ApiKey(id),
                detail: json!({ "name": key.name, "prefix": key.prefix }),
            })
            .await?;
        }
        let now = tx.now();
        tx.commit().await?;
        self.credentials.apply(&[Revocation::Key { api_key_id: id }], now);
        Ok(key)
    }
}
