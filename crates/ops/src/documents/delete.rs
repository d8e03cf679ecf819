//! Deleting a document.

use domain::{Action, AuditAction, AuditEntry, Caller, DocId, Entity};
use serde_json::json;

use crate::{Documents, OpsError};

impl Documents {
    /// Soft delete: hides the document from everyone. Its rows and its original stay until they are erased.
    pub async fn delete_document(&self, caller: &Caller, doc_id: DocId) -> Result<(), OpsError> {
        let scope = caller.permit(Action::DeactivateDocuments)?;
        let mut tx = self.store.begin(&scope).await?;
        if !tx.delete_document(doc_id).await? {
            tx.rollback().await?;
            return Err(OpsError::NotFound("document"));
        }
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentDeleted,
            entity: Entity::Document(doc_id),
            detail: json!({}),
        })
        .await?;
        tx.commit().await?;
        self.intake.storage.invalidate(scope.tenant_id());
        Ok(())
    }
}
