//! Runs a command with `TEST_DATABASE_URL` set: `with-test-postgres cargo nextest run`.
//!
//! Starts a private PostgreSQL in a temporary folder for it, and removes both afterwards. When
//! `TEST_DATABASE_URL` is set already, that server is used and only the run's databases are removed.

use std::process::ExitCode;

use anyhow::Context;
use testkit::{TestServer, remove_databases_of_this_run};
use tokio::process::Command;

#[tokio::main]
async fn main() -> anyhow::Result<ExitCode> {
    let mut arguments = std::env::args_os().skip(1);
    let program = arguments.next().context("name the command to run")?;
    let run = std::process::id().to_string();
    let mut command = Command::new(program);
    command.args(arguments).env("DOCKET_TEST_RUN", &run);

    if let Ok(url) = std::env::var("TEST_DATABASE_URL") {
        let status = command.status().await?;
        remove_databases_of_this_run(&url, &run).await?;
        return Ok(exit_code(status));
    }
    let folder = tempfile::Builder::new().prefix("docket-test-").tempdir()?;
    let server = TestServer::start(folder.path().join("postgres")).await?;
    let status = command.env("TEST_DATABASE_URL", server.url()).status().await;
    server.stop().await?;
    Ok(exit_code(status?))
}

/// 101 when the command was killed, as cargo itself has it.
fn exit_code(status: std::process::ExitStatus) -> ExitCode {
    let code = status.code().and_then(|code| u8::try_from(code).ok());
    ExitCode::from(code.unwrap_or(101))
}
