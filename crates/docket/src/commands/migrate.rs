//! `docket migrate`

use std::process::ExitCode;

use crate::backend::{DataFolder, with_ops};
use crate::config::Config;
use crate::say::say;

pub(crate) async fn run(config: &Config) -> anyhow::Result<ExitCode> {
    // Opening a database brings it up to date.
    with_ops(config, DataFolder::CreateIfMissing, async |_| Ok(())).await?;
    say("The database is up to date.");
    Ok(ExitCode::SUCCESS)
}
