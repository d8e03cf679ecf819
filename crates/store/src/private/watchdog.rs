//! The watchdog: a small process of every attached Docket that stops the server when that Docket was killed and no other
//! process uses the server for a while.
//!
//! Docket holds one end of a pipe. It writes to the pipe when it detaches properly; when it is killed, the pipe is closed.
//! The watchdog then waits for the grace period, takes the start lock and checks the users lock for attached processes.
//! Each Docket has its own watchdog, so a watchdog that finds another attached process simply ends.

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
use super::locks::{StartLock, UsersLock};
use super::log::ServerLog;
use super::server_probe::ServerProbe;

/// How the watchdog is started: `program`, `arguments`, the folder and the seconds. That program calls [`watch`].
#[derive(Debug, Clone)]
pub struct WatchdogCommand {
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
    /// How long an unused server keeps running, for the next Docket to find.
    pub grace: Duration,
}

/// The result of watching.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Watched {
    /// Its Docket detached properly.
    Released,
    /// Its Docket was killed, and other processes use the server.
    StillUsed,
    /// Its Docket was killed, and no process used the server: it was stopped.
    Stopped,
    /// Its Docket was killed, and no server was running.
    Gone,
}

/// A running watchdog. Dropping it has the same effect as the death of its Docket.
#[derive(Debug)]
pub(super) struct Watchdog {
    pipe: File,
}

impl Watchdog {
    /// `None` when it cannot be started, which is logged: the server works without it.
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

    /// Ends the watchdog.
    pub(super) fn release(mut self) {
        // An error means that the watchdog has ended already.
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
        // Docket's environment contains secrets.
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
    // Reap it, so that a watchdog that dies before its Docket does not stay a zombie.
    tokio::spawn(async move { child.wait().await });
    Ok(Some(File::from(pipe)))
}

/// The main function of a watchdog: waits until its Docket detaches or dies (`pipe` shows it), and then stops the server if
/// it is unused.
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
    let probe = ServerProbe { data: &data, handle: &handle, log: &log };
    Ok(if probe.stop(&start).await? { Watched::Stopped } else { Watched::Gone })
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
