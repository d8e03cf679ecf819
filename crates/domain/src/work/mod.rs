//! The pipeline's vocabulary: runs, stages and jobs, how each may change, and when to try again.
//!
//! - A **run** is one processing of one version of a document.
//! - A **stage** is one hop of a run; what became of it is recorded once per run and stage.
//! - A **job** is the queued work of a stage. Who works on it holds its **lease**.
//!
//! The machines here are pure: they say what may follow what. Runs move by [`RunState::apply`]; jobs are moved by SQL,
//! many in a statement, and a test holds every transition of it against [`JobState::apply`].

mod dependency;
mod envelope;
mod failure;
mod job;
mod pipeline;
mod retry;
mod run;

pub use dependency::Dependency;
pub use envelope::{Envelope, JobInput, JobType, UnreadableEnvelope};
pub use failure::{Failure, FailureClass, FailureCode};
pub use job::{ClosedBy, JobEvent, JobState};
pub use pipeline::{InvalidPipeline, Pipeline, StageName};
pub use retry::{Jitter, RetryPolicy, Tries, Verdict};
pub use run::{RunEvent, RunState};

use thiserror::Error;

/// A change that the state machine does not know.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("a {what} that is {state} cannot be {event}")]
pub struct IllegalTransition {
    pub what: &'static str,
    pub state: &'static str,
    pub event: &'static str,
}
