//! The two locks that let several Dockets share one server.
//!
//! Both are `flock`s: the kernel releases them with the process, so a killed Docket leaves nothing to clean up.
//!
//! - **start lock** (`start.lock`, exclusive): held while a process creates the cluster, or finds, starts or stops the
//!   server.
//! - **users lock** (`users.lock`, shared): held by every attached Docket. A process that can make its lock exclusive is
//!   the last user.
//!
//! A Docket attaches and detaches only while it holds the start lock, so no process can attach to a server that another
//! is about to stop.

use std::fs::{File, OpenOptions};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::Duration;

use rustix::fs::{FlockOperation, flock};
use rustix::io::Errno;
use tokio::time::{Instant, sleep};

use super::error::{Attempt, PrivateServerError, Result};

/// Longer than a normal start or stop takes: see the limits in `server.rs`.
const LIMIT: Duration = Duration::from_mins(10);
/// A blocking `flock` would occupy a thread that nothing can interrupt, and a lock sends no event.
const POLL: Duration = Duration::from_millis(15);

/// Proves that this process may start or stop the server.
#[derive(Debug)]
pub(super) struct StartLock(#[expect(dead_code, reason = "it is held, not used")] Lock);

impl StartLock {
    pub(super) async fn take(folder: &Path) -> Result<Self> {
        Lock::take(&folder.join("start.lock"), FlockOperation::NonBlockingLockExclusive)
            .await
            .map(Self)
    }
}

/// Shows that this process is attached to the server.
#[derive(Debug)]
pub(super) struct UsersLock(Lock);

impl UsersLock {
    pub(super) async fn join(folder: &Path, _start: &StartLock) -> Result<Self> {
        // No process can hold it exclusively now, except one that is ending and has released the start lock already:
        // hence the wait.
        Lock::take(&folder.join("users.lock"), FlockOperation::NonBlockingLockShared)
            .await
            .map(Self)
    }

    /// Whether no process is attached; then none can attach until the start lock is released.
    pub(super) fn is_unused(folder: &Path, _start: &StartLock) -> Result<bool> {
        let path = folder.join("users.lock");
        // Writable, because NFS grants an exclusive lock only on a writable file.
        let file = match OpenOptions::new().read(true).write(true).open(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(true),
            opened => opened.attempt("open", &path)?,
        };
        match flock(&file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) => Ok(true),
            Err(Errno::WOULDBLOCK) => Ok(false),
            Err(error) => Err(error).attempt("lock", &path),
        }
    }

    /// Detaches; returns whether no other process is attached.
    pub(super) fn leave(self, _start: &StartLock) -> bool {
        // The kernel releases the shared lock first, whether or not it grants the exclusive one.
        flock(&self.0.0, FlockOperation::NonBlockingLockExclusive).is_ok()
    }
}

#[derive(Debug)]
struct Lock(File);

impl Lock {
    async fn take(path: &Path, operation: FlockOperation) -> Result<Self> {
        let file = OpenOptions::new()
            .read(true)
            .write(true)
            .create(true)
            .truncate(false)
            .mode(0o600)
            .open(path)
            .attempt("open", path)?;
        let deadline = Instant::now() + LIMIT;
        loop {
            match flock(&file, operation) {
                Ok(()) => return Ok(Self(file)),
                Err(Errno::WOULDBLOCK | Errno::INTR) if Instant::now() < deadline => {
                    sleep(POLL).await;
                }
                Err(Errno::WOULDBLOCK) => {
                    let (lock, seconds) = (path.to_owned(), LIMIT.as_secs());
                    return Err(PrivateServerError::Busy { lock, seconds });
                }
                refused => refused.attempt("lock", path)?,
            }
        }
    }
}

impl Drop for Lock {
    /// Closing is not enough: a child process between fork and exec still has the file open.
    fn drop(&mut self) {
        if let Err(error) = flock(&self.0, FlockOperation::Unlock) {
            tracing::warn!(%error, "a lock of the private PostgreSQL server was not released");
        }
    }
}
