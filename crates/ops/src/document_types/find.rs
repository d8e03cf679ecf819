//! One document type, and its versions.

use domain::{Action, Caller};

use super::{TypeVersion, VersionEntry};
use crate::{DocumentTypes, OpsError};

/// The most versions that are listed.
const MAX_LISTED: u32 = 1_000;

const NOT_FOUND: OpsError = OpsError::NotFound("document type");

impl DocumentTypes {
    /// The current version of a type, or the one with this number.
    pub async fn find(
        &self,
        caller: &Caller,
        name: &str,
        version: Option<u32>,
    ) -> Result<TypeVersion, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        if version == Some(0) {
            return TypeVersion::built_in(name).ok_or(NOT_FOUND);
        }
        let mut tx = self.store.read(&scope).await?;
        let record = match version {
            Some(_) => tx.document_type_versions(name, version, 1).await?.into_iter().next(),
            None => tx.current_document_type(name).await?,
        };
        tx.commit().await?;
        let own = record.map(TypeVersion::of_record).transpose()?.flatten();
        let found = match version {
            Some(_) => own,
            None => own.or_else(|| TypeVersion::built_in(name)),
        };
        found.ok_or(NOT_FOUND)
    }

    /// The history of a type, the latest version first.
    pub async fn versions(
        &self,
        caller: &Caller,
        name: &str,
    ) -> Result<Vec<VersionEntry>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let records = tx.document_type_versions(name, None, MAX_LISTED).await?;
        tx.commit().await?;
        let own = records.into_iter().map(|record| VersionEntry {
            version: record.version,
            is_withdrawal: record.definition.is_none(),
            created: Some((record.created_by, record.created_at)),
        });
        let built_in = TypeVersion::built_in(name).map(|found| VersionEntry {
            version: found.version,
            is_withdrawal: false,
            created: None,
        });
        let versions: Vec<VersionEntry> = own.chain(built_in).collect();
        if versions.is_empty() { Err(NOT_FOUND) } else { Ok(versions) }
    }
}
