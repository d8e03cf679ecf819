//! The clocks of a seed: the time that really passes, the database's clock, and a wrong one in every machine.
//!
//! Only the simulation knows how much time has really passed. Machines count it as well ([`Clock::elapsed`]) and have a
//! time of day that is far off. The database's clock (`SimDatabase::clock`) jumps. Workers go by [`DatabaseClock`], read
//! every five seconds, as processes do.

use std::sync::{Arc, Mutex};
use std::time::Duration as Time;

use chrono::{DateTime, Duration, TimeZone, Utc};
use domain::{Clock, ClockReading, ClockUse};
use store::DatabaseClock;

use super::model::Kept;
use super::seed::Seed;

/// How often a process reads the database's clock.
const READ_EVERY: Time = Time::from_secs(5);
/// How long originals are kept.
const KEPT: Duration = Duration::days(7);

/// The time that has really passed, in this seed.
#[derive(Debug)]
pub(crate) struct Passed(Mutex<Time>);

impl Default for Passed {
    /// Machines have been up for a while.
    fn default() -> Self {
        Self(Mutex::new(Time::from_hours(100)))
    }
}

impl Passed {
    pub(crate) fn now(&self) -> Time {
        *self.0.lock().unwrap()
    }

    pub(crate) fn pass(&self, time: Time) {
        *self.0.lock().unwrap() += time;
    }
}

/// A machine that counts time well and has a wrong time of day.
#[derive(Debug)]
pub(crate) struct Machine {
    passed: Arc<Passed>,
    ahead: Mutex<Duration>,
}

impl Machine {
    pub(crate) fn new(passed: &Arc<Passed>, ahead: Duration) -> Arc<Self> {
        Arc::new(Self { passed: Arc::clone(passed), ahead: Mutex::new(ahead) })
    }

    /// A process that starts on this machine.
    pub(crate) fn start_process(self: &Arc<Self>) -> DatabaseClock {
        DatabaseClock::new(Arc::clone(self) as Arc<dyn Clock>)
    }

    fn set(&self, ahead: Duration) {
        *self.ahead.lock().unwrap() = ahead;
    }
}

impl Clock for Machine {
    fn now(&self) -> DateTime<Utc> {
        let start = Utc.with_ymd_and_hms(2026, 2, 15, 12, 0, 0).unwrap();
        start + self.passed.now() + *self.ahead.lock().unwrap()
    }

    fn elapsed(&self) -> Time {
        self.passed.now()
    }
}

/// What the processes have written down about the database's clock, and what the simulation knows of it.
#[derive(Debug, Default)]
pub(crate) struct ClockRecord {
    jumped_at: Option<DateTime<Utc>>,
    held_until: Option<DateTime<Utc>>,
    /// The clock has jumped, and no process has noticed it yet.
    unnoticed: bool,
    /// Perhaps none will: the processes that could have noticed it were restarted.
    missed: bool,
}

/// An original: what the database says of when it came, and when that was.
pub(crate) type Original = (DateTime<Utc>, Time);

impl Seed<'_> {
    /// How far off the clock of a machine may be.
    pub(crate) fn wrong_time(&mut self) -> Duration {
        match self.dice.below(6) {
            0 => Duration::seconds(12),
            1 => -Duration::seconds(12),
            2 => Duration::hours(1),
            3 => Duration::days(8),
            4 => -Duration::days(8),
            _ => Duration::zero(),
        }
    }

    /// The time of a worker's machine is changed.
    pub(crate) fn set_machine(&mut self, worker: usize) {
        let ahead = self.wrong_time();
        let name = self.workers[worker].name.clone();
        self.note(format!("the machine of {name} is set {ahead} ahead"));
        self.workers[worker].machine.set(ahead);
    }

    /// The time of the database's machine is changed.
    pub(crate) fn jump(&mut self) {
        let by = match self.dice.below(8) {
            0 => Duration::seconds(1),
            1 => Duration::seconds(16),
            2 => Duration::minutes(11),
            3 => -Duration::seconds(20),
            4 => Duration::hours(1),
            5 => -Duration::hours(1),
            6 => Duration::days(8),
            _ => -Duration::days(8),
        };
        self.note(format!("the database's clock jumps by {by}"));
        if by.abs() > Duration::seconds(1) {
            self.clocks.missed |= self.clocks.unnoticed;
            self.clocks.unnoticed = true;
        }
        self.database.clock.advance(by);
    }

    /// What a process does every few seconds while it runs.
    pub(crate) fn follow_clock(&mut self, worker: usize) {
        let passed = self.passed.now();
        if passed.saturating_sub(self.workers[worker].clock_read) >= READ_EVERY {
            self.read_clock(worker);
        }
    }

    pub(crate) fn follow_clocks(&mut self) {
        for worker in 0..self.workers.len() {
            if !self.workers[worker].paused {
                self.follow_clock(worker);
            }
        }
    }

    /// Reads the database's clock, and writes a jump down.
    pub(crate) fn read_clock(&mut self, worker: usize) {
        let reading = self.reading();
        self.workers[worker].clock_read = reading.received;
        if let Some(jump) = self.workers[worker].clock.observe(&reading) {
            let name = self.workers[worker].name.clone();
            self.note(format!("{name} notices a jump by {}", jump.by));
            self.clocks.jumped_at = Some(reading.time);
            self.clocks.held_until = jump.hold_deletion_until.or(self.clocks.held_until);
            self.clocks.unnoticed = false;
        }
    }

    /// Asked before a commit: see `AcrossTenants::confirms_time_for`.
    pub(crate) fn confirms_time_for(&mut self, worker: usize, purpose: ClockUse) -> bool {
        let reading = self.reading();
        let clock = &self.workers[worker].clock;
        clock.observe(&reading);
        clock.now_for(purpose).is_some()
    }

    fn reading(&self) -> ClockReading {
        let passed = self.passed.now();
        ClockReading {
            time: self.now(),
            sent: passed,
            received: passed,
            jumped_at: self.clocks.jumped_at,
            deletion_held_until: self.clocks.held_until,
        }
    }

    /// A process restarts: of its earlier clock it knows only what other processes have stored.
    pub(crate) fn restart_clock(&mut self, worker: usize) {
        self.workers[worker].clock = self.workers[worker].machine.start_process();
        self.read_clock(worker);
        if self.clocks.unnoticed {
            // Whoever starts between a jump and its discovery may take leases back once that are good.
            // So may others give leases by the old time, until they read the clock.
            self.model.excuse_leases_before(self.passed.now() + 2 * READ_EVERY);
        }
    }

    /// No original goes before its time, whatever the clocks say: a seed lasts less than a week.
    pub(crate) fn sweep(&mut self, worker: usize) -> Kept {
        let Some(now) = self.workers[worker].clock.now_for(ClockUse::Delete) else { return Ok(()) };
        if !self.confirms_time_for(worker, ClockUse::Delete)
            || self.clocks.unnoticed
            || self.clocks.missed
        {
            return Ok(());
        }
        let passed = self.passed.now();
        let early = self.originals.iter().find(|(stamp, born)| {
            now - *stamp > KEPT && passed.saturating_sub(*born) < KEPT.to_std().unwrap()
        });
        match early {
            None => Ok(()),
            Some((_, born)) => Err(format!(
                "an original would be deleted after {:?}",
                passed.saturating_sub(*born)
            )),
        }
    }
}
