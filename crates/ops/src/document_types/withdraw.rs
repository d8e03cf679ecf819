//! Withdrawing a document type.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity};
use serde_json::json;
use store::NewDocumentType;

use super::{ExpectedType, TypeVersion};
use crate::{DocumentTypes, OpsError};

impl DocumentTypes {
    /// No document gets the type any more. Its versions stay readable, because results name them. A built-in type of the
    /// same name is used again.
    pub async fn withdraw(
        &self,
        caller: &Caller,
        name: &str,
        expected: &ExpectedType,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::ManageDocumentTypes)?;
        let mut tx = self.store.begin(&scope).await?;
        tx.lock_document_types().await?;
        let current = tx.current_document_type(name).await?;
        let Some(current) = current.filter(|record| record.definition.is_some()) else {
            return Err(OpsError::NotFound("document type"));
        };
        let version = current.version + 1;
        expected.check(TypeVersion::of_record(current)?.as_ref())?;
        tx.insert_document_type(NewDocumentType { name, version, definition: None }).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentTypeWithdrawn,
            entity: Entity::Tenant(scope.tenant_id()),
            detail: json!({ "name": name, "version": version }),
        })
        .await?;
        Ok(tx.commit().await?)
    }
}
