//! The data folder of a test, with direct access to its database.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, PgConnection};
use tempfile::TempDir;

use super::{TIMEOUT, eventually};

/// Not there until Docket makes it; gone, with its PostgreSQL, when the test ends.
#[derive(Debug)]
pub(crate) struct DataFolder {
    parent: TempDir,
}

impl DataFolder {
    pub(crate) fn new() -> Self {
        Self { parent: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.parent.path().join("data")
    }

    /// The permissions of something in it, in octal: `700`.
    pub(crate) fn mode(&self, inside: &str) -> String {
        let found = fs::metadata(self.path().join(inside)).unwrap();
        format!("{:o}", found.permissions().mode() & 0o7777)
    }

    pub(crate) fn cluster(&self) -> PathBuf {
        self.path().join("postgres/data")
    }

    /// The private PostgreSQL that runs on this folder.
    pub(crate) fn postmaster(&self) -> Option<u32> {
        let file = fs::read_to_string(self.cluster().join("postmaster.pid")).ok()?;
        let pid = file.lines().next()?.parse().ok()?;
        (lives(pid) && works_in(pid, &self.cluster())).then_some(pid)
    }

    /// A connection to the private server past Docket, as its superuser.
    pub(crate) async fn superuser(&self) -> PgConnection {
        let options = PgConnectOptions::new_without_pgpass()
            .socket(self.cluster())
            .port(5432)
            .username("docket")
            .database("docket")
            .ssl_mode(PgSslMode::Disable);
        let connected = tokio::time::timeout(TIMEOUT, options.connect()).await;
        connected.expect("the private server is quick").expect("the private server answers")
    }

    /// Waits until no PostgreSQL serves this folder.
    pub(crate) async fn is_left_alone(&self) {
        eventually("PostgreSQL is gone", async || self.postmaster().is_none()).await;
    }
}

impl Drop for DataFolder {
    /// A failed test must not leave a server running.
    fn drop(&mut self) {
        if let Some(pid) = self.postmaster() {
            kill(pid, Signal::QUIT);
        }
    }
}

/// Sends a signal; the process may have ended.
pub(crate) fn kill(pid: u32, signal: Signal) {
    let pid = i32::try_from(pid).ok().and_then(Pid::from_raw).expect("a process number");
    kill_process(pid, signal).ok();
}

/// Whether the process runs; a zombie does not.
pub(crate) fn lives(pid: u32) -> bool {
    let Ok(status) = fs::read_to_string(format!("/proc/{pid}/stat")) else { return false };
    // "123 (name) S …": the name may hold anything.
    status.rsplit_once(") ").is_some_and(|(_, rest)| !rest.starts_with(['Z', 'X']))
}

fn works_in(pid: u32, folder: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
    let working = place(Path::new(&format!("/proc/{pid}/cwd")));
    working.is_some() && working == place(folder)
}
