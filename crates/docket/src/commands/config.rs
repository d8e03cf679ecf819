//! `docket config`

use std::process::ExitCode;

use crate::config::{Config, Layers};
use crate::say::say;

/// Prints what is in force even when it does not work, and then says what does not.
pub(crate) fn run(layers: &Layers) -> anyhow::Result<ExitCode> {
    for line in layers.lines() {
        say(line);
    }
    Config::from_layers(layers)?;
    Ok(ExitCode::SUCCESS)
}
