//! Why a document was not read, in words for whoever has to act on it.

use domain::{Dependency, Failure, FailureClass, FailureCode};
use sandbox::pool::ChildFailure;
use thiserror::Error;

use crate::ReadError;

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ReadFailure {
    /// The child said so itself.
    #[error(transparent)]
    Typed(#[from] ReadError),
    /// The child did not come to say anything.
    #[error(transparent)]
    Child(#[from] ChildFailure),
}

impl ReadFailure {
    pub fn class(&self) -> FailureClass {
        match self {
            // About the machine: any document would fare the same there.
            Self::Typed(ReadError::Missing { .. }) => FailureClass::Unavailable(Dependency::Reader),
            Self::Typed(ReadError::Stopped) => FailureClass::Retry,
            Self::Typed(_) => FailureClass::Permanent,
            Self::Child(failure) => failure.class(),
        }
    }

    /// What programs know the failure by.
    pub fn code(&self) -> Option<FailureCode> {
        match self {
            Self::Typed(error) => error.code(),
            Self::Child(_) => None,
        }
    }

    /// One sentence that says what to do.
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
    fn what_the_file_itself_is_to_blame_for_is_not_tried_again() {
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
