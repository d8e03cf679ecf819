//! How long a test waits for a database of its own.

use std::process::Stdio;

use anyhow::{Context, ensure};
use tokio::process::Command;

use crate::Bench;
use crate::report::{Figure, Unit};

const CLONES: usize = 30;

pub(crate) async fn run(_: &Bench) -> anyhow::Result<Vec<Figure>> {
    let programs = std::env::current_exe()?;
    let done = Command::new(programs.with_file_name("with-test-postgres"))
        .arg(programs.with_file_name("clone-databases"))
        .arg(CLONES.to_string())
        .env_remove("TEST_DATABASE_URL")
        .stderr(Stdio::inherit())
        .output()
        .await?;
    ensure!(done.status.success(), "cloning databases failed");
    let times = String::from_utf8(done.stdout)?;
    let times: Result<Vec<f64>, _> = times.lines().map(str::parse).collect();
    let times = times.context("clone-databases prints one number a line")?;
    Ok(vec![Figure::alone("test database", "clone of the template", Unit::Milliseconds, &times)])
}
