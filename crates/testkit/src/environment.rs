//! Time, ids and randomness that a test controls.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use chrono::{DateTime, Duration, TimeZone, Utc};
use domain::{Clock, Environment, IdGen, Random};
use uuid::Uuid;

/// A clock that changes only when the test advances it.
#[derive(Debug)]
pub struct FakeClock {
    now: Mutex<DateTime<Utc>>,
}

impl Default for FakeClock {
    /// Noon on a Sunday.
    fn default() -> Self {
        Self { now: Mutex::new(Utc.with_ymd_and_hms(2026, 2, 15, 12, 0, 0).unwrap()) }
    }
}

impl FakeClock {
    pub fn advance(&self, by: Duration) {
        *self.now.lock().unwrap() += by;
    }
}

impl Clock for FakeClock {
    fn now(&self) -> DateTime<Utc> {
        *self.now.lock().unwrap()
    }

    fn elapsed(&self) -> std::time::Duration {
        (self.now() - DateTime::UNIX_EPOCH).to_std().unwrap()
    }
}

/// 1, 2, 3, … as UUIDs.
#[derive(Debug, Default)]
pub struct CountedIds {
    last: AtomicU64,
}

impl CountedIds {
    pub fn after(last: u64) -> Self {
        Self { last: AtomicU64::new(last) }
    }
}

impl IdGen for CountedIds {
    fn next(&self) -> Uuid {
        Uuid::from_u128(u128::from(self.last.fetch_add(1, Ordering::Relaxed) + 1))
    }
}

/// The same "random" bytes for the same seed (xorshift; for tests only).
#[derive(Debug)]
pub struct SeededRandom {
    state: Mutex<u64>,
}

impl SeededRandom {
    pub fn new(seed: u64) -> Self {
        Self { state: Mutex::new(seed.max(1)) }
    }
}

impl Random for SeededRandom {
    fn fill(&self, bytes: &mut [u8]) {
        let mut state = self.state.lock().unwrap();
        for byte in bytes {
            *state ^= *state << 13;
            *state ^= *state >> 7;
            *state ^= *state << 17;
            *byte = state.to_le_bytes()[3];
        }
    }
}

/// An environment with the clock of the test. Two of them generate different ids and random bytes, as two processes do.
pub fn fake_environment(clock: &Arc<FakeClock>) -> Environment {
    const IDS_OF_ONE_PROCESS: u64 = 1_000_000;
    static PROCESSES: AtomicU64 = AtomicU64::new(0);
    let process = PROCESSES.fetch_add(1, Ordering::Relaxed);
    Environment {
        clock: Arc::clone(clock) as Arc<dyn Clock>,
        ids: Arc::new(CountedIds::after(process * IDS_OF_ONE_PROCESS)),
        random: Arc::new(SeededRandom::new(process + 1)),
    }
}
