//! Runs queued jobs through their stages, and guarantees that no job is lost and no result is committed twice.
//!
//! - A [`Stage`] is a value that does one step of a run; stages are registered by name in [`Stages`].
//! - A [`Worker`] claims jobs of its stages from a [`JobSource`] (the database's queue, or messages that name jobs), runs
//!   each in a task, and reports its outcome. While a job runs, a dedicated thread renews its lease (`heartbeat.rs`).
//! - The group committer (`group_commit.rs`) writes all waiting reports in one transaction.
//! - A job is paused, without using up an attempt, while a dependency of its stage does not work (`pausing.rs`).
//! - The [`Scheduler`] runs periodic tasks, each in one process at a time: [`clean_up_jobs`], [`mod@stale_runs`],
//!   [`correct_future_times`], and the [numbering](number_events) and [pruning](prune_events) of events.
//!
//! *Architecture invariant:* no transaction is open while a stage runs. The store checks the lease token of every
//! report.
//!
//! *Architecture invariant:* the engine knows jobs, not documents.

mod claiming;
mod cleanup;
mod database_source;
mod ended_runs;
mod event_numbering;
mod event_pruning;
mod failure_outcome;
mod future_times;
mod group_commit;
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
pub use event_numbering::number_events;
pub use event_pruning::prune_events;
pub use failure_outcome::{after_failure, timed_out};
pub use future_times::correct_future_times;
pub use message_source::MessageSource;
pub use scheduler::{PeriodicTask, PeriodicTaskFuture, Scheduler};
pub use source::{
    ClaimFailed, ClaimRequest, Delivery, FreeSlots, JobSource, Message, SourceFuture,
};
pub use stage::{Progress, Stage, StageFuture, StageInput, StageSettings, Stages};
pub use stale_runs::{StaleAfter, stale_runs};
pub use supervision::WorkerHealth;
pub use worker::{Worker, WorkerSettings};
