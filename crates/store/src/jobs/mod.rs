//! The queue: leased rows.
//!
//! What workers do with it is set-based and spans tenants (`queue.rs`): one statement claims many
//! jobs, one reports on many. What people do with it stays inside a tenant (`tenant.rs`).

mod queue;
mod tenant;

pub use queue::{Claim, ClaimedJob, Held, Next, Outcome, Report, StageRoom, TakenBack};
pub use tenant::{JobFilter, JobRecord, NewRun, QueueRecord};
