//! Decides from readings of the database's clock what the time is and what it is reliable for. Pure functions.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{ClockJump, ClockReading, ClockReport, ClockUse};

/// A change of the clock by this much, beyond the elapsed time, is a jump. Drift is slower, and slow answers of the
/// database are accounted for.
const JUMP: TimeDelta = TimeDelta::seconds(2);
/// Deletions depend on hours and days: a smaller jump does not matter to them.
const LARGE_JUMP: TimeDelta = TimeDelta::minutes(1);
/// A reading that took no longer is exact enough to set our time.
const EXACT: Duration = Duration::from_millis(250);
/// A reading that took longer does not even prove a jump.
const TOO_SLOW: Duration = Duration::from_secs(2);
/// After this long without a reading the time is not reliable.
const RELIABLE_FOR: Duration = Duration::from_secs(30);
/// For this long after a jump no lease expires. Meanwhile every process notices the jump (within 5 s) and renews its
/// leases with the new time (every 5 s).
const NO_EXPIRY_AFTER_JUMP: Duration = Duration::from_secs(30);
/// Nothing is deleted before the clock was watched for this long: a machine that starts with a wrong clock is usually
/// corrected within minutes.
const WATCH_BEFORE_DELETING: Duration = Duration::from_mins(10);
/// For this long after a large jump nothing is deleted: an operator should check first.
const HOLD_DELETION: TimeDelta = TimeDelta::hours(24);
/// A jump that was recorded up to this long before is the same one, noticed by another process.
const SAME_JUMP: TimeDelta = TimeDelta::seconds(15);

#[derive(Debug)]
pub(super) struct Watch {
    /// The database's time at our monotonic time `elapsed`.
    at: DateTime<Utc>,
    elapsed: Duration,
    /// The latest time that was returned: small corrections do not go back before it.
    latest: DateTime<Utc>,
    began: Duration,
    confirmed: Duration,
    jump: Option<NoticedJump>,
    /// The last jump that any process has recorded.
    known_jump: Option<DateTime<Utc>>,
    deletion_held_until: Option<DateTime<Utc>>,
    skew: TimeDelta,
}

/// A jump that this process saw.
#[derive(Clone, Copy, Debug)]
struct NoticedJump {
    by: TimeDelta,
    /// By the clock after the jump.
    at: DateTime<Utc>,
    elapsed: Duration,
    is_recorded: bool,
}

impl Watch {
    pub(super) fn begin(reading: &ClockReading) -> Self {
        let (at, elapsed) = middle(reading);
        Self {
            at,
            elapsed,
            latest: at,
            began: reading.received,
            confirmed: reading.received,
            jump: None,
            known_jump: reading.jumped_at,
            deletion_held_until: reading.deletion_held_until,
            skew: TimeDelta::zero(),
        }
    }

    pub(super) fn now(&mut self, elapsed: Duration) -> DateTime<Utc> {
        self.latest = self.latest.max(self.time_at(elapsed));
        self.latest
    }

    /// Returns a jump that was not recorded yet.
    pub(super) fn observe(&mut self, reading: &ClockReading) -> Option<ClockJump> {
        let took = reading.received.saturating_sub(reading.sent);
        // The clock was read at some moment between request and answer.
        let (earliest, latest) = (self.time_at(reading.sent), self.time_at(reading.received));
        let off = reading.time - reading.time.clamp(earliest, latest);
        if off.abs() < JUMP {
            self.confirmed = self.confirmed.max(reading.received);
            if took <= EXACT {
                (self.at, self.elapsed) = middle(reading);
            } else {
                self.at += off;
            }
        } else if took > TOO_SLOW {
            return None;
        } else {
            (self.at, self.elapsed) = middle(reading);
            self.confirmed = reading.received;
            self.latest = self.time_at(reading.received);
            self.jump = Some(NoticedJump {
                by: off,
                at: reading.time,
                elapsed: reading.received,
                is_recorded: false,
            });
            if off.abs() >= LARGE_JUMP {
                self.deletion_held_until = Some(reading.time + HOLD_DELETION);
            }
        }
        self.read_record(reading)
    }

    /// Adopts what other processes have recorded, unless this process has an unrecorded jump.
    fn read_record(&mut self, reading: &ClockReading) -> Option<ClockJump> {
        if let Some(jump) = &mut self.jump
            && !jump.is_recorded
        {
            let same = jump.at - SAME_JUMP..=reading.time;
            jump.is_recorded = reading.jumped_at.is_some_and(|recorded| same.contains(&recorded));
            if !jump.is_recorded {
                let is_large = jump.by.abs() >= LARGE_JUMP;
                let hold_deletion_until = self.deletion_held_until.filter(|_| is_large);
                return Some(ClockJump { by: jump.by, hold_deletion_until });
            }
        }
        self.known_jump = reading.jumped_at;
        self.deletion_held_until = reading.deletion_held_until;
        None
    }

