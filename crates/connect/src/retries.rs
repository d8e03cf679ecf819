//! Asking again when that can help: after a growing while, and not for ever.

use std::fmt::Debug;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use domain::{Backoff, Random};

use crate::ModelError;

/// How the time between two tries passes. Tests let it pass at once.
pub trait Waiting: Debug + Send + Sync {
    fn wait(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>>;
}

/// How often a call is tried, and how long to wait in between.
#[derive(Clone, Debug)]
pub struct Retries {
    most_tries: u32,
    random: Arc<dyn Random>,
    waiting: Arc<dyn Waiting>,
}

impl Retries {
    const MOST_TRIES: u32 = 4;
    const BACKOFF: Backoff =
        Backoff { first: Duration::from_millis(500), longest: Duration::from_secs(20) };

    /// `random` spreads the tries, so that those who were refused together do not come back together.
    pub fn new(random: Arc<dyn Random>) -> Self {
        Self { most_tries: Self::MOST_TRIES, random, waiting: Arc::new(RealTime) }
    }

    /// `most_tries` counts the first one too.
    #[must_use]
    pub fn with_most_tries(self, most_tries: u32) -> Self {
        Self { most_tries, ..self }
    }

    #[must_use]
    pub fn with_waiting(self, waiting: Arc<dyn Waiting>) -> Self {
        Self { waiting, ..self }
    }

    pub(crate) async fn wait(&self, how_long: Duration) {
        self.waiting.wait(how_long).await;
    }

    /// How long to wait before the next try when `tries` have failed, the last one with `error`, and
    /// `time_left` remains for the call; `None` when there is to be no other.
    ///
    /// A server that asks for more time than is left is not asked in vain.
    pub(crate) fn wait_after(
        &self,
        error: &ModelError,
        tries: u32,
        time_left: Duration,
    ) -> Option<Duration> {
        let asked_for = worth_another_try(error)?;
        if tries >= self.most_tries {
            return None;
        }
        let own = Self::BACKOFF.after(tries);
        let mut byte = [0];
        self.random.fill(&mut byte);
        let spread = own.mul_f64(f64::from(byte[0]) / 1024.0);
        let wait = own.max(asked_for).saturating_add(spread);
        (wait < time_left).then_some(wait)
    }
}

/// The least time to wait. What took too long is not tried again: it would take as long once more.
fn worth_another_try(error: &ModelError) -> Option<Duration> {
    match error {
        ModelError::Busy { retry_after, .. } | ModelError::Failing { retry_after, .. } => {
            Some(retry_after.unwrap_or_default())
        }
        ModelError::Unreachable { .. } | ModelError::Interrupted { .. } => Some(Duration::ZERO),
        _ => None,
    }
}

#[derive(Debug)]
struct RealTime;

impl Waiting for RealTime {
    fn wait(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(tokio::time::sleep(how_long))
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
        ModelError::Busy { server: "http://s".to_owned(), retry_after, said: String::new() }
    }

    #[test]
    fn waits_grow_up_to_a_limit_and_end() {
        let retries = retries().with_most_tries(9);
        let waits: Vec<_> =
            (1..=9).map(|tries| retries.wait_after(&busy(None), tries, PLENTY)).collect();
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
    fn what_the_server_asks_for_is_the_least() {
        let asked = Duration::from_secs(7);
        assert_eq!(retries().wait_after(&busy(Some(7)), 1, PLENTY), Some(asked));
        assert_eq!(retries().wait_after(&busy(Some(7)), 1, asked), None, "no time is left");
    }

    #[test]
    fn tries_are_spread_by_up_to_a_quarter() {
        let retries = Retries::new(Arc::new(Always(255)));
        let wait = retries.wait_after(&busy(None), 1, PLENTY).unwrap();
        assert!(wait > Duration::from_millis(620) && wait < Duration::from_millis(625), "{wait:?}");
    }

    #[test]
    fn what_will_not_change_is_not_tried_again() {
        let wrong_key = ModelError::KeyMissing { server: String::new() };
        assert_eq!(retries().wait_after(&wrong_key, 1, PLENTY), None);
    }
}
