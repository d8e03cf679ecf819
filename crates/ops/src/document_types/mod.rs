//! Document types: the built-in ones and those that a tenant defines, with their versions.
//!
//! A tenant's type may have the name of a built-in one; then the tenant uses its own until it withdraws it. Version 0 of
//! a name is the built-in type of this program, the versions of a tenant begin with 1 and never change.

mod find;
pub(crate) mod known;
mod precondition;
mod put;
mod withdraw;

use chrono::{DateTime, Utc};
use domain::{Action, Caller, TenantId};
use extraction::types::{DocumentType, builtin};
use store::{DocumentTypeRecord, Store};

use crate::OpsError;

pub use precondition::ExpectedType;
pub use put::ChangedType;

/// The document types of tenants.
pub struct DocumentTypes {
    store: Store,
}

/// A document type that can be used, in one of its versions.
#[derive(Clone, Debug)]
pub struct TypeVersion {
    pub definition: DocumentType,
    /// 0 for a built-in type.
    pub version: u32,
    /// The name of who created this version, and when; none for a built-in type.
    pub created: Option<(String, DateTime<Utc>)>,
}

/// An entry in the history of a type.
#[derive(Clone, Debug)]
pub struct VersionEntry {
    pub version: u32,
    /// With this version the tenant withdrew the type.
    pub is_withdrawal: bool,
    pub created: Option<(String, DateTime<Utc>)>,
}

impl TypeVersion {
    fn built_in(name: &str) -> Option<Self> {
        let definition = builtin().iter().find(|definition| definition.name == name)?;
        Some(Self { definition: definition.clone(), version: 0, created: None })
    }

    /// `None` when the record is a withdrawal.
    fn of_record(record: DocumentTypeRecord) -> Result<Option<Self>, OpsError> {
        let Some(stored) = record.definition else { return Ok(None) };
        let definition = DocumentType::read_stored(stored)
            .map_err(|error| OpsError::internal("reading a document type", error))?;
        let created = Some((record.created_by, record.created_at));
        Ok(Some(Self { definition, version: record.version, created }))
    }

    /// The same for the same definition under this name, and for no other. The built-in types belong to a release of Docket.
    pub fn tag(&self) -> String {
        if self.is_built_in() {
            concat!("0-", env!("CARGO_PKG_VERSION")).to_owned()
        } else {
            self.version.to_string()
        }
    }

    pub fn is_built_in(&self) -> bool {
        self.version == 0
    }

    /// Whether a tenant's own type has the name of a built-in one.
    pub fn replaces_built_in(&self) -> bool {
        !self.is_built_in() && builtin().iter().any(|known| known.name == self.definition.name)
    }
}

impl DocumentTypes {
    pub fn new(store: Store) -> Self {
        Self { store }
    }

    /// All types that the documents of a tenant can have now, by name.
    pub async fn of_tenant(&self, tenant_id: TenantId) -> Result<Vec<TypeVersion>, OpsError> {
        self.list(&Caller::system(tenant_id)).await
    }

    pub async fn list(&self, caller: &Caller) -> Result<Vec<TypeVersion>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let records = tx.current_document_types().await?;
        tx.commit().await?;
        let mut types = Vec::new();
        for record in records {
            types.extend(TypeVersion::of_record(record)?);
        }
        for known in builtin() {
            if !types.iter().any(|own| own.definition.name == known.name) {
                types.extend(TypeVersion::built_in(&known.name));
            }
        }
        types.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
        Ok(types)
    }
}
