//! Whether the document types that a request names exist.
//!
//! A type may still be withdrawn before a document reaches the stage `parse`; then its result says so.

use std::collections::BTreeSet;

use domain::{AUTOMATIC_TYPE, is_type_name};
use extraction::types::builtin;
use store::Tx;

use crate::OpsError;

/// The type that a field of a request names. `None`: the classifier decides.
pub(crate) async fn chosen_type(
    tx: &mut Tx,
    field: &'static str,
    name: String,
) -> Result<Option<String>, OpsError> {
    if name == AUTOMATIC_TYPE {
        return Ok(None);
    }
    if !is_type_name(&name) {
        let problem = format!(
            "'{name}' is not the name of a document type. Use a name, or \"{AUTOMATIC_TYPE}\"."
        );
        return Err(OpsError::invalid(field, problem));
    }
    check_types(tx, field, [name.as_str()]).await?;
    Ok(Some(name))
}

/// Fails if one of the names is no document type of the tenant.
pub(crate) async fn check_types(
    tx: &mut Tx,
    field: &'static str,
    names: impl IntoIterator<Item = &str>,
) -> Result<(), OpsError> {
    let mut known: BTreeSet<String> = tx.document_type_names().await?.into_iter().collect();
    known.extend(builtin().iter().map(|of| of.name.clone()));
    let unknown = names.into_iter().find(|name| *name != AUTOMATIC_TYPE && !known.contains(*name));
    unknown.map_or(Ok(()), |name| {
        let (name, known) = (name.to_owned(), known.into_iter().collect());
        Err(OpsError::UnknownDocumentType { field, name, known })
    })
}
