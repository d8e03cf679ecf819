//! The minder: a task beside every attached [`PrivateServer`](super::PrivateServer) that brings the
//! server back when it dies.
//!
//! It sleeps on the process itself and costs nothing while all is well. Every attached Docket has
//! one; the first to take the start lock restarts the server and the others find it running. It
//! never gives up, because the usual reason (a full disk) is put right by people. It does not judge
//! a server that lives and does not answer.

use std::sync::Arc;
use std::time::Duration;

use domain::Backoff;
use tokio::time::{Instant, sleep};
use tokio_util::sync::CancellationToken;

use super::Shared;
use super::error::Result;
use super::locks::StartLock;
use super::process::Process;

/// Minds the server until `stop` is cancelled. A restart under way is finished first, so that no
/// half-started server is left that nobody can find.
pub(super) async fn mind(shared: Arc<Shared>, mut process: Process, stop: CancellationToken) {
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
        let pause = failures.after_a_life_of(began.elapsed());
        match bring_back(&shared, pause, &mut failures, &stop).await {
            Some(restarted) => process = restarted,
            None => return,
        }
        tracing::info!(pid = process.id(), "the PostgreSQL server is back");
        shared.remember(&process);
    }
}

/// Tries until the server runs; nothing comes back when `stop` was cancelled before.
async fn bring_back(
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
            tracing::error!(%reason, "the PostgreSQL server cannot be restarted; trying on");
            reported = reason;
        }
        pause = failures.after_a_failure();
    }
}

async fn restart(shared: &Shared, start: Result<StartLock>) -> Result<Process> {
    shared.server.ensure_running(&start?).await
}

/// Failures and short lives in a row.
#[derive(Debug, Default)]
struct Failures(u32);

impl Failures {
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(30) };
    /// A server that lived this long did not die of its start.
    const LONG_LIFE: Duration = Duration::from_mins(1);

    /// How long to wait before the next attempt: not at all after a long life.
    fn after_a_life_of(&mut self, life: Duration) -> Duration {
        if life < Self::LONG_LIFE {
            return self.after_a_failure();
        }
        *self = Self::default();
        Duration::ZERO
    }

    fn after_a_failure(&mut self) -> Duration {
        self.0 = self.0.saturating_add(1);
        Self::BACKOFF.after(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_life_is_forgiven_and_a_short_one_is_not() {
        let mut failures = Failures::default();
        assert_eq!(failures.after_a_life_of(Duration::from_secs(1)), Duration::from_millis(100));
        assert_eq!(failures.after_a_life_of(Duration::from_secs(1)), Duration::from_millis(200));
        assert_eq!(failures.after_a_life_of(Duration::from_secs(61)), Duration::ZERO);
        assert_eq!(failures.after_a_failure(), Duration::from_millis(100));
    }
}
