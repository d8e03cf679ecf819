//! The queue: leased rows.
//!
//! What workers do with it is set-based and spans tenants (`queue.rs`): one statement claims many
//! jobs, one reports (`report.rs`) on many. `claim_one.rs` claims the job that a message names. What follows for their
//! runs is in `progression.rs`. Jobs that wait for a dependency are in `pauses.rs`. What people do with the queue stays
//! inside a tenant (`tenant.rs`, `dead.rs`).

mod claim_one;
mod dead;
mod feed;
mod heal;
mod pauses;
mod progression;
mod queue;
mod report;
mod schedules;
mod stale;
mod tenant;

pub use claim_one::NamedClaim;
pub use dead::JobStanding;
pub use feed::WorkFeed;
pub use pauses::PausedJobs;
pub use queue::{Claim, ClaimedJob, Earlier, Held, StageRoom, TakenBack, Told};
pub use report::{Lease, Next, Outcome, Report};
pub use schedules::BegunSchedule;
pub use stale::StaleBefore;
pub use tenant::{DeadJobFilter, JobFilter, JobRecord, NewRun, QueueRecord, Reused};

pub(crate) use feed::announce_work;
