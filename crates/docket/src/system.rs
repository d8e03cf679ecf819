//! The real clock, ids and randomness. No other module reads them from the system.

use std::panic::AssertUnwindSafe;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{Clock, Environment, IdGen, Random};
use rand::RngExt;
use rustix::time::{ClockId, clock_gettime};
use store::DatabaseClock;
use uuid::{ContextV7, Timestamp, Uuid};

/// The clock of this machine.
#[derive(Debug)]
struct SystemClock;

impl Clock for SystemClock {
    #[expect(clippy::disallowed_methods, reason = "this is the injected clock")]
    fn now(&self) -> DateTime<Utc> {
        Utc::now()
    }

    /// The time since the machine was started, including the time it was suspended: otherwise the clock of the database
    /// would seem to jump after a suspension.
    fn elapsed(&self) -> Duration {
        clock_gettime(ClockId::Boottime).try_into().unwrap_or_default()
    }
}

/// Version 7: ids rise with time, so that new rows are added at the end of their index. Their time is that of the
/// injected clock.
#[derive(Debug)]
struct TimeOrderedIds {
    clock: Arc<dyn Clock>,
    context: Mutex<AssertUnwindSafe<ContextV7>>,
}

impl IdGen for TimeOrderedIds {
    fn next(&self) -> Uuid {
        let now = self.clock.now();
        let seconds = u64::try_from(now.timestamp()).unwrap_or_default();
        Uuid::new_v7(Timestamp::from_unix(&self.context, seconds, now.timestamp_subsec_nanos()))
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

/// For commands that need no database.
pub fn environment() -> Environment {
    with_clock(Arc::new(SystemClock))
}

/// For commands that open a database: with its time, once it is open.
pub(crate) fn database_environment() -> Environment {
    with_clock(Arc::new(DatabaseClock::new(Arc::new(SystemClock))))
}

fn with_clock(clock: Arc<dyn Clock>) -> Environment {
    let context = Mutex::new(AssertUnwindSafe(ContextV7::new()));
    let ids = TimeOrderedIds { clock: Arc::clone(&clock), context };
    Environment { clock, ids: Arc::new(ids), random: Arc::new(SystemRandom) }
}
