//! Sandboxed child processes: [`pool`] starts them and sends them jobs, [`worker`] runs in the child, and this
//! module restricts what a process that handles an untrusted file may do.
//!
//! A *child* opens everything it needs (libraries, models), then locks itself down ([`lock_down`]), and only
//! then takes its first document. From then on it can compute, read the descriptors that it received, read the
//! font folders that it named and answer on its pipe. Several independent measures enforce that, each of
//! which stops most attacks on its own:
//!
//! | measure | module | what it denies |
//! |---|---|---|
//! | limits | [`limits`] | memory, processor time, file size 0, no core dump, few descriptors |
//! | descriptors | [`descriptors`] | everything that the parent had open, but the three standard ones |
//! | private root | [`private_root`] | every path but the font folders: the others do not exist |
//! | privileges | [`identity`] | root's user id, all groups, all capabilities |
//! | Landlock | [`landlock`] | every path but the font folders; every TCP port; signals to others |
//! | seccomp | [`syscalls`] | the system calls themselves: no socket, no process, no file to write |
//!
//! Landlock and seccomp are the two *locks* that must be active before a document is read, unless the
//! operator decides otherwise ([`SandboxPolicy`]). The child tests both after it has applied them, and
//! refuses to work without them ([`SandboxStatus`]). The other measures depend on what the machine allows: a
//! private root needs `CAP_SYS_ADMIN` or user namespaces. Without a private root, seccomp denies every
//! call that takes a path, so that the child cannot learn which paths exist.
//!
//! The locks apply to the thread that sets them and to every thread that it starts *later*: a thread
//! started before would stay unrestricted, so [`lock_down`] fails while there is one. It counts threads
//! through `/proc`.

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
pub use program::{ProgramRequest, run_program};
pub use status::{Enforcement, SandboxPolicy, SandboxReport, SandboxStatus};

use syscalls::Rules;

#[derive(Debug, Error)]
pub enum SandboxError {
    #[error(
        "{threads} threads are running, and those started before the lock-down would stay unrestricted"
    )]
    Threads { threads: usize },
    #[error("counting the threads of this process failed")]
    Count(#[source] io::Error),
    #[error("setting a resource limit failed")]
    Limit(#[source] io::Error),
    #[error("closing inherited file descriptors failed")]
    Descriptors(#[source] io::Error),
    #[error("dropping the privileges of this process failed")]
    Identity(#[source] io::Error),
    #[error("the parent process has ended")]
    Orphaned,
    #[error("setting the Landlock rules failed")]
    Landlock(#[from] ::landlock::RulesetError),
    #[error("building the seccomp rules failed")]
    Rules(#[from] seccompiler::BackendError),
    #[error("{} not active here, and sandbox = \"required\"", .0.missing_locks())]
    Missing(SandboxStatus),
    #[error("starting `{program}` failed")]
    Program {
        program: PathBuf,
        #[source]
        source: io::Error,
    },
}

/// Irrevocably drops every right that reading does not need, and ties this process to the life of `parent`.
/// `readable` are folders or files that it may still open for reading.
pub fn lock_down(parent: u32, readable: &[PathBuf]) -> Result<SandboxStatus, SandboxError> {
    let (private_root, uid) = drop_rights(parent, readable)?;
    let landlock = landlock::restrict(readable, &[])?;
    let seccomp = syscalls::restrict(Rules::reading(private_root)?)?;
    Ok(SandboxStatus { landlock, seccomp, private_root, uid })
}

/// What both kinds of children drop before they set the locks. Returns whether there is a private root,
/// and the resulting user id.
fn drop_rights(parent: u32, visible: &[PathBuf]) -> Result<(bool, u32), SandboxError> {
    require_single_thread()?;
    let private_root = private_root::enter(visible).is_ok();
    let of_identity = |error: rustix::io::Errno| SandboxError::Identity(error.into());
    let uid = identity::drop_privileges().map_err(of_identity)?;
    // Otherwise processes of the same user could read the memory of this one.
    set_dumpable_behavior(DumpableBehavior::NotDumpable).map_err(of_identity)?;
    set_no_new_privs(true).map_err(of_identity)?;
    // The kernel resets this request when the user id changes.
    end_with_parent(parent)?;
    Ok((private_root, uid))
}

/// Asks the kernel to end this process with its parent, even in an endless loop.
///
/// For the kernel the parent is the *thread* that started this process: see `pool::starter`.
pub fn end_with_parent(parent: u32) -> Result<(), SandboxError> {
    rustix::process::set_parent_process_death_signal(Some(rustix::process::Signal::KILL))
        .map_err(|error| SandboxError::Limit(error.into()))?;
    // The parent may have ended before the request took effect.
    let now = rustix::process::getppid().map(rustix::process::Pid::as_raw_pid);
    if now == i32::try_from(parent).ok() { Ok(()) } else { Err(SandboxError::Orphaned) }
}

fn require_single_thread() -> Result<(), SandboxError> {
    let threads = std::fs::read_dir("/proc/self/task").map_err(SandboxError::Count)?.count();
    if threads == 1 { Ok(()) } else { Err(SandboxError::Threads { threads }) }
}
