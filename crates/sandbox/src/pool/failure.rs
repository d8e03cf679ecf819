//! Why a child did not finish its job, in words for whoever has to act on it.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use domain::{Dependency, FailureClass};
use thiserror::Error;

use crate::{SandboxReport, SandboxStatus};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChildFailure {
    /// It died. `last_words` is the end of what it wrote to its error output, for the log.
    #[error("the reader crashed ({})", cause(*signal, *code))]
    Crashed { signal: Option<i32>, code: Option<i32>, last_words: String },
    #[error("reading took longer than {} s", limit.as_secs_f32())]
    TimedOut { limit: Duration },
    #[error("reading needed more than {} MiB of memory", limit >> 20)]
    OutOfMemory { limit: u64 },
    #[error("reading gave more than {} MiB", limit >> 20)]
    TooMuchOutput { limit: u64 },
    /// What came back makes no sense.
    #[error("the reader's answer cannot be understood: {what}")]
    Garbled { what: String },
    /// A lock of the sandbox is missing, and no document is read without it.
    #[error("no document is read without its sandbox, and {} not active here", sandbox.missing_locks())]
    Unprotected { sandbox: SandboxStatus },
    /// No child could be had, whatever the document is.
    #[error("no reader could be started: {why}")]
    NotStarted { why: String },
}

impl ChildFailure {
    pub fn garbled(what: impl ToString) -> Self {
        Self::Garbled { what: what.to_string() }
    }

    pub(crate) fn not_started(why: impl ToString) -> Self {
        Self::NotStarted { why: why.to_string() }
    }

    pub fn class(&self) -> FailureClass {
        match self {
            // About the machine: any document would fare the same there.
            Self::Unprotected { .. } | Self::NotStarted { .. } => {
                FailureClass::Unavailable(Dependency::Reader)
            }
            Self::Crashed { .. }
            | Self::TimedOut { .. }
            | Self::OutOfMemory { .. }
            | Self::TooMuchOutput { .. }
            | Self::Garbled { .. } => FailureClass::Poison,
        }
    }

    /// One sentence that says what to do.
    pub fn advice(&self) -> &'static str {
        match self {
            Self::Crashed { .. } | Self::Garbled { .. } => {
                "Open the file in its own program, save it anew or print it to PDF, and upload that."
            }
            Self::TimedOut { .. } | Self::OutOfMemory { .. } => {
                "Split the file into smaller ones, or raise the reader's limits and run it again."
            }
            Self::TooMuchOutput { .. } => "Split the file into smaller ones and upload those.",
            Self::Unprotected { .. } => SandboxReport::REMEDY,
            Self::NotStarted { .. } => {
                "Run `docket doctor`: it says what keeps readers from starting."
            }
        }
    }

    /// What a dead process tells by the way it died.
    pub(crate) fn of_death(status: ExitStatus, last_words: String, bounds: Bounds) -> Self {
        // Rust and C++ say this before they give up; the signal alone would not tell it from a bug.
        let starved =
            ["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate memory"];
        if starved.iter().any(|words| last_words.contains(words)) {
            return Self::OutOfMemory { limit: bounds.memory };
        }
        match status.signal() {
            Some(libc::SIGXCPU) => Self::TimedOut { limit: bounds.cpu },
            signal => Self::Crashed { signal, code: status.code(), last_words },
        }
    }
}

/// The limits that a death is explained by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) memory: u64,
    pub(crate) cpu: Duration,
}

fn cause(signal: Option<i32>, code: Option<i32>) -> String {
    match (signal, code) {
        (Some(libc::SIGSYS), _) => "it tried what the sandbox forbids".to_owned(),
        (Some(libc::SIGKILL), _) => {
            "it was killed from outside, most often for want of memory".to_owned()
        }
        (Some(signal), _) => format!("signal {signal}"),
        (None, Some(code)) => format!("exit code {code}"),
        (None, None) => "for an unknown reason".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Bounds = Bounds { memory: 1 << 30, cpu: Duration::from_secs(20) };

    fn death(signal: i32, words: &str) -> ChildFailure {
        ChildFailure::of_death(ExitStatus::from_raw(signal), words.into(), BOUNDS)
    }

    #[test]
    fn the_way_of_dying_tells_what_was_wrong() {
        let starved = death(libc::SIGABRT, "memory allocation of 99 bytes failed");
        assert_eq!(starved, ChildFailure::OutOfMemory { limit: 1 << 30 });
        assert_eq!(death(libc::SIGXCPU, ""), ChildFailure::TimedOut { limit: BOUNDS.cpu });
        let crashed = death(libc::SIGSEGV, "oh");
        assert_eq!(crashed.to_string(), "the reader crashed (signal 11)");
        assert_eq!(crashed.class(), FailureClass::Poison);
        let machine = ChildFailure::not_started("no memory");
        assert_eq!(machine.class(), FailureClass::Unavailable(Dependency::Reader));
    }
}
