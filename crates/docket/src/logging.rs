//! Log lines on standard error: text for people, JSON for machines.
//!
//! Separate threads write them (`line_queue.rs`), so that logging never affects the service: when the pipe is closed or
//! blocked, or the disk is full, log lines are lost and nothing else.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};
use crate::line_queue::{LineQueue, OnRecovery};

/// PostgreSQL's notices are misleading: a request that is cancelled while its transaction begins causes "there is no
/// transaction in progress". They are logged when log_level names this target.
const NOTICES: &str = "sqlx::postgres::notice=error";

/// How long the process waits at its end until the queued lines are written.
const FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

static STANDARD_ERROR: OnceLock<LineQueue> = OnceLock::new();
static STANDARD_OUTPUT: OnceLock<LineQueue> = OnceLock::new();

pub(crate) fn start(config: &LogConfig) {
    // Checked when the configuration was read.
    let filter = EnvFilter::try_new(format!("{NOTICES},{}", config.filter)).unwrap_or_default();
    let on_terminal = io::stderr().is_terminal();
    let Some(queue) = begin(&STANDARD_ERROR, "log", io::stderr().as_fd(), report_dropped) else {
        return;
    };
    let logger = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || queue.clone())
        // The subscriber would report them with `eprintln!`, which panics.
        .log_internal_errors(false)
        .with_ansi(on_terminal);
    let as_json = match config.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !on_terminal,
    };
    if as_json {
        // The list of spans contains the current one.
        logger.json().flatten_event(true).with_current_span(false).with_target(true).init();
    } else {
        logger.with_target(false).init();
    }
}

/// For servers and workers: writing to standard output does not block them either. Other commands must not lose a line
/// of their output, so they wait for the reader.
pub(crate) fn queue_standard_output() {
    begin(&STANDARD_OUTPUT, "output", io::stdout().as_fd(), |_| {});
}

/// The queue for standard error, once logging has started.
pub(crate) fn standard_error() -> Option<&'static LineQueue> {
    STANDARD_ERROR.get()
}

/// The queue for standard output, in servers and workers.
pub(crate) fn standard_output() -> Option<&'static LineQueue> {
    STANDARD_OUTPUT.get()
}

/// Sets the metric to the number of lines dropped before the recorder was installed.
pub(crate) fn count_dropped_lines() {
    let queues = [standard_error(), standard_output()];
    let dropped = queues.into_iter().flatten().map(LineQueue::dropped).sum();
    metrics::counter!("docket_log_lines_dropped_total").absolute(dropped);
}

/// Waits until the last lines are written, for a second at most.
pub(crate) fn finish() {
    for queue in [standard_error(), standard_output()].into_iter().flatten() {
        queue.flush(FLUSH_TIMEOUT);
    }
}

fn report_dropped(lines: u64) {
    tracing::warn!(lines, "log lines were dropped, because they could not be written");
}

/// `None` when no thread can be started: then nothing is logged.
fn begin(
    place: &'static OnceLock<LineQueue>,
    name: &str,
    target: BorrowedFd<'_>,
    on_recovery: OnRecovery,
) -> Option<LineQueue> {
    let target = File::from(target.try_clone_to_owned().ok()?);
    let queue = LineQueue::start(name, target, on_recovery).ok()?;
    Some(place.get_or_init(|| queue).clone())
}
