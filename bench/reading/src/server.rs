//! A real server, started as a user would: `docket serve` on a folder of its own.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, kill_process};
use sqlx::postgres::{PgConnectOptions, PgSslMode};
use sqlx::{ConnectOptions, PgConnection};

pub(crate) const PASSWORD: &str = "a password for a benchmark";
pub(crate) const ADMIN: &str = "admin@localhost";

/// The path of the binary that is measured.
pub(crate) fn binary(docket: Option<&Path>) -> anyhow::Result<PathBuf> {
    let docket = docket.context(
        "name the binary to measure: --docket target/dist/docket, or DOCKET_BENCH_BINARY",
    )?;
    docket.canonicalize().with_context(|| docket.display().to_string())
}

/// A running server; stopped when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Kept open for what it may still say.
    stdout: BufReader<ChildStdout>,
    docket: PathBuf,
    folder: PathBuf,
    /// Where it answers: `http://…`.
    pub(crate) address: String,
}

impl Server {
    /// With settings of its own: names in the environment, and values.
    pub(crate) fn start(
        docket: &Path,
        folder: &Path,
        settings: &[(&str, String)],
    ) -> anyhow::Result<Self> {
        let mut child = command(docket, folder, &["serve", "--listen", "127.0.0.1:0"])
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .spawn()
            .context("the server cannot be started")?;
        let stdout = BufReader::new(child.stdout.take().context("no standard output")?);
        let (docket, folder) = (docket.to_owned(), folder.to_owned());
        let mut server = Self { child, stdout, docket, folder, address: String::new() };
        let mut said = String::new();
        while server.stdout.read_line(&mut said)? > 0 {
            if let Some((_, address)) = said.trim().rsplit_once("Docket is ready at ") {
                address.clone_into(&mut server.address);
                return Ok(server);
            }
        }
        bail!("the server did not start, and said {said:?}")
    }

    /// `docket` as a client or as an operator of this server.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        command(&self.docket, &self.folder, arguments)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Whether the process that was started is still the one that serves.
    pub(crate) fn is_alive(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }

    /// Adds a tenant, and gives its administrator's email address.
    pub(crate) fn create_tenant(&self, name: &str) -> anyhow::Result<String> {
        let email = format!("admin@{name}.example");
        let made = self
            .command(&["tenants", "create", name, "--admin-email", &email])
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .stdout(Stdio::null())
            .status()?;
        ensure!(made.success(), "the tenant {name} could not be made");
        Ok(email)
    }

    /// A superuser's session with its database, past tenants and permissions.
    pub(crate) async fn superuser(&self) -> anyhow::Result<PgConnection> {
        let options = PgConnectOptions::new_without_pgpass()
            .socket(data_dir(&self.folder).join("postgres/data"))
            .port(5432)
            .username("docket")
            .database("docket")
            .ssl_mode(PgSslMode::Disable);
        Ok(options.connect().await?)
    }

    /// As a service manager would.
    fn stop(&mut self) -> anyhow::Result<()> {
        if self.is_alive() {
            let pid = Pid::from_raw(self.child.id().cast_signed()).context("no such pid")?;
            kill_process(pid, Signal::TERM)?;
            self.child.wait()?;
        }
        Ok(())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.stop().ok();
    }
}

fn data_dir(folder: &Path) -> PathBuf {
    folder.join("data")
}

fn command(docket: &Path, folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(docket);
    command
        .args(arguments)
        .env("DOCKET_DATA_DIR", data_dir(folder))
        .env("DOCKET_CONFIG_HOME", folder.join("home"))
        .env("DOCKET_LOG_LEVEL", "warn")
        .env_remove("DOCKET_DATABASE_URL");
    command
}
