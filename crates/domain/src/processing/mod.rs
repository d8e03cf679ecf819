//! Processing: runs, stages and jobs, how their states change, and when to retry.
//!
//! - A **run** is one processing of one version of a document.
//! - A **stage** is one step of a run; its result is recorded once per run and stage.
//! - A **job** is the queued work of a stage. The worker that runs it holds its **lease**.
//!
//! The state machines here are pure: they say which transitions are legal. [`RunState::apply`] changes runs. SQL changes
//! jobs, many in a statement, and a test compares every transition of it with [`JobState::apply`].

mod artifact;
mod dependency;
mod envelope;
mod failure;
mod job;
mod output;
mod pipeline;
mod retry;
mod run;

pub use artifact::{
    Artifact, ArtifactEntry, AttachmentArtifact, AttachmentContent, EarlierArtifacts,
    PagesArtifact, StoredFile,
};
pub use dependency::Dependency;
pub use envelope::{Envelope, JobInput, JobType, UnreadableEnvelope};
pub use failure::{Failure, FailureClass, FailureCode};
pub use job::{ClosedBy, JobEvent, JobState, StageStatus};
pub use output::{Effect, RunStats, StageOutput, StoredStats};
pub use pipeline::{InvalidPipeline, Pipeline, StageName};
pub use retry::{Jitter, RetryDecision, RetryPolicy, Tries};
pub use run::{RunEvent, RunState};

use thiserror::Error;

/// A transition that is not legal.
#[derive(Debug, Error, PartialEq, Eq)]
#[error("a {what} that is {state} cannot be {event}")]
pub struct IllegalTransition {
    pub what: &'static str,
    pub state: &'static str,
    pub event: &'static str,
}
