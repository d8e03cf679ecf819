//! Sandboxed child processes: [`pool`] keeps them and gives them work, [`worker`] is their side, and this
//! module is what a process that handles a stranger's file may still do.
//!
//! A *child* opens everything it needs (libraries, models), then locks itself down
//! ([`lock_down`]) and only then takes its first document. From there on it computes, reads what it was
//! handed, reads the font folders it named, answers on its pipe, and nothing else. Several independent
//! measures, each of which would do for most attacks:
//!
//! | measure | module | what it takes away |
//! |---|---|---|
//! | limits | [`limits`] | memory, processor time, file size 0, no core dump, few descriptors |
//! | descriptors | [`descriptors`] | everything that the parent had open, but the three standard ones |
//! | private root | [`private_root`] | every path but the font folders: the others do not exist |
//! | identity | [`identity`] | root's user id, all groups, all capabilities |
//! | Landlock | [`landlock`] | every path but the font folders; every TCP port; signals to others |
//! | seccomp | [`syscalls`] | the system calls themselves: no socket, no process, no file to write |
//!
//! Landlock and seccomp are the two *locks* that must be active before a document is read, unless the
//! operator says otherwise ([`SandboxPolicy`]). The child tries them out after it has applied them, and
//! refuses by itself ([`SandboxStatus`]). The other measures depend on what the machine allows: a private
//! root needs `CAP_SYS_ADMIN` or user namespaces. Without one, the rules for system calls refuse every
//! call that takes a path, so that nobody learns which paths exist.
//!
//! The locks hold for the thread that applies them and for every thread it starts *later*: a thread
//! started before would stay free, so [`lock_down`] fails while there is one. `/proc` must be there, to
//! count threads by.

mod descriptors;
mod identity;
mod landlock;
pub mod limits;
pub mod pool;
mod private_root;
mod program;
mod status;
mod syscalls;
pub mod worker;

use std::io;
use std::path::PathBuf;

use rustix::process::{DumpableBehavior, set_dumpable_behavior};
use rustix::thread::set_no_new_privs;
use thiserror::Error;

pub(crate) use descriptors::close_inherited;
pub(crate) use program::NOT_STARTED;
pub use program::{Order, run_program};
pub use status::{Enforcement, SandboxPolicy, SandboxReport, SandboxStatus};

use syscalls::Rules;

#[derive(Debug, Error)]
pub enum SandboxError {
    #[error("{threads} threads are running, and those that began before the lock-down stay free")]
    Threads { threads: usize },
    #[error("the threads of this process cannot be counted")]
    Count(#[source] io::Error),
    #[error("a resource limit cannot be set")]
    Limit(#[source] io::Error),
    #[error("what the parent had open cannot be closed")]
    Descriptors(#[source] io::Error),
    #[error("the rights of this process cannot be given up")]
    Identity(#[source] io::Error),
    #[error("the parent is gone")]
    Orphaned,
    #[error("the rules for files cannot be set")]
    Landlock(#[from] ::landlock::RulesetError),
    #[error("the rules for system calls cannot be built")]
    Rules(#[from] seccompiler::BackendError),
    #[error("{} not active here, and sandbox = \"required\"", .0.missing_locks())]
    Missing(SandboxStatus),
    #[error("`{program}` cannot be started")]
    Program {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Gives up everything that reading does not need, for good, and ends with `parent`. `readable` are
/// folders (or files) that may still be opened for reading.
pub fn lock_down(parent: u32, readable: &[PathBuf]) -> Result<SandboxStatus, SandboxError> {
    let (private_root, uid) = give_up_rights(parent, readable)?;
    let landlock = landlock::restrict(readable, &[])?;
    let seccomp = syscalls::restrict(Rules::reading(private_root)?)?;
    Ok(SandboxStatus { landlock, seccomp, private_root, uid })
}

/// What both kinds of children give up before their locks close. Gives whether there is a private root,
/// and the user id that is left.
fn give_up_rights(parent: u32, visible: &[PathBuf]) -> Result<(bool, u32), SandboxError> {
    be_alone()?;
    let private_root = private_root::enter(visible).is_ok();
    let of_identity = |error: rustix::io::Errno| SandboxError::Identity(error.into());
    let uid = identity::give_up().map_err(of_identity)?;
    // Processes of the same user could look into this one otherwise.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(of_identity)?;
    set_no_new_privs(true).map_err(of_identity)?;
    // The kernel forgets the wish when the user id changes.
    end_with_parent(parent)?;
    Ok((private_root, uid))
}

/// Asks the kernel to end this process with its parent, even in an endless loop.
///
/// The kernel means the *thread* that started this process: see `pool::starter`.
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
