//! A run's life.
//!
//! ```text
//!            started                     last stage succeeded
//!  queued ─────────────► running ──────────────────────────────► succeeded
//!    │                     │  ▲
//!    │ cancelled           │  │ retried
//!    │                     │  │ (by an administrator; the start time stays)
//!    ▼                     ▼  │
//!  failed ◄──────── stage given up, cancelled
//! ```
//!
//! `started` is the engine's, on the first claim; a run that is running may start further stages, and is *indexed* by
//! one of them. A queued run succeeds where all its stages turn out to be done (`store/sql/jobs/take_over_stale.sql`).
//! What follows from each move is decided in `progression.rs`.

use std::fmt;
use std::str::FromStr;

use super::IllegalTransition;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunState {
    Queued,
    Running,
    Succeeded,
    Failed,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RunEvent {
    Started,
    /// The stage `index` succeeded, and others follow.
    Indexed,
    Succeeded,
    Failed,
    Retried,
}

impl RunState {
    pub const ALL: [Self; 4] = [Self::Queued, Self::Running, Self::Succeeded, Self::Failed];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Queued => "queued",
            Self::Running => "running",
            Self::Succeeded => "succeeded",
            Self::Failed => "failed",
        }
    }

    pub fn is_terminal(self) -> bool {
        matches!(self, Self::Succeeded | Self::Failed)
    }

    pub fn apply(self, event: RunEvent) -> Result<Self, IllegalTransition> {
        use RunEvent::{Failed as Fail, Indexed, Retried, Started, Succeeded as Succeed};
        use RunState::{Failed, Queued, Running, Succeeded};
        match (self, event) {
            (Queued | Running, Started) | (Running, Indexed) | (Failed, Retried) => Ok(Running),
            (Queued | Running, Succeed) => Ok(Succeeded),
            (Queued | Running, Fail) => Ok(Failed),
            (Queued, Indexed | Retried)
            | (Running, Retried)
            | (Succeeded, Started | Indexed | Succeed | Fail | Retried)
            | (Failed, Started | Indexed | Succeed | Fail) => {
                Err(IllegalTransition { what: "run", state: self.as_str(), event: event.as_str() })
            }
        }
    }
}

impl RunEvent {
    pub const ALL: [Self; 5] =
        [Self::Started, Self::Indexed, Self::Succeeded, Self::Failed, Self::Retried];

    fn as_str(self) -> &'static str {
        match self {
            Self::Started => "started",
            Self::Indexed => "indexed",
            Self::Succeeded => "completed",
            Self::Failed => "failed",
            Self::Retried => "retried",
        }
    }
}

impl fmt::Display for RunState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for RunState {
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
        let word = |state, event| match RunState::apply(state, event) {
            Ok(next) => next.as_str(),
            Err(_) => "-",
        };
        let matrix = RunEvent::ALL.map(|event| {
            let row = RunState::ALL.map(|state| word(state, event));
            format!("{event:?}: {}", row.join(" "))
        });
        assert_eq!(
            matrix,
            [
                //       queued running succeeded failed
                "Started: running running - -",
                "Indexed: - running - -",
                "Succeeded: succeeded succeeded - -",
                "Failed: failed failed - -",
                "Retried: - - - running",
            ]
        );
    }
}
