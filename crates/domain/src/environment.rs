//! What a program usually takes from the machine, asked for by name instead.
//!
//! The binary hands in the real ones; tests hand in ones that stand still, count or replay a seed.

use std::fmt::Debug;
use std::time::Duration;

use chrono::{DateTime, Utc};
use uuid::Uuid;

/// Tells the time.
pub trait Clock: Debug + Send + Sync {
    fn now(&self) -> DateTime<Utc>;

    /// Time since some fixed moment of this process. Unlike [`Clock::now`] it never goes back: for
    /// measuring how long ago something was.
    fn elapsed(&self) -> Duration;
}

/// Makes new ids, in rising order so that they index well.
pub trait IdGen: Debug + Send + Sync {
    fn next(&self) -> Uuid;
}

/// Fills bytes nobody can guess.
pub trait Random: Debug + Send + Sync {
    fn fill(&self, bytes: &mut [u8]);
}
