//! The queue: leased rows.
//!
//! What workers do with it is set-based and spans tenants (`queue.rs`): one statement claims many
//! jobs, one reports (`report.rs`) on many. What people do with it stays inside a tenant (`tenant.rs`).

mod feed;
mod heal;
mod queue;
mod report;
mod schedules;
mod stale;
mod tenant;

pub use feed::WorkFeed;
pub use queue::{Claim, ClaimedJob, Earlier, Held, StageRoom, TakenBack, Told};
pub use report::{Lease, Next, Outcome, Report};
pub use schedules::BegunSchedule;
pub use stale::StaleBefore;
pub use tenant::{DeadJobFilter, JobFilter, JobRecord, NewRun, QueueRecord, Reused};

pub(crate) use feed::announce_work;
