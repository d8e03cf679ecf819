//! The sandbox: what a process that reads a stranger's file may still do.
//!
//! A *reading child* opens everything it needs (libraries, models), then closes the door behind itself
//! and only then takes its first document. From there on it computes, reads what it was handed, reads
//! the font folders it named, answers on its pipe, and nothing else. Three independent locks, each of
//! which would do for most attacks:
//!
//! | lock | module | what it holds |
//! |---|---|---|
//! | limits | [`limits`] | memory, processor time, file size 0, no core dump, few descriptors |
//! | Landlock | [`landlock`] | every path but the font folders; every TCP port; signals to others |
//! | seccomp | [`syscalls`] | the system calls themselves: no socket, no process, no file to write |
//!
//! The locks hold for the thread that closes them and for every thread it starts *later*: a thread
//! started before would stay free, so the door does not close while there is one.
//!
//! `/proc` must be there, to count threads by.
//!
//! A kernel may lack Landlock or seccomp (old, or a container that hides them). The door then closes as
//! far as it goes, and [`Door`] says how far, so that whoever started the child can tell the operator.

mod landlock;
pub mod limits;
mod program;
mod syscalls;

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};
use thiserror::Error;

pub(crate) use program::NOT_STARTED;
pub use program::{Order, run_program};

/// How much of a lock the kernel holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Hold {
    None,
    /// Landlock of an older kernel, which knows fewer kinds of access.
    Partial,
    Full,
}

/// What is enforced once the door is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Door {
    pub landlock: Hold,
    pub seccomp: Hold,
}

impl Door {
    pub const OPEN: Self = Self { landlock: Hold::None, seccomp: Hold::None };
}

#[derive(Debug, Error)]
pub enum SandboxError {
    #[error("{threads} threads are running, and those that began before the door closed stay free")]
    Threads { threads: usize },
    #[error("the threads of this process cannot be counted")]
    Count(#[source] io::Error),
    #[error("a resource limit cannot be set")]
    Limit(#[source] io::Error),
    #[error("the parent is gone")]
    Orphaned,
    #[error("the rules for files cannot be set")]
    Landlock(#[from] ::landlock::RulesetError),
    #[error("the rules for system calls cannot be built")]
    Rules(#[from] seccompiler::BackendError),
    #[error("`{program}` cannot be started")]
    Program {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Gives up everything that reading does not need, for good. `readable` are folders (or files) that
/// may still be opened for reading.
pub fn close_the_door(readable: &[PathBuf]) -> Result<Door, SandboxError> {
    be_alone()?;
    let landlock = landlock::restrict(readable, &[])?;
    let seccomp = syscalls::restrict(syscalls::Rules::reading()?)?;
    Ok(Door { landlock, seccomp })
}

/// Asks the kernel to end this process with its parent, even in an endless loop.
///
/// The kernel means the *thread* that started this process: see `pool::nursery`.
pub fn end_with_parent(parent: u32) -> Result<(), SandboxError> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| SandboxError::Limit(error.into()))?;
    // It may have died before it was asked to take this process along.
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_pid);
    if now == i32::try_from(parent).ok() { Ok(()) } else { Err(SandboxError::Orphaned) }
}

fn be_alone() -> Result<(), SandboxError> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(SandboxError::Count)?.count();
    if threads == 1 { Ok(()) } else { Err(SandboxError::Threads { threads }) }
}
