//! Supervises the parts of a worker: loops that run until the worker stops. A part that panics is restarted after a
//! backoff, and until then the worker's health reports it.

use std::collections::BTreeSet;
use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use domain::{Backoff, Clock};
use futures_util::FutureExt;
use tokio_util::sync::CancellationToken;

const BACKOFF: Backoff = Backoff { first: Duration::from_secs(1), longest: Duration::from_mins(1) };
/// After a part has run this long, the backoff starts again from the beginning.
const STABLE_AFTER: Duration = Duration::from_mins(5);

/// Which parts of a worker do not run at the moment. Clones share their state.
#[derive(Clone, Debug, Default)]
pub struct WorkerHealth {
    panicked: Arc<Mutex<BTreeSet<&'static str>>>,
}

impl WorkerHealth {
    /// A message for the operator; `None` while all parts run.
    pub fn problem(&self) -> Option<String> {
        let panicked = self.panicked();
        if panicked.is_empty() {
            return None;
        }
        let parts: Vec<&str> = panicked.iter().copied().collect();
        Some(format!("panicked and will be restarted: {}; see the log", parts.join(", ")))
    }

    /// Runs `part` until it ends by itself or, after a panic, `stop` fires.
    pub async fn supervise<Running: Future<Output = ()>>(
        &self,
        part: &'static str,
        clock: &dyn Clock,
        stop: &CancellationToken,
        mut run: impl FnMut() -> Running,
    ) {
        let mut panics = 0;
        loop {
            let begun = clock.elapsed();
            let ended = AssertUnwindSafe(async { run().await }).catch_unwind().await;
            if ended.is_ok() || stop.is_cancelled() {
                return;
            }
            if clock.elapsed().saturating_sub(begun) >= STABLE_AFTER {
                panics = 0;
            }
            panics += 1;
            let pause = BACKOFF.after(panics);
            let pause_seconds = pause.as_secs();
            tracing::error!(
                part,
                pause_seconds,
                "a part of the worker panicked and will be restarted"
            );
            metrics::counter!("docket_worker_panics_total", "part" => part).increment(1);
            self.panicked().insert(part);
            let stopped = stop.run_until_cancelled(tokio::time::sleep(pause)).await.is_none();
            if stopped {
                return;
            }
            self.panicked().remove(part);
        }
    }

    /// No code that holds the lock can panic.
    fn panicked(&self) -> MutexGuard<'_, BTreeSet<&'static str>> {
        self.panicked.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use testkit::FakeClock;

    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_part_that_panics_is_restarted_and_the_health_says_so_meanwhile() {
        let (health, clock) = (WorkerHealth::default(), FakeClock::default());
        let stop = CancellationToken::new();
        let runs = Cell::new(0);
        let supervised = health.supervise("claiming", &clock, &stop, || async {
            runs.set(runs.get() + 1);
            assert!(runs.get() > 2, "as the test wants it");
        });
        let mut supervised = std::pin::pin!(supervised);
        tokio::select! {
            biased;
            () = &mut supervised => panic!("it waits before it restarts"),
            () = std::future::ready(()) => {}
        }
        let problem = health.problem().unwrap();
        assert!(problem.contains("claiming"), "{problem}");
        supervised.await;
        assert_eq!(runs.get(), 3);
        assert_eq!(health.problem(), None);
    }

    #[tokio::test]
    async fn a_stop_does_not_wait_for_the_pause() {
        let (health, clock) = (WorkerHealth::default(), FakeClock::default());
        let stop = CancellationToken::new();
        let stops = stop.clone();
        let panics = || async { assert!(std::hint::black_box(false), "as the test wants it") };
        let stopping = async move { stops.cancel() };
        tokio::join!(health.supervise("claiming", &clock, &stop, panics), stopping);
        assert!(health.problem().is_some());
    }
}
