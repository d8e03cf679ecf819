//! The watchdog: a small process beside every attached Docket that stops the server when that Docket was killed and
//! nobody else uses the server for a while.
//!
//! Docket holds one end of a pipe. When it lets go of the server properly, it says so through the pipe; when it is killed,
//! the pipe ends. The watchdog then waits for the grace period, takes the start lock and asks the users lock whether
//! somebody is attached. Each Docket has a watchdog of its own, so one that finds another user has nothing left to do.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt};
use tokio::process::Command;

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
    pipe: File,
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

fn spawn(command: &WatchdogCommand, folder: &Path, log: &ServerLog) -> Result<Option<File>> {
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
        .stderr(log.append()?)
        // Ctrl-C does not reach it.
        .process_group(0)
        .spawn()
        .attempt("start the watchdog of", folder)?;
    let Some(pipe) = child.stdin.take() else { return Ok(None) };
    let pipe = pipe.into_owned_fd().attempt("hold the pipe to the watchdog of", folder)?;
    // One that is killed before its Docket would stay a zombie for as long as that runs.
    tokio::spawn(async move { child.wait().await });
    Ok(Some(File::from(pipe)))
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

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_watchdog_leaves_the_log_as_it_is_and_no_zombie_when_it_is_killed() {
        let folder = tempfile::tempdir().unwrap();
        let log = ServerLog::in_folder(folder.path());
        File::create(log.path()).unwrap().set_len(5 << 20).unwrap();
        let killed = "echo $$ > $0/pid.new && mv $0/pid.new $0/pid && echo late >&2 && kill -9 $$";
        let command = WatchdogCommand {
            program: "/bin/sh".into(),
            arguments: vec!["-c".into(), killed.into()],
            grace: Duration::ZERO,
        };
        let watchdog = Watchdog::start(&command, folder.path(), &log).unwrap();
        let pid = folder.path().join("pid");
        let is_reaped = || {
            let pid = fs::read_to_string(&pid).ok()?;
            (!fs::exists(Path::new("/proc").join(pid.trim())).unwrap()).then_some(())
        };
        let reaped = async {
            while is_reaped().is_none() {
                tokio::task::yield_now().await;
            }
        };
        tokio::time::timeout(Duration::from_mins(1), reaped).await.unwrap();
        assert_eq!(fs::metadata(log.path()).unwrap().len(), (5 << 20) + 5, "its line was added");
        watchdog.release();
    }
}
