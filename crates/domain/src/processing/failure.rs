//! Failures of stages. The code that detects a failure decides its class.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Dependency;

/// The class of a failure, which decides what happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// A transient failure: retried with the stage's policy.
    Retry,
    /// A retry cannot help: the job is dead at once, with guidance.
    Permanent,
    /// Crashed or hit a limit in the sandbox: three quick retries, then the job is dead.
    Poison,
    /// A dependency does not work: the job is paused for as long as that lasts, without using up an attempt.
    Unavailable(Dependency),
}

impl FailureClass {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Permanent => "permanent",
            Self::Poison => "poison",
            Self::Unavailable(_) => "unavailable",
        }
    }
}

impl fmt::Display for FailureClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// A stable name of a failure that a program can react to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The original is encrypted, and was submitted without a password.
    PasswordRequired,
    /// The submitted password does not open the original.
    WrongPassword,
}

impl FailureCode {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::PasswordRequired => "password_required",
            Self::WrongPassword => "wrong_password",
        }
    }
}

/// What went wrong, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: FailureClass,
    pub code: Option<FailureCode>,
    /// What happened.
    pub error: String,
    /// What a user or operator can do.
    pub guidance: String,
}

impl Failure {
    pub fn retry(error: impl Into<String>) -> Self {
        let guidance =
            "it is retried automatically; if it keeps failing, check the error and retry";
        Self::new(FailureClass::Retry, error, guidance)
    }

    pub fn permanent(error: impl Into<String>, guidance: impl Into<String>) -> Self {
        Self::new(FailureClass::Permanent, error, guidance)
    }

    pub fn poison(error: impl Into<String>, guidance: impl Into<String>) -> Self {
        Self::new(FailureClass::Poison, error, guidance)
    }

    pub fn new(class: FailureClass, error: impl Into<String>, guidance: impl Into<String>) -> Self {
        Self { class, code: None, error: error.into(), guidance: guidance.into() }
    }

    #[must_use]
    pub fn with_code(mut self, code: Option<FailureCode>) -> Self {
        self.code = code;
        self
    }

    pub fn unavailable(dependency: Dependency, error: impl Into<String>) -> Self {
        let guidance =
            format!("It is retried automatically until it works. {}", dependency.advice());
        Self::new(FailureClass::Unavailable(dependency), error, guidance)
    }
}
