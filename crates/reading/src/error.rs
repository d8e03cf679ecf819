//! Why a document could not be read, and what a person can do about it.

use domain::FailureCode;
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// What went wrong. Crosses from the child to the worker as it is.
#[derive(Clone, Debug, PartialEq, Eq, Error, Serialize, Deserialize)]
pub enum ReadError {
    #[error("the file is encrypted and needs a password")]
    NeedsPassword,
    #[error("the password does not open the file")]
    WrongPassword,
    /// Not what its type promises.
    #[error("the file is damaged: {what}")]
    Damaged { what: String },
    /// A limit of [`crate::Limits`] was met before anything was unpacked or decoded.
    #[error("the file asks for too much: {what}")]
    TooLarge { what: String },
    #[error("the file uses something that cannot be read: {what}")]
    Unsupported { what: String },
    /// A program, library or model that this document needs is not there.
    #[error("{what} is not installed")]
    Missing { what: String },
    /// Nobody takes the parts any more.
    #[error("the reader was told to stop")]
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

    /// What programs know the failure by.
    pub fn code(&self) -> Option<FailureCode> {
        match self {
            Self::NeedsPassword => Some(FailureCode::PasswordRequired),
            Self::WrongPassword => Some(FailureCode::WrongPassword),
            _ => None,
        }
    }

    /// One sentence that says what to do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::NeedsPassword => {
                "Enter its password: on the page of the document, or with `docket rerun ID --password`."
            }
            Self::WrongPassword => {
                "Enter the right password: on the page of the document, or with `docket rerun ID --password`."
            }
            Self::Damaged { .. } => "Open it in its own program, save it again and upload that.",
            Self::TooLarge { .. } => {
                "Make it smaller in its own program, or split it, and upload that."
            }
            Self::Unsupported { .. } => "Save it as PDF and upload that.",
            Self::Missing { .. } => "Run `docket doctor`: it names the command that installs it.",
            Self::Stopped => "Run the document again.",
        }
    }
}
