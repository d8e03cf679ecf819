//! A process by its pidfd, which refers to the same process even when its id is reused.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::process::Child;

use rustix::fs::{fstat, stat};
use rustix::io::Errno;
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

#[derive(Debug)]
pub(super) struct Process {
    pid: Pid,
    handle: AsyncFd<OwnedFd>,
}

impl Process {
    /// The process with this id, if there is one. It may be a zombie.
    pub(super) fn find(pid: Pid) -> io::Result<Option<Self>> {
        match pidfd_open(pid, PidfdFlags::empty()) {
            Ok(handle) => Ok(Some(Self { pid, handle: watch(handle)? })),
            Err(Errno::SRCH | Errno::INVAL) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// The process of a child. From now on only [`Process::exited`] waits for it.
    pub(super) fn of_child(child: &Child) -> io::Result<Self> {
        Self::find(Pid::from_child(child))?.ok_or_else(|| Errno::SRCH.into())
    }

    pub(super) fn id(&self) -> u32 {
        self.pid.as_raw_nonzero().get().unsigned_abs()
    }

    /// Waits until the process has ended. Reaps a child of this process, and returns its exit code if it exited by itself.
    pub(super) async fn exited(&self) -> io::Result<Option<i32>> {
        let _ = self.handle.readable().await?;
        let which = WaitId::PidFd(self.handle.get_ref().as_fd());
        match waitid(which, WaitIdOptions::EXITED | WaitIdOptions::NOHANG) {
            Ok(status) => Ok(status.and_then(|status| status.exit_status())),
            // It is not a child of this process, or was reaped already.
            Err(Errno::CHILD) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Succeeds when the process has ended already.
    pub(super) fn signal(&self, signal: Signal) -> io::Result<()> {
        match pidfd_send_signal(self.handle.get_ref(), signal) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Whether the working folder of the process is `folder`. `None` when the kernel does not permit the check: in most
    /// containers, root may not inspect processes of other users.
    pub(super) fn works_in(&self, folder: &OwnedFd) -> io::Result<Option<bool>> {
        let wanted = fstat(folder)?;
        match stat(format!("/proc/{}/cwd", self.id())) {
            Ok(found) => Ok(Some((found.st_dev, found.st_ino) == (wanted.st_dev, wanted.st_ino))),
            // A zombie has no working folder any more.
            Err(Errno::NOENT | Errno::SRCH) => Ok(Some(false)),
            Err(Errno::ACCESS | Errno::PERM) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The event loop reports a pidfd as readable once its process has ended.
#[expect(
    deprecated,
    reason = "its successor is unsafe for types that may swap their descriptor; `OwnedFd` cannot"
)]
fn watch(handle: OwnedFd) -> io::Result<AsyncFd<OwnedFd>> {
    AsyncFd::with_interest(handle, Interest::READABLE)
}
