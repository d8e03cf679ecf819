//! Creating a document type, or a new version of one.

use domain::{Action, AuditAction, AuditEntry, Caller, Entity};
use extraction::types::DocumentType;
use serde_json::json;
use store::NewDocumentType;

use super::{ExpectedType, TypeVersion};
use crate::{DocumentTypes, OpsError};

/// A type after a request to change it.
#[derive(Debug)]
pub struct ChangedType {
    pub current: TypeVersion,
    /// `false` when the definition is the one that the type had already.
    pub is_new_version: bool,
}

impl DocumentTypes {
    /// The most types of a tenant: the classifier compares each document with all of them.
    const MAX_TYPES: usize = 100;

    /// A definition that can be used.
    pub(crate) async fn validated(definition: DocumentType) -> Result<DocumentType, OpsError> {
        // Compiling patterns and the schema takes too long for the thread that serves requests.
        let validated = tokio::task::spawn_blocking(move || {
            let checked = definition.validate();
            checked.map(|()| definition)
        });
        validated
            .await
            .map_err(|error| OpsError::internal("validating a document type", error))?
            .map_err(OpsError::InvalidDocumentType)
    }

    /// Documents that are processed from now on use the new version. Results keep the version that they were extracted by.
    pub async fn put(
        &self,
        caller: &Caller,
        definition: DocumentType,
        expected: &ExpectedType,
    ) -> Result<ChangedType, OpsError> {
        let scope = caller.permit(Action::ManageDocumentTypes)?;
        let definition = Self::validated(definition).await?;
        let mut tx = self.store.begin(&scope).await?;
        tx.lock_document_types().await?;
        let records = tx.current_document_types().await?;
        let own = records.iter().find(|record| record.name == definition.name);
        let latest = own.map_or(0, |record| record.version);
        let current = match own.cloned().map(TypeVersion::of_record).transpose()?.flatten() {
            Some(own) => Some(own),
            None => TypeVersion::built_in(&definition.name),
        };
        match current {
            // A repeated request is no conflict.
            Some(current) if current.definition == definition => {
                tx.commit().await?;
                return Ok(ChangedType { current, is_new_version: false });
            }
            current => expected.check(current.as_ref())?,
        }
        let is_in_use = |name: &str| {
            records.iter().any(|record| record.name == name && record.definition.is_some())
        };
        let in_use = records.iter().filter(|record| record.definition.is_some()).count();
        if !is_in_use(&definition.name) && in_use >= Self::MAX_TYPES {
            return Err(OpsError::Conflict {
                code: "too_many_document_types",
                problem: format!(
                    "This tenant has {in_use} document types of its own, which is the most. Withdraw one that is not \
                     used."
                ),
            });
        }
        let version = latest + 1;
        tx.insert_document_type(NewDocumentType {
            name: &definition.name,
            version,
            definition: Some(definition.to_stored()),
        })
        .await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentTypeChanged,
            entity: Entity::Tenant(scope.tenant_id()),
            detail: json!({ "name": definition.name, "version": version }),
        })
        .await?;
        let created = tx.current_document_type(&definition.name).await?;
        tx.commit().await?;
        let current = created.map(TypeVersion::of_record).transpose()?.flatten();
        let current = current.ok_or(OpsError::NotFound("document type"))?;
        Ok(ChangedType { current, is_new_version: true })
    }
}
