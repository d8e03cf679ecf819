//! A folder for a server, and helpers for both.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rustix::process::{Pid, Signal, geteuid, kill_process, test_kill_process};
use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, Connection, PgConnection};
use store::private::{Durability, PrivateServer, PrivateServerError, Released, Settings};
use tempfile::TempDir;
use testkit::Disk;

pub(crate) struct Home {
    pub(crate) folder: TempDir,
}

impl Home {
    pub(crate) fn new() -> Self {
        Self { folder: tempfile::tempdir().expect("a temporary folder") }
    }

    pub(crate) fn path(&self) -> PathBuf {
        self.folder.path().join("postgres")
    }

    pub(crate) fn data(&self) -> PathBuf {
        self.path().join("data")
    }

    /// Puts the folder on a disk of its own, where that is allowed.
    pub(crate) fn on_a_disk(&self, options: &str) -> Option<Disk> {
        Disk::mounted_at(&self.path(), options)
    }

    pub(crate) async fn attach(&self) -> PrivateServer {
        self.try_attach().await.unwrap_or_else(|error| panic!("{error} {error:?}"))
    }

    pub(crate) async fn try_attach(&self) -> Result<PrivateServer, PrivateServerError> {
        PrivateServer::start_or_attach(settings(&self.path())).await
    }

    /// A complete cluster without a server.
    pub(crate) async fn make_cluster(&self) {
        let server = self.attach().await;
        assert_eq!(server.release().await.unwrap(), Released::Stopped);
    }

    pub(crate) async fn refusal(&self) -> String {
        match self.try_attach().await {
            Ok(server) => panic!("process {} serves", server.postmaster_pid()),
            Err(error) => error.to_string(),
        }
    }
}

impl Drop for Home {
    /// A failed test must not leave a server behind.
    fn drop(&mut self) {
        if let Some(pid) = pid_in(&self.data())
            && works_in(pid, &self.data())
        {
            kill(pid, Signal::QUIT);
        }
    }
}

pub(crate) fn settings(folder: &Path) -> Settings {
    let mut settings = Settings::new(folder);
    settings.durability = Durability::OffForTests;
    if !geteuid().is_root() {
        // Unpacked once for all tests.
        settings.programs_folder = Some(Path::new(env!("CARGO_TARGET_TMPDIR")).join("programs"));
    }
    settings
}

pub(crate) fn pid_in(data: &Path) -> Option<u32> {
    fs::read_to_string(data.join("postmaster.pid")).ok()?.lines().next()?.parse().ok()
}

pub(crate) fn works_in(pid: u32, data: &Path) -> bool {
    let place = |path: &Path| fs::metadata(path).map(|it| (it.dev(), it.ino())).ok();
    let working = place(Path::new(&format!("/proc/{pid}/cwd")));
    working.is_some() && working == place(data)
}

pub(crate) fn raw(pid: u32) -> Pid {
    Pid::from_raw(pid.try_into().unwrap()).unwrap()
}

pub(crate) fn kill(pid: u32, signal: Signal) {
    kill_process(raw(pid), signal).expect("the process is there");
}

pub(crate) fn lives(pid: u32) -> bool {
    test_kill_process(raw(pid)).is_ok()
}

pub(crate) async fn connect(server: &PrivateServer) -> PgConnection {
    let options = PgConnectOptions::new_without_pgpass()
        .socket(server.socket_dir())
        .port(5432)
        .username(server.user())
        .database("postgres");
    options.connect().await.expect("a connection")
}

pub(crate) async fn execute(server: &PrivateServer, sql: &'static str) {
    let mut connection = connect(server).await;
    sqlx::raw_sql(sql).execute(&mut connection).await.expect(sql);
    connection.close().await.expect("a polite end");
}

pub(crate) async fn ask(server: &PrivateServer, sql: &'static str) -> String {
    let mut connection = connect(server).await;
    sqlx::query_scalar(sql).fetch_one(&mut connection).await.expect(sql)
}

/// Waits for an effect of other processes.
pub(crate) async fn eventually(what: &str, mut holds: impl FnMut() -> bool) {
    let wait = async {
        while !holds() {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    };
    let waited = tokio::time::timeout(Duration::from_secs(30), wait).await;
    assert!(waited.is_ok(), "{what}: not within 30 seconds");
}

pub(crate) fn needs_root() -> bool {
    let root = geteuid().is_root();
    if !root {
        println!("skipped: needs root");
    }
    root
}
