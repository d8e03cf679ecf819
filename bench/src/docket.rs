//! The real thing, started as a user would: `docket serve` on a folder of its own.

use std::io::{BufRead, BufReader};
use std::net::SocketAddr;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::time::{Duration, Instant};

use anyhow::{Context, bail, ensure};
use rustix::process::{Pid, Signal, getuid, kill_process};
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::{load, machine};

const PASSWORD: &str = "bench a long password";
/// The user that Docket becomes where it must not be root.
pub(crate) const NOBODY: u32 = 65534;
pub(crate) const ADMIN: &str = "admin@localhost";

/// A running server; stopped when dropped.
#[derive(Debug)]
pub(crate) struct Server {
    child: Child,
    /// Kept open for what it may still say.
    stdout: BufReader<ChildStdout>,
    pub(crate) address: SocketAddr,
}

impl Server {
    /// Starts `command` and waits until it prints a line that ends in the address it answers on.
    pub(crate) fn start(mut command: Command) -> anyhow::Result<Self> {
        let mut child = command
            // Ctrl-C is for us: we stop it.
            .process_group(0)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {}", command.get_program().display()))?;
        let stdout = child.stdout.take().context("no standard output")?;
        let nowhere = SocketAddr::from(([127, 0, 0, 1], 0));
        let mut server = Self { child, stdout: BufReader::new(stdout), address: nowhere };
        let mut said = String::new();
        while server.stdout.read_line(&mut said)? > 0 {
            if let Some((_, address)) = said.trim().rsplit_once(" at http://") {
                server.address = address.parse()?;
                return Ok(server);
            }
        }
        bail!("it did not start, and said {said:?}")
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Stops it as a service manager would, and waits.
    pub(crate) fn stop(&mut self) -> anyhow::Result<()> {
        if self.child.try_wait()?.is_none() {
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

/// Docket on a data folder.
#[derive(Debug)]
pub(crate) struct Docket {
    pub(crate) server: Server,
    binary: PathBuf,
    data_dir: PathBuf,
}

impl Docket {
    pub(crate) fn start(binary: &Path, data_dir: &Path) -> anyhow::Result<Self> {
        Self::start_with(binary, data_dir, Self::command(binary, data_dir))
    }

    /// With settings of its own: names in the environment, and values.
    pub(crate) fn start_set(
        binary: &Path,
        data_dir: &Path,
        settings: &[(&str, &str)],
    ) -> anyhow::Result<Self> {
        let mut command = Self::command(binary, data_dir);
        command.envs(settings.iter().copied());
        Self::start_with(binary, data_dir, command)
    }

    /// As this user, or as nobody when this user is root.
    pub(crate) fn start_unprivileged(binary: &Path, data_dir: &Path) -> anyhow::Result<Self> {
        let mut command = Self::command(binary, data_dir);
        if getuid().is_root() {
            command.uid(NOBODY).gid(NOBODY);
        }
        Self::start_with(binary, data_dir, command)
    }

    fn start_with(binary: &Path, data_dir: &Path, command: Command) -> anyhow::Result<Self> {
        let server = Server::start(command)?;
        Ok(Self { server, binary: binary.to_owned(), data_dir: data_dir.to_owned() })
    }

    /// `docket serve`, with its limits out of the way.
    fn command(binary: &Path, data_dir: &Path) -> Command {
        let mut command = Command::new(binary);
        command
            .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
            .arg(data_dir)
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .env("DOCKET_LOGIN_ATTEMPTS_PER_MINUTE", "1000")
            .env("DOCKET_RATE_LIMIT_PER_SECOND", "10000000")
            .env("DOCKET_RATE_LIMIT_BURST", "10000000")
            .env("DOCKET_LOG_LEVEL", "warn")
            .env_remove("DOCKET_DATABASE_URL");
        command
    }

    pub(crate) fn data_dir(&self) -> &Path {
        &self.data_dir
    }

    pub(crate) fn cluster(&self) -> PathBuf {
        self.data_dir.join("postgres/data")
    }

    /// Every process of the private PostgreSQL.
    pub(crate) fn postgres_pids(&self) -> anyhow::Result<Vec<u32>> {
        Ok(machine::family_of(machine::postmaster(&self.cluster())?))
    }

    /// Adds a tenant, and gives its administrator's email address.
    pub(crate) fn create_tenant(&self, name: &str) -> anyhow::Result<String> {
        let email = format!("admin@{name}.example");
        let made = Command::new(&self.binary)
            .args(["tenants", "create", name, "--admin-email", &email, "--data-dir"])
            .arg(&self.data_dir)
            .env("DOCKET_ADMIN_PASSWORD", PASSWORD)
            .env_remove("DOCKET_DATABASE_URL")
            .stdout(Stdio::null())
            .status()?;
        ensure!(made.success(), "the tenant {name} could not be made");
        Ok(email)
    }

    /// Signs in and gives the token.
    pub(crate) async fn sign_in(&self, email: &str) -> anyhow::Result<String> {
        let body = json!({ "email": email, "password": PASSWORD }).to_string();
        let answer =
            ask(self.server.address, &request("POST", "/v1/auth/login", None, &body)).await?;
        let answer: Value = serde_json::from_str(&answer)?;
        Ok(answer["token"].as_str().context("signing in gave no token")?.to_owned())
    }

    pub(crate) async fn wait_until_ready(&self) -> anyhow::Result<()> {
        let until = Instant::now() + Duration::from_secs(10);
        while ask(self.server.address, &request("GET", "/readyz", None, "")).await.is_err() {
            if Instant::now() > until {
                bail!("/readyz is not 200 after 10 s");
            }
            tokio::time::sleep(Duration::from_millis(1)).await;
        }
        Ok(())
    }
}

/// The text of a request.
pub(crate) fn request(method: &str, path: &str, token: Option<&str>, body: &str) -> Vec<u8> {
    let authorization =
        token.map_or(String::new(), |token| format!("authorization: Bearer {token}\r\n"));
    let about_body = if body.is_empty() {
        String::new()
    } else {
        format!("content-type: application/json\r\ncontent-length: {}\r\n", body.len())
    };
    format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{authorization}{about_body}\r\n{body}")
        .into_bytes()
}

/// Sends one request on a connection of its own and gives the body of the answer.
pub(crate) async fn ask(address: SocketAddr, request: &[u8]) -> anyhow::Result<String> {
    let mut stream = TcpStream::connect(address).await?;
    stream.write_all(request).await?;
    let mut answer = Vec::new();
    let body = load::read_answer(&mut stream, &mut answer).await?;
    Ok(String::from_utf8(answer.split_off(body))?)
}
