//! Why a stage did not succeed, decided where the knowledge is.

use std::fmt;

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

/// What went wrong, in words for whoever has to act on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    pub class: FailureClass,
    /// What happened.
    pub error: String,
    /// What a person can do about it.
    pub guidance: String,
}

impl Failure {
    pub fn retry(error: impl Into<String>) -> Self {
        let guidance =
            "it is tried again by itself; if it keeps failing, look at the error and retry";
        Self { class: FailureClass::Retry, error: error.into(), guidance: guidance.to_owned() }
    }

    pub fn permanent(error: impl Into<String>, guidance: impl Into<String>) -> Self {
        Self { class: FailureClass::Permanent, error: error.into(), guidance: guidance.into() }
    }

    pub fn poison(error: impl Into<String>, guidance: impl Into<String>) -> Self {
        Self { class: FailureClass::Poison, error: error.into(), guidance: guidance.into() }
    }

    pub fn unavailable(dependency: Dependency, error: impl Into<String>) -> Self {
        let guidance =
            format!("It is tried again by itself, as often as it takes. {}", dependency.advice());
        Self { class: FailureClass::Unavailable(dependency), error: error.into(), guidance }
    }
}
