//! Why a document could not be read, and what the user can do about it.

use domain::FailureCode;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// The child sends this value to the worker unchanged.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum ReadError {
    #[error("the file is encrypted and needs a password")]
    NeedsPassword,
    #[error("the password does not open the file")]
    WrongPassword,
    /// The file does not follow its format.
    #[error("the file is damaged: {what}")]
    Damaged { what: String },
    /// The file exceeds a limit of [`crate::Limits`].
    #[error("the file is too large: {what}")]
    TooLarge { what: String },
    #[error("the file uses a feature that is not supported: {what}")]
    Unsupported { what: String },
    /// A program, library or model that this document needs is not installed.
    #[error("{what} is not installed")]
    Missing { what: String },
    /// The receiver of the parts is gone.
    #[error("the reader was stopped")]
    Stopped,
}

impl ReadError {
    pub fn damaged(what: impl ToString) -> Self {
        Self::Damaged { what: what.to_string() }
    }

    pub fn too_large(what: impl ToString) -> Self {
        Self::TooLarge { what: what.to_string() }
    }

    pub fn unsupported(what: impl ToString) -> Self {
        Self::Unsupported { what: what.to_string() }
    }

    /// The code that clients can react to.
    pub fn code(&self) -> Option<FailureCode> {
        match self {
            Self::NeedsPassword => Some(FailureCode::PasswordRequired),
            Self::WrongPassword => Some(FailureCode::WrongPassword),
            _ => None,
        }
    }

    /// What the user can do, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NeedsPassword => {
                "Enter its password: on the page of the document, or with `docket rerun ID --password`."
            }
            Self::WrongPassword => {
                "Enter the right password: on the page of the document, or with `docket rerun ID --password`."
            }
            Self::Damaged { .. } => {
                "Open it in the program that made it, save it again and upload the new file."
            }
            Self::TooLarge { .. } => {
                "Make it smaller or split it in the program that made it, and upload the result."
            }
            Self::Unsupported { .. } => "Save it as PDF and upload the PDF.",
            Self::Missing { .. } => "Run `docket doctor`: it names the command that installs it.",
            Self::Stopped => "Rerun the document.",
        }
    }
}
