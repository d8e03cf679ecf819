//! The supervisor: a task of every attached [`PrivateServer`](super::PrivateServer) that restarts the server when it dies.
//!
//! It waits for the end of the process. Every attached Docket has one: the first to get the start lock restarts the
//! server, and the others find it running. It retries without limit, because people fix the usual cause (a full disk). It
//! does not detect a server that runs but does not answer.

use std::sync::Arc;
use std::time::Duration;

use domain::Backoff;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::error::Result;
use super::locks::StartLock;
use super::process::Process;

/// Supervises the server until `stop` fires. A restart in progress is completed first, so that no half-started server is
/// left.
pub(super) async fn supervise(shared: Arc<Shared>, mut process: Process, stop: CancellationToken) {
    let mut failures = Failures::default();
    loop {
        let began = Instant::now();
        tokio::select! {
            () = stop.cancelled() => return,
            ended = process.exited() => {
                let pid = process.id();
                tracing::warn!(pid, ?ended, "the PostgreSQL server died; restarting it");
            }
        }
        let pause = failures.delay_after_uptime(began.elapsed());
        match restart_until_running(&shared, pause, &mut failures, &stop).await {
            Some(restarted) => process = restarted,
            None => return,
        }
        tracing::info!(pid = process.id(), "the PostgreSQL server was restarted");
        shared.set_postmaster(&process);
    }
}

/// Retries until the server runs; `None` when `stop` fired before.
async fn restart_until_running(
    shared: &Shared,
    mut pause: Duration,
    failures: &mut Failures,
    stop: &CancellationToken,
) -> Option<Process> {
    let mut reported = String::new();
    loop {
        stop.run_until_cancelled(sleep(pause)).await?;
        let start = stop.run_until_cancelled(StartLock::take(&shared.folder)).await?;
        let reason = match restart(shared, start).await {
            Ok(process) => return Some(process),
            Err(error) => error.to_string(),
        };
        if reason != reported {
            tracing::error!(%reason, "the PostgreSQL server cannot be restarted; retrying");
            reported = reason;
        }
        pause = failures.delay_after_failure();
    }
}

async fn restart(shared: &Shared, start: Result<StartLock>) -> Result<Process> {
    shared.server.ensure_running(&start?).await
}

/// Failed restarts and short uptimes in a row.
#[derive(Debug, Default)]
struct Failures(u32);

impl Failures {
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(30) };
    /// After this uptime the backoff starts again from the beginning.
    const STABLE_AFTER: Duration = Duration::from_mins(1);

    /// How long to wait before the restart: not at all after a long uptime.
    fn delay_after_uptime(&mut self, uptime: Duration) -> Duration {
        if uptime < Self::STABLE_AFTER {
            return self.delay_after_failure();
        }
        *self = Self::default();
        Duration::ZERO
    }

    fn delay_after_failure(&mut self) -> Duration {
        self.0 = self.0.saturating_add(1);
        Self::BACKOFF.after(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_backoff_starts_again_after_a_long_uptime_only() {
        let mut failures = Failures::default();
        assert_eq!(failures.delay_after_uptime(Duration::from_secs(1)), Duration::from_millis(100));
        assert_eq!(failures.delay_after_uptime(Duration::from_secs(1)), Duration::from_millis(200));
        assert_eq!(failures.delay_after_uptime(Duration::from_secs(61)), Duration::ZERO);
        assert_eq!(failures.delay_after_failure(), Duration::from_millis(100));
    }
}
