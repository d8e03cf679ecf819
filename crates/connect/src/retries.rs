//! Retries after transient errors, with exponential backoff and a limit.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{Backoff, Random};

use crate::ModelError;

/// Waits between two attempts. Tests replace it to avoid real waits.
pub trait Sleep: Debug + Send + Sync {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// How often a request is sent, and how long to wait in between.
#[derive(Clone, Debug)]
pub struct Retries {
    max_attempts: u32,
    random: Arc<dyn Random>,
    sleep: Arc<dyn Sleep>,
}

impl Retries {
    const MAX_ATTEMPTS: u32 = 4;
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(20) };

    /// `random` adds jitter, so that clients that were refused together do not retry together.
    pub fn new(random: Arc<dyn Random>) -> Self {
        Self { max_attempts: Self::MAX_ATTEMPTS, random, sleep: Arc::new(TokioSleep) }
    }

    /// `max_attempts` includes the first one.
    #[must_use]
    pub fn with_max_attempts(self, max_attempts: u32) -> Self {
        Self { max_attempts, ..self }
    }

    #[must_use]
    pub fn with_sleep(self, sleep: Arc<dyn Sleep>) -> Self {
        Self { sleep, ..self }
    }

    pub(crate) async fn sleep(&self, duration: Duration) {
        self.sleep.sleep(duration).await;
    }

    /// How long to wait before the next attempt after `attempts` have failed, the last one with `error`, with
    /// `time_left` remaining for the call; `None` when there is no other attempt.
    ///
    /// When the server asks for more time than remains, there is no other attempt.
    pub(crate) fn wait_before_retry(
        &self,
        error: &ModelError,
        attempts: u32,
        time_left: Duration,
    ) -> Option<Duration> {
        let min_wait = min_wait_before_retry(error)?;
        if attempts >= self.max_attempts {
            return None;
        }
        let backoff = Self::BACKOFF.after(attempts);
        let mut byte = [0];
        self.random.fill(&mut byte);
        let jitter = backoff.mul_f64(f64::from(byte[0]) / 1024.0);
        let wait = backoff.max(min_wait).saturating_add(jitter);
        (wait < time_left).then_some(wait)
    }
}

/// The minimum wait; `None` for errors that are not retried. Timeouts are not, because they would take as long again.
fn min_wait_before_retry(error: &ModelError) -> Option<Duration> {
    match error {
        ModelError::Busy { retry_after, .. } | ModelError::ServerError { retry_after, .. } => {
            Some(retry_after.unwrap_or_default())
        }
        ModelError::Unreachable { .. } | ModelError::Interrupted { .. } => Some(Duration::ZERO),
        _ => None,
    }
}

#[derive(Debug)]
struct TokioSleep;

impl Sleep for TokioSleep {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(duration))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug)]
    struct Always(u8);

    impl Random for Always {
        fn fill(&self, bytes: &mut [u8]) {
            bytes.fill(self.0);
        }
    }

    const PLENTY: Duration = Duration::from_hours(1);

    fn retries() -> Retries {
        Retries::new(Arc::new(Always(0)))
    }

    fn busy(retry_after: Option<u64>) -> ModelError {
        let retry_after = retry_after.map(Duration::from_secs);
        ModelError::Busy { server: "http://s".to_owned(), retry_after, message: String::new() }
    }

    #[test]
    fn waits_grow_up_to_a_limit_and_end() {
        let retries = retries().with_max_attempts(9);
        let waits: Vec<_> = (1..=9)
            .map(|attempts| retries.wait_before_retry(&busy(None), attempts, PLENTY))
            .collect();
        let milliseconds = |wait: &Option<Duration>| wait.map(|wait| wait.as_millis());
        assert_eq!(
            waits.iter().map(milliseconds).collect::<Vec<_>>(),
            [500, 1000, 2000, 4000, 8000, 16_000, 20_000, 20_000]
                .map(Some)
                .into_iter()
                .chain([None])
                .collect::<Vec<_>>()
        );
    }

    #[test]
    fn the_wait_that_the_server_asks_for_is_the_minimum() {
        let requested = Duration::from_secs(7);
        assert_eq!(retries().wait_before_retry(&busy(Some(7)), 1, PLENTY), Some(requested));
        assert_eq!(
            retries().wait_before_retry(&busy(Some(7)), 1, requested),
            None,
            "no time is left"
        );
    }

    #[test]
    fn jitter_adds_up_to_a_quarter() {
        let retries = Retries::new(Arc::new(Always(255)));
        let wait = retries.wait_before_retry(&busy(None), 1, PLENTY).unwrap();
        assert!(wait > Duration::from_millis(620) && wait < Duration::from_millis(625), "{wait:?}");
    }

    #[test]
    fn a_permanent_error_is_not_retried() {
        let wrong_key = ModelError::KeyMissing { server: String::new() };
        assert_eq!(retries().wait_before_retry(&wrong_key, 1, PLENTY), None);
    }
}
