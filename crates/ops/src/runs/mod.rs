//! Runs of documents and the jobs that they consist of.

pub(crate) mod cancel;
pub(crate) mod discard;
pub(crate) mod list_jobs;
pub(crate) mod measure_queues;
pub(crate) mod paused_jobs;
pub(crate) mod queue_room;
pub(crate) mod rerun;
pub(crate) mod retry_job;
