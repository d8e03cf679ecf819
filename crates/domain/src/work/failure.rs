//! Why a stage did not succeed, decided where the knowledge is.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::Dependency;

/// What kind of failure it was, and so what happens next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FailureClass {
    /// May go better later: tried again by the stage's policy.
    Retry,
    /// Will never go better: given up at once, with guidance.
    Permanent,
    /// Crashed or hit a limit in the sandbox: three quick tries, then quarantined.
    Poison,
    /// Something that processing depends on did not work, whatever the document is: paused for as long as that
    /// takes, without using up an attempt.
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

/// A failure that a program can do something about, by a name that stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FailureCode {
    /// The original is encrypted, and no password came with it.
    PasswordRequired,
    /// The password that came does not open the original.
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

/// What went wrong, in words for whoever has to act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: FailureClass,
    pub code: Option<FailureCode>,
    /// What happened.
    pub error: String,
    /// What a person can do about it.
    pub guidance: String,
}

impl Failure {
    pub fn retry(error: impl Into<String>) -> Self {
        let guidance =
            "it is tried again by itself; if it keeps failing, look at the error and retry";
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
            format!("It is tried again by itself, as often as it takes. {}", dependency.advice());
        Self::new(FailureClass::Unavailable(dependency), error, guidance)
    }
}
