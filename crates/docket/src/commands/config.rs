//! `docket config`

use std::process::ExitCode;

use crate::config::{Config, Layers};
use crate::say::say;

/// Prints all settings even when some are invalid, and then reports the first invalid one.
pub(crate) fn run(layers: &Layers) -> anyhow::Result<ExitCode> {
    for line in layers.lines() {
        say(line);
    }
    Config::from_layers(layers)?;
    Ok(ExitCode::SUCCESS)
}
