//! What must hold of a document type before it is changed, so that no editor overwrites the change of another one.

use super::TypeVersion;
use crate::OpsError;

/// What the caller expects of the current version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ExpectedType {
    #[default]
    Anything,
    /// It has one of these tags ([`TypeVersion::tag`]); `*` stands for any.
    OneOf(Vec<String>),
    /// There is no type with this name.
    Nothing,
}

impl ExpectedType {
    pub(super) fn check(&self, current: Option<&TypeVersion>) -> Result<(), OpsError> {
        match (self, current) {
            (Self::Anything, _) | (Self::Nothing, None) => Ok(()),
            (Self::Nothing, Some(_)) => Err(OpsError::Conflict {
                code: "document_type_exists",
                problem: "There is a document type with this name already. Choose another name, or change that type."
                    .to_owned(),
            }),
            (Self::OneOf(tags), Some(current))
                if tags.iter().any(|tag| tag == "*" || *tag == current.tag()) =>
            {
                Ok(())
            }
            (Self::OneOf(_), Some(current)) => Err(OpsError::Conflict {
                code: "document_type_changed",
                problem: format!(
                    "The document type was changed meanwhile: it has version {} now. Load it, and make your change \
                     again.",
                    current.version
                ),
            }),
            (Self::OneOf(_), None) => Err(OpsError::Conflict {
                code: "document_type_changed",
                problem: "The document type was withdrawn meanwhile, or does not exist. Load the list of types."
                    .to_owned(),
            }),
        }
    }
}
