//! The watchdog: a small process beside every attached Docket that stops the server when that Docket was killed and
//! nobody else uses the server for a while.
//!
//! Docket holds one end of a pipe. When it lets go of the server properly, it says so through the pipe; when it is killed,
//! the pipe ends. The watchdog then waits for the grace period, takes the start lock and asks the users lock whether
//! somebody is attached. Each Docket has a watchdog of its own, so one that finds another user has nothing left to do.

use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{ChildStdin, Command, Stdio};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};

use super::cluster::open_folder;
use super::error::{Attempt, Result};
use super::finder::Finder;
use super::locks::{StartLock, UsersLock};
use super::log::ServerLog;

/// How the watchdog is started: `program`, `arguments`, the folder and the seconds. That program calls [`watch`].
#[derive(Debug, Clone)]
pub struct WatchdogCommand {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// How long an unused server keeps running, for the next Docket to find.
    pub grace: Duration,
}

/// What became of the server that was watched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// Its Docket let go of it properly.
    Released,
    /// Its Docket was killed, and others use it.
    StillUsed,
    /// Its Docket was killed, and nobody used it any more: it is stopped.
    Stopped,
    /// Its Docket was killed, and there was no server to stop.
    Gone,
}

/// A watchdog that runs. Dropped, it does what it does for a killed Docket.
#[derive(Debug)]
pub(super) struct Watchdog {
    pipe: ChildStdin,
}

impl Watchdog {
    /// `None`, having said so in the log, where it cannot be started: the server works without it.
    pub(super) fn start(command: &WatchdogCommand, folder: &Path, log: &ServerLog) -> Option<Self> {
        match spawn(command, folder, log) {
            Ok(Some(pipe)) => Some(Self { pipe }),
            Ok(None) => None,
            Err(error) => {
                let error = &error as &dyn std::error::Error;
                tracing::warn!(error, "the private PostgreSQL has no watchdog");
                None
            }
        }
    }

    /// There is nothing to watch any more.
    pub(super) fn release(mut self) {
        // One that is gone need not be told.
        self.pipe.write_all(b".").ok();
    }
}

fn spawn(command: &WatchdogCommand, folder: &Path, log: &ServerLog) -> Result<Option<ChildStdin>> {
    let (stderr, _) = log.open()?;
    let mut child = Command::new(&command.program)
        .arg0("docket")
        .args(&command.arguments)
        .arg(folder)
        .arg(command.grace.as_secs().to_string())
        .current_dir("/")
        // Docket's environment has secrets.
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(stderr)
        // Ctrl-C does not reach it.
        .process_group(0)
        .spawn()
        .attempt("start the watchdog of", folder)?;
    Ok(child.stdin.take())
}

/// The whole life of a watchdog: waits for the end of its Docket, whose end of the pipe is `pipe`, and does what is to
/// be done then.
pub async fn watch(
    mut pipe: impl AsyncRead + Unpin,
    folder: &Path,
    grace: Duration,
) -> Result<Watched> {
    if matches!(pipe.read(&mut [0]).await, Ok(1)) {
        return Ok(Watched::Released);
    }
    tokio::time::sleep(grace).await;
    stop_if_unused(folder).await
}

async fn stop_if_unused(folder: &Path) -> Result<Watched> {
    let data = folder.join("data");
    if !fs::exists(&data).attempt("look for", &data)? {
        return Ok(Watched::Gone);
    }
    let start = StartLock::take(folder).await?;
    if !UsersLock::is_unused(folder, &start)? {
        return Ok(Watched::StillUsed);
    }
    let (handle, log) = (open_folder(&data)?, ServerLog::in_folder(folder));
    let finder = Finder { data: &data, handle: &handle, log: &log };
    Ok(if finder.stop(&start).await? { Watched::Stopped } else { Watched::Gone })
}
