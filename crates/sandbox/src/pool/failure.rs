//! Why a child did not finish its job, with advice for the user or operator.

use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::time::Duration;

use domain::{Dependency, FailureClass};
use thiserror::Error;

use crate::{SandboxReport, SandboxStatus};

#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ChildFailure {
    /// The process ended. `stderr_tail` is the end of its error output, for the log.
    #[error("the reader crashed ({})", cause(*signal, *code))]
    Crashed { signal: Option<i32>, code: Option<i32>, stderr_tail: String },
    #[error("reading took longer than {} s", limit.as_secs_f32())]
    TimedOut { limit: Duration },
    #[error("reading needed more than {} MiB of memory", limit >> 20)]
    OutOfMemory { limit: u64 },
    #[error("reading produced more than {} MiB", limit >> 20)]
    TooMuchOutput { limit: u64 },
    /// The answer is malformed.
    #[error("the reader's answer is malformed: {what}")]
    Garbled { what: String },
    /// A required lock of the sandbox is not active.
    #[error("documents are read only in a sandbox, and {} not active on this machine", sandbox.missing_locks())]
    Unprotected { sandbox: SandboxStatus },
    /// No child could be started; the document is not the cause.
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
            // A problem of the machine: any document would fail there.
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
                "Open the file in its own program, save it again or print it to PDF, and upload that."
            }
            Self::TimedOut { .. } | Self::OutOfMemory { .. } => {
                "Split the file into smaller ones, or raise the reader's limits and rerun the document."
            }
            Self::TooMuchOutput { .. } => "Split the file into smaller ones and upload those.",
            Self::Unprotected { .. } => SandboxReport::REMEDY,
            Self::NotStarted { .. } => {
                "Run `docket doctor`, which reports why readers do not start."
            }
        }
    }

    /// Derives the failure from the exit status and the error output.
    pub(crate) fn from_exit(status: ExitStatus, stderr_tail: String, bounds: Bounds) -> Self {
        // Rust and C++ print this before they abort; the signal alone could also mean a bug.
        let out_of_memory =
            ["memory allocation of", "bad_alloc", "out of memory", "Cannot allocate memory"];
        if out_of_memory.iter().any(|text| stderr_tail.contains(text)) {
            return Self::OutOfMemory { limit: bounds.memory };
        }
        match status.signal() {
            Some(libc::SIGXCPU) => Self::TimedOut { limit: bounds.cpu },
            signal => Self::Crashed { signal, code: status.code(), stderr_tail },
        }
    }
}

/// The limits that may have ended the process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bounds {
    pub(crate) memory: u64,
    pub(crate) cpu: Duration,
}

fn cause(signal: Option<i32>, code: Option<i32>) -> String {
    match (signal, code) {
        (Some(libc::SIGSYS), _) => "the sandbox denied a system call".to_owned(),
        (Some(libc::SIGKILL), _) => {
            "it was killed from outside, most often because memory ran out".to_owned()
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

    fn exited(signal: i32, stderr: &str) -> ChildFailure {
        ChildFailure::from_exit(ExitStatus::from_raw(signal), stderr.into(), BOUNDS)
    }

    #[test]
    fn the_failure_follows_from_the_exit_status_and_the_error_output() {
        let out_of_memory = exited(libc::SIGABRT, "memory allocation of 99 bytes failed");
        assert_eq!(out_of_memory, ChildFailure::OutOfMemory { limit: 1 << 30 });
        assert_eq!(exited(libc::SIGXCPU, ""), ChildFailure::TimedOut { limit: BOUNDS.cpu });
        let crashed = exited(libc::SIGSEGV, "oh");
        assert_eq!(crashed.to_string(), "the reader crashed (signal 11)");
        assert_eq!(crashed.class(), FailureClass::Poison);
        let machine = ChildFailure::not_started("no memory");
        assert_eq!(machine.class(), FailureClass::Unavailable(Dependency::Reader));
    }
}
