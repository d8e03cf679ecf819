//! The job queue: rows with leases.
//!
//! The statements of workers span tenants and handle many jobs each (`queue.rs`, `report.rs`, `expiry.rs`). `claim_one.rs`
//! claims the job that a message names. `progression.rs` changes the runs of these jobs. `pauses.rs` has the jobs that wait for a
//! dependency. What users do with the queue stays inside a tenant (`tenant.rs`, `dead.rs`).

mod claim_one;
mod dead;
mod ended;
mod expiry;
mod future_times;
mod notifications;
mod pauses;
mod progression;
mod queue;
mod report;
mod schedules;
mod stale;
mod tenant;

pub use claim_one::NamedClaim;
pub use dead::JobSummary;
pub use ended::EndedRun;
pub use expiry::ExpiredLease;
pub use notifications::JobNotifications;
pub use pauses::PausedJobs;
pub use queue::{ClaimedJob, JobClaim, LeaseRef, ProgressReport, StageSlots};
pub use report::{Lease, NextJob, Outcome, Report};
pub use schedules::ScheduleLease;
pub use stale::StaleBefore;
pub use tenant::{DeadJobFilter, JobFilter, JobRecord, NewRun, QueueRecord, ReusedStages};

pub(crate) use notifications::notify_workers;
