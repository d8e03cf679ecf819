//! `docket migrate`

use std::process::ExitCode;

use crate::backend::Backend;
use crate::config::Config;
use crate::say::say;

pub(crate) async fn run(config: &Config) -> anyhow::Result<ExitCode> {
    // Opening a database brings it up to date.
    Backend::open(config).await?.close().await?;
    say("The database is up to date.");
    Ok(ExitCode::SUCCESS)
}
