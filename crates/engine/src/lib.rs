//! Takes queued jobs through their stages, and promises that none is lost and none is done twice.
//!
//! - A [`Stage`] is a value that does one hop of a run; stages are registered by name in [`Stages`].
//! - A [`Worker`] takes jobs of its stages from a [`JobSource`] (the database's queue, or messages that name jobs), runs
//!   each in a task, and reports what became of it. While a job runs its lease is prolonged by a thread that nothing
//!   else can hold up (`heartbeat.rs`).
//! - Reports go through one committer (`committer.rs`), which puts all that wait into one transaction.
//! - A job whose stage could not use something it depends on is paused, without losing an attempt
//!   (`pausing.rs`).
//! - [`Schedules`] do things again and again, by one process at a time: the [`janitor`], the
//!   looks for [`stale_runs`] and for times that lie ahead ([`heal_times`]), the
//!   [numbering](number_events) and [pruning](prune_events) of events.
//!
//! *Architecture invariant:* no transaction is open while a stage runs; what a worker knows about a
//! job is only as good as its lease token, and the store checks that on every report.
//!
//! *Architecture invariant:* the engine knows jobs, not documents.

mod carry;
mod claiming;
mod committer;
mod database_source;
mod decide;
mod event_numbering;
mod event_pruning;
mod heal_times;
mod heartbeat;
mod held;
mod janitor;
mod message_source;
mod pausing;
mod schedules;
mod source;
mod stage;
mod stale_runs;
mod supervision;
mod worker;

pub use decide::{after_failure, timed_out};
pub use event_numbering::number_events;
pub use event_pruning::prune_events;
pub use heal_times::heal_times;
pub use janitor::janitor;
pub use message_source::MessageSource;
pub use schedules::{Chore, ChoreFuture, Schedules};
pub use source::{ClaimFailed, Delivery, FreeSlots, JobSource, Message, SourceFuture, Wanted};
pub use stage::{Progress, Stage, StageFuture, StageOutput, StageSettings, Stages, Work};
pub use stale_runs::{StaleAfter, stale_runs};
pub use store::Earlier;
pub use supervision::WorkerHealth;
pub use worker::{Worker, WorkerSettings};
