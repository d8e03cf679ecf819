//! What a program usually takes from the machine, asked for by name instead.
//!
//! The binary hands in the real ones; tests hand in ones that stand still, count or replay a seed.

use std::fmt::Debug;
use std::sync::Arc;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

use crate::{ClockJump, ClockReading, ClockReport, ClockUse, Jitter};

/// All of it.
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

    /// Time since some fixed moment of this process. Unlike [`Clock::now`] it never goes back: for
    /// measuring how long ago something was.
    fn elapsed(&self) -> Duration;

    /// The time for a decision that concerns other processes; `None` while this clock cannot be relied on for it.
    fn now_for(&self, _use: ClockUse) -> Option<DateTime<Utc>> {
        Some(self.now())
    }

    /// Holds this clock against the database's. Returns a jump that the other processes should be told of.
    /// A clock that follows no database has nothing to do.
    fn observe(&self, _reading: &ClockReading) -> Option<ClockJump> {
        None
    }

    /// How this clock stands to the database's; `None` when it follows no database.
    fn report(&self) -> Option<ClockReport> {
        None
    }
}

/// Makes new ids, in rising order so that they index well.
pub trait IdGen: Debug + Send + Sync {
    fn next(&self) -> Uuid;
}

/// Fills bytes nobody can guess.
pub trait Random: Debug + Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
