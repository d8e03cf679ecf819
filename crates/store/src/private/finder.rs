//! Finding and stopping the server of a cluster, whoever started it.
//!
//! The server **runs** if, and only if, `postmaster.pid` names a living process that works in the
//! cluster's folder. It is **ready** when the status line of that file says so. Nothing else is
//! remembered anywhere: a server that was started by a Docket since killed is found like any other.

use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::Duration;

use rustix::process::{Pid, Signal};
use tokio::net::UnixStream;
use tokio::time::timeout;

use super::SOCKET;
use super::cluster::path_of;
use super::error::{Attempt, PrivateServerError, Result};
use super::locks::StartLock;
use super::log::ServerLog;
use super::pid_file::{self, Found, PidFile};
use super::process::Process;

/// A fast shutdown writes a checkpoint.
const STOP_LIMIT: Duration = Duration::from_mins(2);
/// An immediate shutdown writes nothing, and recovery puts it right at the next start.
const QUIT_LIMIT: Duration = Duration::from_secs(30);
/// The server accepts at once or is not there; this only bounds a machine that stands still.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Looks at one cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct Finder<'a> {
    pub(super) data: &'a Path,
    /// The same folder, open.
    pub(super) handle: &'a OwnedFd,
    pub(super) log: &'a ServerLog,
}

/// What a look at the cluster shows.
#[derive(Debug)]
pub(super) enum Seen {
    Nobody,
    /// It runs and is on its way up or down.
    NotReady(Process),
    Ready(Process),
}

/// Who accepts connections to the cluster.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Listener {
    Process(Pid),
    /// In a container whose processes have no number here.
    OutOfSight,
}

impl Finder<'_> {
    /// Stops the server and waits until it is gone; says whether one ran.
    pub(super) async fn stop(self, _start: &StartLock) -> Result<bool> {
        let (Seen::Ready(process) | Seen::NotReady(process)) = self.look().await? else {
            return Ok(false);
        };
        for (signal, limit) in [(Signal::INT, STOP_LIMIT), (Signal::QUIT, QUIT_LIMIT)] {
            process.signal(signal).attempt("stop the server in", self.data)?;
            if let Ok(gone) = timeout(limit, process.exited()).await {
                gone.attempt("wait for the server in", self.data)?;
                return Ok(true);
            }
            tracing::warn!(pid = process.id(), ?signal, "the PostgreSQL server does not stop");
        }
        let log = self.log.path().to_owned();
        Err(PrivateServerError::DidNotStop { pid: process.id(), log })
    }

    pub(super) async fn look(self) -> Result<Seen> {
        let found = pid_file::read(self.data).attempt("read the pid file in", self.data)?;
        let Found::PidFile(file) = found else { return Ok(Seen::Nobody) };
        match self.find_process(file).await? {
            Some(process) if file.ready => Ok(Seen::Ready(process)),
            Some(process) => Ok(Seen::NotReady(process)),
            None => Ok(Seen::Nobody),
        }
    }

    /// Which process listens on the cluster's socket, if any does.
    pub(super) async fn listener(self) -> Option<Listener> {
        let socket = path_of(self.handle).join(SOCKET);
        let connection = timeout(CONNECT_LIMIT, UnixStream::connect(socket)).await.ok()?.ok()?;
        Some(match connection.peer_cred().ok()?.pid().and_then(Pid::from_raw) {
            Some(pid) => Listener::Process(pid),
            None => Listener::OutOfSight,
        })
    }

    /// The process that `file` names, if it is the server of this cluster.
    async fn find_process(self, file: PidFile) -> Result<Option<Process>> {
        let process = Process::find(file.pid).attempt("find the server in", self.data)?;
        let Some(process) = process else {
            return Ok(None);
        };
        let works_here = process.works_in(self.handle);
        let is_server = match works_here.attempt("find the server in", self.data)? {
            Some(works_here) => works_here,
            None => self.listener().await == Some(Listener::Process(file.pid)),
        };
        Ok(is_server.then_some(process))
    }
}
