//! A definition as it is stored, with the version of its format, and as users write it in a file.

use serde_json::Value;
use thiserror::Error;

use super::{DocumentType, InvalidType, TypeProblem};

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableDefinition {
    #[error("the definition of a document type cannot be read: {0}")]
    Malformed(String),
    #[error(
        "the definition of a document type has format {found}; this Docket reads up to {}",
        DocumentType::FORMAT
    )]
    TooNew { found: u64 },
}

impl DocumentType {
    /// The format of stored definitions.
    pub const FORMAT: u64 = 1;

    pub fn to_stored(&self) -> Value {
        // String keys and JSON values: this cannot fail.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["format"] = Self::FORMAT.into();
        json
    }

    pub fn read_stored(mut stored: Value) -> Result<Self, UnreadableDefinition> {
        let format = stored.as_object_mut().and_then(|definition| definition.remove("format"));
        match format.and_then(|format| format.as_u64()) {
            Some(found) if found > Self::FORMAT => Err(UnreadableDefinition::TooNew { found }),
            Some(_) => serde_json::from_value(stored)
                .map_err(|error| UnreadableDefinition::Malformed(error.to_string())),
            None => Err(UnreadableDefinition::Malformed("it has no format".to_owned())),
        }
    }

    /// Reads the JSON of a definition and validates it.
    pub fn from_file(json: &[u8]) -> Result<Self, InvalidType> {
        let read: Result<Self, _> = serde_json::from_slice(json);
        let definition = read.map_err(|error| {
            let message = error.to_string().replace('`', "'");
            InvalidType { problems: vec![TypeProblem::new("definition", message)] }
        })?;
        definition.validate()?;
        Ok(definition)
    }
}
