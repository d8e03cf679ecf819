//! Where a worker's jobs come from.
//!
//! Whatever the transport, a worker runs a job under its lease in the database, and settles it there. A transport only
//! decides which worker learns of a job; lost and repeated messages do no harm.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use domain::{StageName, TenantId};
use store::{ClaimedJob, LeaseRef, StoreError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub type SourceFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Gives jobs to a worker, each leased to it.
pub trait JobSource: fmt::Debug + Send + Sync {
    /// Claims jobs that are available now, at most as many as requested. A worker makes one claim at a time.
    fn claim<'a>(
        &'a self,
        request: ClaimRequest<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>>;

    /// Runs beside the worker and notifies it when there may be jobs to claim.
    fn listen<'a>(&'a self, work: &'a Notify) -> SourceFuture<'a, ()>;
}

/// A worker's request for jobs.
#[derive(Debug)]
pub struct ClaimRequest<'a> {
    /// In the pipeline's order.
    pub slots: &'a [FreeSlots],
    /// The most jobs of all stages together; reserved slots come on top.
    pub max_jobs: usize,
    /// The tenants with running jobs in this worker: they get no reserved slot.
    pub busy_tenants: &'a [TenantId],
    pub worker_id: &'a str,
    /// Fires when the worker claims no more jobs.
    pub stopping: &'a CancellationToken,
}

/// The free slots of one stage.
#[derive(Clone, Debug)]
pub struct FreeSlots {
    pub stage: StageName,
    pub count: usize,
    /// It is the stage's reserved slot; all others are in use.
    pub is_reserved: bool,
    /// How long a lease of the stage lasts.
    pub lease: Duration,
}

/// A claimed job, and the message that named it, if there was one.
#[derive(Debug)]
pub struct Delivery {
    pub job: ClaimedJob,
    pub message: Option<Box<dyn Message>>,
}

/// A message that names a job. Its transport delivers a message again that is dropped without acknowledgement.
pub trait Message: fmt::Debug + Send {
    /// A [`domain::Envelope`] as JSON.
    fn body(&self) -> &str;

    /// Tells the transport not to deliver it again: the end of its job is committed.
    fn acknowledge(self: Box<Self>) -> SourceFuture<'static, ()>;
}

/// A claim that failed.
#[derive(Debug)]
pub struct ClaimFailed {
    pub error: StoreError,
    /// The connection broke during the commit: the worker may hold these leases.
    pub in_doubt: Vec<LeaseRef>,
}

impl From<StoreError> for ClaimFailed {
    fn from(error: StoreError) -> Self {
        Self { error, in_doubt: Vec::new() }
    }
}
