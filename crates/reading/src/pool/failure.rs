//! Why a document was not read: the error of the child, or the failure of the child itself.

use domain::{Dependency, Failure, FailureClass, FailureCode};
use sandbox::pool::ChildFailure;
use thiserror::Error;

use crate::ReadError;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadFailure {
    /// The child reported an error.
    #[error(transparent)]
    Typed(#[from] ReadError),
    /// The child ended without a report.
    #[error(transparent)]
    Child(#[from] ChildFailure),
}

impl ReadFailure {
    pub fn class(&self) -> FailureClass {
        match self {
            // Something is missing on this machine, so every document would fail.
            Self::Typed(ReadError::Missing { .. }) => FailureClass::Unavailable(Dependency::Reader),
            Self::Typed(ReadError::Stopped) => FailureClass::Retry,
            Self::Typed(_) => FailureClass::Permanent,
            Self::Child(failure) => failure.class(),
        }
    }

    /// The code that clients can react to.
    pub fn code(&self) -> Option<FailureCode> {
        match self {
            Self::Typed(error) => error.code(),
            Self::Child(_) => None,
        }
    }

    /// What the user can do, in one sentence.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Typed(error) => error.advice(),
            Self::Child(failure) => failure.advice(),
        }
    }
}

impl From<ReadFailure> for Failure {
    fn from(failure: ReadFailure) -> Self {
        Self::new(failure.class(), failure.to_string(), failure.advice()).with_code(failure.code())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn errors_of_the_file_are_permanent() {
        let failure = Failure::from(ReadFailure::from(ReadError::NeedsPassword));
        assert_eq!(failure.class, FailureClass::Permanent);
        assert_eq!(failure.code, Some(FailureCode::PasswordRequired));
        assert!(failure.guidance.contains("docket rerun ID --password"), "{}", failure.guidance);
        let failure = Failure::from(ReadFailure::from(ReadError::WrongPassword));
        assert_eq!(failure.code, Some(FailureCode::WrongPassword));
        assert_eq!(Failure::from(ReadFailure::from(ReadError::damaged("x"))).code, None);
        let missing = ReadFailure::from(ReadError::Missing { what: "pdfium".into() });
        let not_started = ReadFailure::from(ChildFailure::NotStarted { why: "no memory".into() });
        for failure in [missing, not_started] {
            assert_eq!(failure.class(), FailureClass::Unavailable(Dependency::Reader));
        }
    }
}
