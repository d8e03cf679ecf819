//! Withdrawing a document.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity};
use serde_json::json;

use crate::{Documents, OpsError};

impl Documents {
    /// Deactivates the active version; deletes nothing. Idempotent.
    pub async fn deactivate_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::DeactivateDocuments)?;
        let mut tx = self.store.begin(&scope).await?;
        tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        if tx.deactivate_document(doc_id).await? {
            tx.append_audit(AuditEntry {
                action: AuditAction::DocumentDeactivated,
                entity: Entity::Document(doc_id),
                detail: json!({}),
            })
            .await?;
        }
        Ok(tx.commit().await?)
    }
}
