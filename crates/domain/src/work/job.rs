//! A job's life.
//!
//! ```text
//!            claimed                    succeeded
//!  PENDING ───────────► PROCESSING ───────────────────► COMPLETED
//!     ▲  ▲                │    │
//!     │  └── released ────┤    │ given up (permanent, poison, out of attempts),
//!     │      expired      │    │ expired for the last time, cancelled
//!     │      put off      │    │
//!     │      paused       ▼    ▼
//!     └───────────────── DEAD ◄──── cancelled (from PENDING)
//!          retried
//! ```
//!
//! The engine owns every arrow but two: an administrator owns *retried* and *cancelled*. A job that is over is
//! *recreated* where its run goes on without a live job and its stage has not succeeded.
//!
//! The SQL in `store/sql/jobs` makes these transitions; `store/tests/queue/transitions.rs` holds every cell of the
//! matrix against it.

use std::fmt;
use std::str::FromStr;

use super::IllegalTransition;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobState {
    /// Waiting for its time or for a worker.
    Pending,
    /// Leased to a worker.
    Processing,
    Completed,
    /// Given up; waits for a person.
    Dead,
}

/// Why a dead job needs nobody's attention any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClosedBy {
    /// The document was deleted.
    Deleted,
    /// A later run of the document took the place of the job's run.
    Superseded,
    /// The document was taken out of service.
    Withdrawn,
    /// Somebody discarded the failure.
    Discarded,
}

impl ClosedBy {
    pub const ALL: [Self; 4] = [Self::Deleted, Self::Superseded, Self::Withdrawn, Self::Discarded];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Deleted => "deleted",
            Self::Superseded => "superseded",
            Self::Withdrawn => "withdrawn",
            Self::Discarded => "discarded",
        }
    }

    /// What happened, as a clause.
    pub fn sentence(self) -> &'static str {
        match self {
            Self::Deleted => "its document was deleted",
            Self::Superseded => "a later run of its document took its place",
            Self::Withdrawn => "its document was withdrawn",
            Self::Discarded => "it was discarded",
        }
    }
}

impl FromStr for ClosedBy {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|reason| reason.as_str() == text).ok_or(())
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JobEvent {
    Claimed,
    Succeeded,
    /// Failed, to be tried again later.
    PutOff,
    /// Something that processing depends on was away: to be tried again, without using up an attempt.
    Paused,
    /// Failed for good.
    GivenUp,
    /// Handed back by a worker that stops.
    Released,
    /// The lease ran out: the worker died or was cut off.
    Expired,
    /// The same once too often.
    ExpiredForGood,
    Retried,
    Cancelled,
    /// Its run was found without a live job.
    Recreated,
}

impl JobState {
    pub const ALL: [Self; 4] = [Self::Pending, Self::Processing, Self::Completed, Self::Dead];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "PENDING",
            Self::Processing => "PROCESSING",
            Self::Completed => "COMPLETED",
            Self::Dead => "DEAD",
        }
    }

    pub fn apply(self, event: JobEvent) -> Result<Self, IllegalTransition> {
        use JobEvent as Event;
        use JobState::{Completed, Dead, Pending, Processing};
        match (self, event) {
            (Pending, Event::Claimed) => Ok(Processing),
            (Processing, Event::Succeeded) => Ok(Completed),
            (Processing, Event::PutOff | Event::Paused | Event::Released | Event::Expired)
            | (Dead, Event::Retried)
            | (Completed | Dead, Event::Recreated) => Ok(Pending),
            (Processing, Event::GivenUp | Event::ExpiredForGood)
            | (Pending | Processing, Event::Cancelled) => Ok(Dead),
            (Pending | Processing | Completed | Dead, _) => {
                Err(IllegalTransition { what: "job", state: self.as_str(), event: event.as_str() })
            }
        }
    }
}

impl JobEvent {
    pub const ALL: [Self; 11] = [
        Self::Claimed,
        Self::Succeeded,
        Self::PutOff,
        Self::Paused,
        Self::GivenUp,
        Self::Released,
        Self::Expired,
        Self::ExpiredForGood,
        Self::Retried,
        Self::Cancelled,
        Self::Recreated,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Succeeded => "completed",
            Self::PutOff => "put off",
            Self::Paused => "paused",
            Self::GivenUp => "given up",
            Self::Released => "released",
            Self::Expired => "taken over",
            Self::ExpiredForGood => "given up by its worker",
            Self::Retried => "retried",
            Self::Cancelled => "cancelled",
            Self::Recreated => "recreated",
        }
    }
}

impl fmt::Display for JobState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for JobState {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|state| state.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_event() {
        let word = |state, event| match JobState::apply(state, event) {
            Ok(next) => next.as_str(),
            Err(_) => "-",
        };
        let matrix: Vec<String> = JobEvent::ALL
            .into_iter()
            .map(|event| {
                let row = JobState::ALL.map(|state| word(state, event));
                format!("{event:?}: {}", row.join(" "))
            })
            .collect();
        assert_eq!(
            matrix,
            [
                //          PENDING PROCESSING COMPLETED DEAD
                "Claimed: PROCESSING - - -",
                "Succeeded: - COMPLETED - -",
                "PutOff: - PENDING - -",
                "Paused: - PENDING - -",
                "GivenUp: - DEAD - -",
                "Released: - PENDING - -",
                "Expired: - PENDING - -",
                "ExpiredForGood: - DEAD - -",
                "Retried: - - - PENDING",
                "Cancelled: DEAD DEAD - -",
                "Recreated: - - PENDING PENDING",
            ]
        );
    }
}
