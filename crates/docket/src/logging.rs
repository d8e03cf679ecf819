//! Log lines on standard error: text for people, JSON for machines.
//!
//! Threads of their own write them (`line_queue.rs`), so that logging never affects the service: a reader that has gone
//! away or stands still, or a log file on a full disk, costs lines and nothing else.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::OnceLock;
use std::time::Duration;

use tracing_subscriber::EnvFilter;

use crate::config::{LogConfig, LogFormat};
use crate::line_queue::{LineQueue, OnRecovery};

/// What PostgreSQL remarks in passing worries people for nothing: a request that is given up while
/// its transaction begins makes it say "there is no transaction in progress". Who wants to read it
/// names this target in log_level.
const REMARKS: &str = "sqlx::postgres::notice=error";

/// How long lines that wait may still be written when the process ends.
const LAST_LINES: Duration = Duration::from_secs(1);

static STANDARD_ERROR: OnceLock<LineQueue> = OnceLock::new();
static STANDARD_OUTPUT: OnceLock<LineQueue> = OnceLock::new();

pub(crate) fn start(config: &LogConfig) {
    // Checked when the configuration was read.
    let filter = EnvFilter::try_new(format!("{REMARKS},{}", config.filter)).unwrap_or_default();
    let on_terminal = io::stderr().is_terminal();
    let Some(queue) = begin(&STANDARD_ERROR, "log", io::stderr().as_fd(), report_dropped) else {
        return;
    };
    let logger = tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(move || queue.clone())
        // It would report them by `eprintln!`, which panics.
        .log_internal_errors(false)
        .with_ansi(on_terminal);
    let as_json = match config.format {
        LogFormat::Json => true,
        LogFormat::Text => false,
        LogFormat::Auto => !on_terminal,
    };
    if as_json {
        // The list of spans has the innermost too.
        logger.json().flatten_event(true).with_current_span(false).with_target(true).init();
    } else {
        logger.with_target(false).init();
    }
}

/// For commands that run for long: what they say on standard output waits for nobody either. Others must not lose a
/// line of it, so they wait for their reader.
pub(crate) fn never_wait_for_output() {
    begin(&STANDARD_OUTPUT, "output", io::stdout().as_fd(), |_| {});
}

/// What writes to standard error, once logging has begun.
pub(crate) fn standard_error() -> Option<&'static LineQueue> {
    STANDARD_ERROR.get()
}

/// What writes to standard output, in commands that run for long.
pub(crate) fn standard_output() -> Option<&'static LineQueue> {
    STANDARD_OUTPUT.get()
}

/// Begins the metric with what was dropped before metrics were counted.
pub(crate) fn count_dropped_lines() {
    let queues = [standard_error(), standard_output()];
    let dropped = queues.into_iter().flatten().map(LineQueue::dropped).sum();
    metrics::counter!("docket_log_lines_dropped_total").absolute(dropped);
}

/// Gives the last lines a moment to be written.
pub(crate) fn finish() {
    for queue in [standard_error(), standard_output()].into_iter().flatten() {
        queue.flush(LAST_LINES);
    }
}

fn report_dropped(lines: u64) {
    tracing::warn!(lines, "log lines were dropped, because they could not be written");
}

/// `None` where no thread can be had: then nothing is logged.
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