    pub(super) fn note_skew(&mut self, machine: DateTime<Utc>, elapsed: Duration) {
        self.skew = machine - self.time_at(elapsed);
    }

    pub(super) fn now_for(
        &mut self,
        purpose: ClockUse,
        elapsed: Duration,
    ) -> Option<DateTime<Utc>> {
        let now = self.now(elapsed);
        let may = match purpose {
            ClockUse::Schedule => self.is_synchronised(elapsed),
            ClockUse::Expire => self.may_expire(now, elapsed),
            ClockUse::Delete => {
                self.may_expire(now, elapsed)
                    && elapsed.saturating_sub(self.began) >= WATCH_BEFORE_DELETING
                    && self.held_until(now).is_none()
            }
        };
        may.then_some(now)
    }

    pub(super) fn report(&mut self, elapsed: Duration) -> ClockReport {
        let now = self.now(elapsed);
        ClockReport {
            skew: self.skew,
            is_synchronised: self.is_synchronised(elapsed),
            deletion_held_until: self.held_until(now),
        }
    }

    fn time_at(&self, elapsed: Duration) -> DateTime<Utc> {
        self.at + signed(elapsed) - signed(self.elapsed)
    }

    fn is_synchronised(&self, elapsed: Duration) -> bool {
        elapsed.saturating_sub(self.confirmed) <= RELIABLE_FOR
    }

    fn may_expire(&self, now: DateTime<Utc>, elapsed: Duration) -> bool {
        let is_recent =
            |jump: NoticedJump| elapsed.saturating_sub(jump.elapsed) < NO_EXPIRY_AFTER_JUMP;
        let is_near = |at: DateTime<Utc>| (now - at).abs() < signed(NO_EXPIRY_AFTER_JUMP);
        self.is_synchronised(elapsed)
            && !self.jump.is_some_and(is_recent)
            && !self.known_jump.is_some_and(is_near)
    }

    /// A time that is further ahead than any hold lasts was written before the clock was set back.
    fn held_until(&self, now: DateTime<Utc>) -> Option<DateTime<Utc>> {
        self.deletion_held_until.filter(|until| (now..=now + HOLD_DELETION + JUMP).contains(until))
    }
}

fn middle(reading: &ClockReading) -> (DateTime<Utc>, Duration) {
    (reading.time, reading.sent + reading.received.saturating_sub(reading.sent) / 2)
}

