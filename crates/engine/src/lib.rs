//! Takes queued jobs through their stages, and promises that none is lost and none is done twice.
//!
//! - A [`Stage`] is a value that does one hop of a run; stages are registered by name in [`Stages`].
//! - A [`Worker`] takes jobs of its stages from a [`JobSource`] (the database's queue, or messages that name jobs), runs
//!   each in a task, and reports what became of it. While a job runs its lease is prolonged by a thread that nothing
//!   else can hold up (`heartbeat.rs`).
//! - Reports go through one committer (`group_commit.rs`), which puts all that wait into one transaction.
//! - A job whose stage could not use something it depends on is paused, without losing an attempt
//!   (`pausing.rs`).
//! - The [`Scheduler`] runs periodic tasks, each in one process at a time: [`clean_up_jobs`], the
//!   looks for [`stale_runs`] and for times that lie ahead ([`heal_times`]), the
//!   [numbering](number_events) and [pruning](prune_events) of events.
//!
//! *Architecture invariant:* no transaction is open while a stage runs; what a worker knows about a
//! job is only as good as its lease token, and the store checks that on every report.
//!
//! *Architecture invariant:* the engine knows jobs, not documents.

mod claiming;
mod cleanup;
mod database_source;
mod decide;
mod ended_runs;
mod event_numbering;
mod event_pruning;
mod group_commit;
mod heal_times;
mod heartbeat;
mod held_leases;
mod message_source;
mod pausing;
mod run_job;
mod scheduler;
mod source;
mod stage;
mod stale_runs;
mod supervision;
mod worker;

pub use domain::StageOutput;

pub use cleanup::clean_up_jobs;
pub use decide::{after_failure, timed_out};
pub use event_numbering::number_events;
pub use event_pruning::prune_events;
pub use heal_times::heal_times;
pub use message_source::MessageSource;
pub use scheduler::{PeriodicTask, PeriodicTaskFuture, Scheduler};
pub use source::{ClaimFailed, Delivery, FreeSlots, JobSource, Message, SourceFuture, Wanted};
pub use stage::{Progress, Stage, StageFuture, StageInput, StageSettings, Stages};
pub use stale_runs::{StaleAfter, stale_runs};
pub use supervision::WorkerHealth;
pub use worker::{Worker, WorkerSettings};
