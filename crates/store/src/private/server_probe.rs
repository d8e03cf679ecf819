//! Finds and stops the server of a cluster, whichever process started it.
//!
//! The server **runs** if, and only if, `postmaster.pid` names a live process whose working folder is the cluster's
//! folder. It is **ready** when the status line of that file says so. No other state is stored: a server that a killed
//! Docket started is found like any other.

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
use super::pid_file::{self, PidFile, PidFileState};
use super::process::Process;

/// A fast shutdown writes a checkpoint.
const STOP_LIMIT: Duration = Duration::from_mins(2);
/// An immediate shutdown writes nothing, and the next start recovers.
const QUIT_LIMIT: Duration = Duration::from_secs(30);
/// A running server accepts at once; the limit is for an overloaded machine.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// Inspects one cluster.
#[derive(Clone, Copy, Debug)]
pub(super) struct ServerProbe<'a> {
    pub(super) data: &'a Path,
    /// A handle of the same folder.
    pub(super) handle: &'a OwnedFd,
    pub(super) log: &'a ServerLog,
}

/// The state of a cluster's server.
#[derive(Debug)]
pub(super) enum ServerState {
    NotRunning,
    /// It is starting or stopping.
    NotReady(Process),
    Ready(Process),
}

/// The process that accepts connections to the cluster.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Listener {
    Process(Pid),
    /// In another container, without a process id here.
    Invisible,
}

impl ServerProbe<'_> {
    /// Stops the server and waits until it has ended; returns whether one ran.
    pub(super) async fn stop(self, _start: &StartLock) -> Result<bool> {
        let (ServerState::Ready(process) | ServerState::NotReady(process)) = self.state().await?
        else {
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

    pub(super) async fn state(self) -> Result<ServerState> {
        let found = pid_file::read(self.data).attempt("read the pid file in", self.data)?;
        let PidFileState::PidFile(file) = found else { return Ok(ServerState::NotRunning) };
        match self.find_process(file).await? {
            Some(process) if file.ready => Ok(ServerState::Ready(process)),
            Some(process) => Ok(ServerState::NotReady(process)),
            None => Ok(ServerState::NotRunning),
        }
    }

    /// Which process listens on the cluster's socket, if any does.
    pub(super) async fn listener(self) -> Option<Listener> {
        let socket = path_of(self.handle).join(SOCKET);
        let connection = timeout(CONNECT_LIMIT, UnixStream::connect(socket)).await.ok()?.ok()?;
        Some(match connection.peer_cred().ok()?.pid().and_then(Pid::from_raw) {
            Some(pid) => Listener::Process(pid),
            None => Listener::Invisible,
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
