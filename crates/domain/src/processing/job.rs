//! The states of a job.
//!
//! ```text
//!            claimed                    succeeded
//!  PENDING ───────────► PROCESSING ───────────────────► COMPLETED
//!     ▲  ▲                │    │
//!     │  └── released ────┤    │ failed (permanent, poison, out of attempts),
//!     │      expired      │    │ expiry limit reached, cancelled
//!     │      retry        │    │
//!     │      paused       ▼    ▼
//!     └───────────────── DEAD ◄──── cancelled (from PENDING)
//!          retried
//! ```
//!
//! The engine makes all transitions except two: administrators *retry* and *cancel*. An ended job is *recreated* when its
//! run continues without a live job and its stage has not succeeded.
//!
//! The SQL in `store/sql/jobs` makes these transitions; `store/tests/queue/transitions.rs` compares every cell of the
//! matrix with it.

use std::str::FromStr;

use super::IllegalTransition;
use crate::string_enum::string_enum;

string_enum! {
    "state of a job"
    /// The state of a job.
    #[cfg_attr(feature = "openapi", schema(as = JobStatus))]
    pub enum JobState {
        /// Waits until it is due, or for a worker.
        Pending = "PENDING",
        /// Leased to a worker.
        Processing = "PROCESSING",
        Completed = "COMPLETED",
        /// Failed; needs attention.
        Dead = "DEAD",
    }
}

string_enum! {
    "status of a stage"
    /// The status of a stage of a run: that of its job until it has ended.
    pub enum StageStatus {
        Pending = "pending",
        Processing = "processing",
        Succeeded = "succeeded",
        Failed = "failed",
    }
}

/// Why a dead job needs no attention any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ClosedBy {
    /// The document was deleted.
    Deleted,
    /// A later run of the document superseded the job's run.
    Superseded,
    /// The document was withdrawn.
    Withdrawn,
    /// An administrator discarded the failure.
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
            Self::Superseded => "a later run of its document superseded it",
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
    /// Failed, and is retried later.
    RetryScheduled,
    /// A dependency was unavailable: it is tried again without using up an attempt.
    Paused,
    /// Failed, and is not retried.
    Failed,
    /// Released by a worker that stops.
    Released,
    /// The lease expired: the worker died or lost its connection.
    Expired,
    /// The lease expired as often as is allowed.
    ExpiryLimitReached,
    Retried,
    Cancelled,
    /// Its run was found without a live job.
    Recreated,
}

impl JobState {
    pub fn apply(self, event: JobEvent) -> Result<Self, IllegalTransition> {
        use JobEvent as Event;
        use JobState::{Completed, Dead, Pending, Processing};
        match (self, event) {
            (Pending, Event::Claimed) => Ok(Processing),
            (Processing, Event::Succeeded) => Ok(Completed),
            (
                Processing,
                Event::RetryScheduled | Event::Paused | Event::Released | Event::Expired,
            )
            | (Dead, Event::Retried)
            | (Completed | Dead, Event::Recreated) => Ok(Pending),
            (Processing, Event::Failed | Event::ExpiryLimitReached)
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
        Self::RetryScheduled,
        Self::Paused,
        Self::Failed,
        Self::Released,
        Self::Expired,
        Self::ExpiryLimitReached,
        Self::Retried,
        Self::Cancelled,
        Self::Recreated,
    ];

    fn as_str(self) -> &'static str {
        match self {
            Self::Claimed => "claimed",
            Self::Succeeded => "completed",
            Self::RetryScheduled => "retried later",
            Self::Paused => "paused",
            Self::Failed => "failed",
            Self::Released => "released",
            Self::Expired => "expired",
            Self::ExpiryLimitReached => "expired for the last time",
            Self::Retried => "retried",
            Self::Cancelled => "cancelled",
            Self::Recreated => "recreated",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_event() {
        let name = |state, event| match JobState::apply(state, event) {
            Ok(next) => next.as_str(),
            Err(_) => "-",
        };
        let matrix: Vec<String> = JobEvent::ALL
            .into_iter()
            .map(|event| {
                let row = JobState::ALL.map(|state| name(state, event));
                format!("{event:?}: {}", row.join(" "))
            })
            .collect();
        assert_eq!(
            matrix,
            [
                //          PENDING PROCESSING COMPLETED DEAD
                "Claimed: PROCESSING - - -",
                "Succeeded: - COMPLETED - -",
                "RetryScheduled: - PENDING - -",
                "Paused: - PENDING - -",
                "Failed: - DEAD - -",
                "Released: - PENDING - -",
                "Expired: - PENDING - -",
                "ExpiryLimitReached: - DEAD - -",
                "Retried: - - - PENDING",
                "Cancelled: DEAD DEAD - -",
                "Recreated: - - PENDING PENDING",
            ]
        );
    }
}