/// No process runs long enough for it not to fit.
fn signed(time: Duration) -> TimeDelta {
    TimeDelta::from_std(time).unwrap_or(TimeDelta::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    const START: DateTime<Utc> = DateTime::UNIX_EPOCH;

    /// A database's clock and the time that really passes.
    struct World {
        elapsed: Duration,
        database: DateTime<Utc>,
        jumped_at: Option<DateTime<Utc>>,
        held_until: Option<DateTime<Utc>>,
    }

    impl World {
        fn new() -> Self {
            let elapsed = Duration::from_hours(100);
            Self { elapsed, database: START, jumped_at: None, held_until: None }
        }

        fn pass(&mut self, time: Duration) {
            self.elapsed += time;
            self.database += time;
        }

        fn reading(&self, took: Duration) -> ClockReading {
            ClockReading {
                time: self.database,
                sent: self.elapsed.saturating_sub(took),
                received: self.elapsed,
                jumped_at: self.jumped_at,
                deletion_held_until: self.held_until,
            }
        }

        /// Reads every five seconds, and records jumps as a process does.
        fn watch_for(&mut self, watch: &mut Watch, time: Duration) {
            let end = self.elapsed + time;
            while self.elapsed < end {
                self.pass(Duration::from_secs(5).min(end.saturating_sub(self.elapsed)));
                if let Some(jump) = watch.observe(&self.reading(Duration::ZERO)) {
                    self.jumped_at = Some(self.database);
                    self.held_until = jump.hold_deletion_until.or(self.held_until);
                }
            }
        }

        fn may(&self, watch: &mut Watch) -> [bool; 3] {
            [ClockUse::Schedule, ClockUse::Expire, ClockUse::Delete]
                .map(|purpose| watch.now_for(purpose, self.elapsed).is_some())
        }
    }

    #[test]
    fn the_time_passes_between_readings_and_small_corrections_never_set_it_back() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.pass(Duration::from_secs(4));
        assert_eq!(watch.now(world.elapsed), world.database);
        // The process's clock runs slightly fast.
        world.elapsed += Duration::from_millis(100);
        let before = watch.now(world.elapsed);
        assert_eq!(watch.observe(&world.reading(Duration::ZERO)), None);
        assert_eq!(watch.now(world.elapsed), before, "it waits until the database has caught up");
        world.pass(Duration::from_secs(1));
        assert_eq!(watch.now(world.elapsed), world.database);
    }

    #[test]
    fn a_slow_answer_is_no_jump_and_does_not_move_the_time() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.pass(Duration::from_mins(1));
        // The clock was read at once, but the answer took a minute.
        let reading = ClockReading { time: START, ..world.reading(Duration::from_mins(1)) };
        assert_eq!(watch.observe(&reading), None);
        assert_eq!(watch.now(world.elapsed), world.database);
        assert_eq!(world.may(&mut watch), [true, true, false]);
    }

    #[test]
    fn without_readings_the_time_is_not_reliable() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.watch_for(&mut watch, Duration::from_mins(11));
        assert_eq!(world.may(&mut watch), [true, true, true]);
        world.pass(Duration::from_secs(31));
        assert_eq!(world.may(&mut watch), [false, false, false]);
        assert!(watch.report(world.elapsed).problem().is_some());
        world.watch_for(&mut watch, Duration::from_secs(5));
        assert_eq!(world.may(&mut watch), [true, true, true]);
    }

    #[test]
    fn nothing_is_deleted_in_the_first_minutes() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.watch_for(&mut watch, Duration::from_mins(9));
        assert_eq!(world.may(&mut watch), [true, true, false]);
        world.watch_for(&mut watch, Duration::from_mins(1));
        assert_eq!(world.may(&mut watch), [true, true, true]);
    }

    #[test]
    fn a_large_jump_is_followed_and_stops_deletion_for_a_day() {
        for by in
            [TimeDelta::days(8), -TimeDelta::days(8), TimeDelta::hours(1), -TimeDelta::hours(1)]
        {
            let mut world = World::new();
            let mut watch = Watch::begin(&world.reading(Duration::ZERO));
            world.watch_for(&mut watch, Duration::from_mins(11));
            world.database += by;
            world.watch_for(&mut watch, Duration::from_secs(5));
            assert_eq!(watch.now(world.elapsed), world.database, "{by}");
            assert_eq!(world.may(&mut watch), [true, false, false], "{by}");
            world.watch_for(&mut watch, Duration::from_secs(30));
            assert_eq!(world.may(&mut watch), [true, true, false], "{by}");
            // A process that starts now has not seen the jump, but reads the record of it.
            let mut young = Watch::begin(&world.reading(Duration::ZERO));
            world.watch_for(&mut young, Duration::from_hours(23));
            assert_eq!(world.may(&mut young), [true, true, false], "{by}");
            assert!(young.report(world.elapsed).problem().is_some());
            world.watch_for(&mut young, Duration::from_hours(1));
            assert_eq!(world.may(&mut young), [true, true, true], "{by}");
            assert_eq!(young.report(world.elapsed).problem(), None);
        }
    }

    #[test]
    fn a_small_jump_delays_expiry_for_a_moment_and_deletion_not_at_all() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.watch_for(&mut watch, Duration::from_mins(11));
        world.database += TimeDelta::seconds(16);
        world.watch_for(&mut watch, Duration::from_secs(5));
        assert_eq!(world.may(&mut watch), [true, false, false]);
        assert_eq!(
            world.may(&mut Watch::begin(&world.reading(Duration::ZERO))),
            [true, false, false]
        );
        world.watch_for(&mut watch, Duration::from_secs(30));
        assert_eq!(world.may(&mut watch), [true, true, true]);
    }

    #[test]
    fn a_hold_from_before_the_clock_was_set_back_does_not_last_for_ever() {
        let mut world = World::new();
        world.held_until = Some(START + TimeDelta::days(9));
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.watch_for(&mut watch, Duration::from_mins(10));
        assert_eq!(world.may(&mut watch), [true, true, true]);
    }

    #[test]
    fn an_operator_can_lift_the_hold() {
        let mut world = World::new();
        let mut watch = Watch::begin(&world.reading(Duration::ZERO));
        world.watch_for(&mut watch, Duration::from_mins(11));
        world.database += TimeDelta::days(1);
        world.watch_for(&mut watch, Duration::from_mins(1));
        assert_eq!(world.may(&mut watch), [true, true, false]);
        world.held_until = None;
        world.watch_for(&mut watch, Duration::from_secs(5));
        assert_eq!(world.may(&mut watch), [true, true, true]);
    }
}
