//! Log lines on standard error: text for people, JSON for machines.

use std::io::{self, IsTerminal};

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};

/// What PostgreSQL remarks in passing worries people for nothing: a request that is given up while
/// its transaction begins makes it say "there is no transaction in progress". Who wants to read it
/// names this target in log_level.
const REMARKS: &str = "sqlx::postgres::notice=error";

pub(crate) fn start(config: &LogConfig) {
    // Checked when the configuration was read.
    let filter = EnvFilter::try_new(format!("{REMARKS},{}", config.filter)).unwrap_or_default();
    let on_terminal = io::stderr().is_terminal();
    let logger = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(io::stderr)
        .with_ansi(on_terminal);
    let as_json = match config.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !on_terminal,
    };
    if as_json {
        logger.json().flatten_event(true).with_target(true).init();
    } else {
        logger.with_target(false).init();
    }
}
