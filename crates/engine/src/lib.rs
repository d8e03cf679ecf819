//! Takes queued jobs through their stages, and promises that none is lost and none is done twice.
//!
//! - A [`Stage`] is a value that does one hop of a run; stages are registered by name in [`Stages`].
//! - A [`Worker`] claims jobs of its stages, runs each in a task, and reports what became of it. While
//!   a job runs its lease is prolonged by a thread that nothing else can hold up (`heartbeat.rs`).
//! - Reports go through one committer (`committer.rs`), which puts all that wait into one transaction.
//! - A job whose stage could not use something it depends on is paused, without losing an attempt
//!   (`pausing.rs`).
//! - [`Schedules`] do things again and again, by one process at a time: the [`janitor`], the
//!   looks for [`stale_runs`] and for times that lie ahead ([`heal_times`]), the
//!   [numbering of events](number_events).
//!
//! *Architecture invariant:* no transaction is open while a stage runs; what a worker knows about a
//! job is only as good as its lease token, and the store checks that on every report.
//!
//! *Architecture invariant:* the engine knows jobs, not documents.

mod carry;
mod claiming;
mod committer;
mod decide;
mod ended_runs;
mod environment;
mod event_numbering;
mod heal_times;
mod heartbeat;
mod held;
mod janitor;
mod pausing;
mod schedules;
mod stage;
mod stale_runs;
mod supervision;
mod worker;

pub use decide::{after_failure, timed_out};
pub use environment::Environment;
pub use event_numbering::number_events;
pub use heal_times::heal_times;
pub use janitor::janitor;
pub use schedules::{Chore, ChoreFuture, Schedules};
pub use stage::{Progress, Stage, StageFuture, StageOutput, StageSettings, Stages, Work};
pub use stale_runs::{StaleAfter, stale_runs};
pub use store::Earlier;
pub use supervision::WorkerHealth;
pub use worker::{Worker, WorkerSettings};
