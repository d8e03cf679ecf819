//! Time, ids and randomness, injected instead of taken from the machine.
//!
//! The binary passes the real implementations; tests pass fakes that stand still, count or replay a seed.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{ClockJump, ClockReading, ClockReport, ClockUse, Jitter};

/// The injected dependencies.
#[derive(Clone, Debug)]
pub struct Environment {
    pub clock: Arc<dyn Clock>,
    pub ids: Arc<dyn IdGen>,
    pub random: Arc<dyn Random>,
}

impl Environment {
    pub fn jitter(&self) -> Jitter {
        let mut bits = [0; 4];
        self.random.fill(&mut bits);
        Jitter::from_bits(u32::from_le_bytes(bits))
    }
}

/// Tells the time.
pub trait Clock: Debug + Send + Sync {
    fn now(&self) -> DateTime<Utc>;

    /// Monotonic time since a fixed moment of this process. Use it to measure durations.
    fn elapsed(&self) -> Duration;

    /// The time for a decision that concerns other processes; `None` while this clock is not reliable for that use.
    fn now_for(&self, _use: ClockUse) -> Option<DateTime<Utc>> {
        Some(self.now())
    }

    /// Compares this clock with the database's. Returns a jump to record for the other processes. A clock that follows no
    /// database does nothing.
    fn observe(&self, _reading: &ClockReading) -> Option<ClockJump> {
        None
    }

    /// How this clock compares with the database's; `None` when it follows no database.
    fn report(&self) -> Option<ClockReport> {
        None
    }
}

/// Creates new ids, in ascending order so that they index well.
pub trait IdGen: Debug + Send + Sync {
    fn next(&self) -> Uuid;
}

/// A source of unpredictable random bytes.
pub trait Random: Debug + Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
