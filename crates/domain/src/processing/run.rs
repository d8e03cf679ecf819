//! The states of a run.
//!
//! ```text
//!            started                     last stage succeeded
//!  queued ─────────────► running ──────────────────────────────► succeeded
//!    │                     │  ▲
//!    │ cancelled           │  │ retried
//!    │                     │  │ (by an administrator; the start time stays)
//!    ▼                     ▼  │
//!  failed ◄──────── job dead, cancelled
//! ```
//!
//! The first claim starts a run. A running run may start further stages, one of which is `index`. A queued run succeeds
//! when all its stages have succeeded already (`store/sql/jobs/take_over_stale.sql`). `progression.rs` decides what
//! follows from each transition.

use super::IllegalTransition;
use crate::string_enum::string_enum;

string_enum! {
    "state of a run"
    /// The state of a run.
    #[cfg_attr(feature = "openapi", schema(as = RunStatus))]
    pub enum RunState {
        Queued = "queued",
        Running = "running",
        Succeeded = "succeeded",
        Failed = "failed",
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_state_and_event() {
        let name = |state, event| match RunState::apply(state, event) {
            Ok(next) => next.as_str(),
            Err(_) => "-",
        };
        let matrix = RunEvent::ALL.map(|event| {
            let row = RunState::ALL.map(|state| name(state, event));
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
