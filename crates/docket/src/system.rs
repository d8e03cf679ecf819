//! The real clock, ids and randomness: the only place that asks the machine for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use chrono::{DateTime, Utc};
use domain::{Clock, IdGen, Random};
use ops::Environment;
use rand::RngExt;
use uuid::Uuid;

#[derive(Debug)]
struct SystemClock {
    started: Instant,
}

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the injected clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

/// Version 7: ids that rise with time, so that new rows land at the end of their index.
#[derive(Debug)]
struct TimeOrderedIds;

impl IdGen for TimeOrderedIds {
    #[expect(clippy::disallowed_methods, reason = "this is the injected source of ids")]
    fn next(&self) -> Uuid {
        Uuid::now_v7()
    }
}

#[derive(Debug)]
struct SystemRandom;

impl Random for SystemRandom {
    #[expect(clippy::disallowed_methods, reason = "this is the injected source of randomness")]
    fn fill(&self, bytes: &mut [u8]) {
        rand::rng().fill(bytes);
    }
}

pub(crate) fn environment() -> Environment {
    Environment {
        clock: Arc::new(SystemClock { started: Instant::now() }),
        ids: Arc::new(TimeOrderedIds),
        random: Arc::new(SystemRandom),
    }
}
