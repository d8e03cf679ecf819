//! Which decisions a clock is reliable enough for, and what is wrong with it.
//!
//! Processes on several machines compare times that others wrote: leases, schedules, ages of files. All of them use the
//! *database's clock* for that. The *skew* is how far a machine's own clock is ahead of it; a *jump* is a change of the
//! database's clock that does not correspond to elapsed time.

use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};

/// What a process needs the time for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClockUse {
    /// To decide whether something is due. Too early or too late does no harm.
    Schedule,
    /// To decide whether another process's lease has expired.
    Expire,
    /// To decide whether something is old enough to be deleted.
    Delete,
}

/// A reading of the database's clock, with the times of request and answer by [`crate::Clock::elapsed`].
#[derive(Clone, Copy, Debug)]
pub struct ClockReading {
    pub time: DateTime<Utc>,
    pub sent: Duration,
    pub received: Duration,
    /// The last jump that any process has recorded, by the clock after the jump.
    pub jumped_at: Option<DateTime<Utc>>,
    /// Until when no process deletes anything, because of a large jump.
    pub deletion_held_until: Option<DateTime<Utc>>,
}

/// A jump to record for the other processes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockJump {
    pub by: TimeDelta,
    pub hold_deletion_until: Option<DateTime<Utc>>,
}

/// How a process's clock compares with the database's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClockReport {
    /// How far the machine's own clock is ahead.
    pub skew: TimeDelta,
    /// The database's clock was read recently.
    pub is_synchronised: bool,
    /// Set while no process deletes because of a large jump.
    pub deletion_held_until: Option<DateTime<Utc>>,
}

impl ClockReport {
    /// More than the clocks of two machines with time synchronisation differ.
    pub const NOTABLE_SKEW: TimeDelta = TimeDelta::seconds(2);

    pub fn is_skewed(&self) -> bool {
        self.skew.abs() > Self::NOTABLE_SKEW
    }

    /// A message for the operator: what is wrong and what to do.
    pub fn problem(&self) -> Option<String> {
        if !self.is_synchronised {
            return Some(
                "the database's clock cannot be read: nothing is expired, deleted or scheduled until it can".to_owned(),
            );
        }
        if self.is_skewed() {
            let direction = if self.skew > TimeDelta::zero() { "ahead of" } else { "behind" };
            return Some(format!(
                "the clock of this machine is {} {direction} the database's, which is used instead: set up time \
                 synchronisation (NTP) on both machines",
                format_duration(self.skew)
            ));
        }
        self.deletion_held_until.map(|until| {
            format!(
                "the database's clock has jumped: nothing is deleted until {}. Check the time of the database server",
                until.format("%Y-%m-%d %H:%M UTC")
            )
        })
    }
}

/// A duration in the largest suitable unit: "12 s", "90 min", "8 days".
pub fn format_duration(length: TimeDelta) -> String {
    // Round to whole seconds.
    let length = length.abs() + TimeDelta::milliseconds(500);
    match (length.num_days(), length.num_hours(), length.num_minutes()) {
        (days, ..) if days >= 2 => format!("{days} days"),
        (_, hours, _) if hours >= 2 => format!("{hours} h"),
        (_, _, minutes) if minutes >= 2 => format!("{minutes} min"),
        _ => format!("{} s", length.num_seconds()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn report(skew: TimeDelta) -> ClockReport {
        ClockReport { skew, is_synchronised: true, deletion_held_until: None }
    }

    #[test]
    fn a_synchronised_clock_has_no_problem() {
        assert_eq!(report(TimeDelta::seconds(2)).problem(), None);
        assert_eq!(report(TimeDelta::milliseconds(-1900)).problem(), None);
    }

    #[test]
    fn the_worst_problem_comes_first() {
        let ahead = report(TimeDelta::seconds(12)).problem().unwrap();
        assert!(
            ahead.starts_with("the clock of this machine is 12 s ahead of the database's"),
            "{ahead}"
        );
        let behind = report(-TimeDelta::days(8)).problem().unwrap();
        assert!(behind.contains("8 days behind the database's"), "{behind}");
        let until = Some(DateTime::UNIX_EPOCH);
        let held = ClockReport { deletion_held_until: until, ..report(TimeDelta::zero()) };
        assert!(held.problem().unwrap().contains("nothing is deleted until 1970-01-01 00:00 UTC"));
        let away = ClockReport { is_synchronised: false, ..held };
        assert!(away.problem().unwrap().contains("cannot be read"));
    }
}
