//! Runs of documents, and their jobs.

mod cancel;
pub(crate) mod discard;
pub(crate) mod list;
mod list_jobs;
pub(crate) mod queue_usage;
pub(crate) mod rerun;
mod retry_document;
pub(crate) mod retry_job;

use store::Store;

use crate::Intake;
use crate::idempotency::RequestHmac;

/// Runs and their jobs.
pub struct Runs {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
    pub(crate) request_hmac: RequestHmac,
}
