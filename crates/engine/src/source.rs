//! Where a worker's jobs come from.
//!
//! Whatever the transport, a job is worked on under its lease in the database, and settled there. So a transport only
//! decides who hears of a job; lost and repeated messages do no harm.

use std::fmt;
use std::pin::Pin;
use std::time::Duration;

use domain::{StageName, TenantId};
use store::{ClaimedJob, Held, StoreError};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

pub type SourceFuture<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Hands jobs to a worker, each leased to it.
pub trait JobSource: fmt::Debug + Send + Sync {
    /// Claims what is there now, at most what is wanted. A worker makes one claim at a time.
    fn claim<'a>(
        &'a self,
        wanted: Wanted<'a>,
    ) -> SourceFuture<'a, Result<Vec<Delivery>, ClaimFailed>>;

    /// Runs beside the worker and notifies it when there may be jobs to claim.
    fn listen<'a>(&'a self, work: &'a Notify) -> SourceFuture<'a, ()>;
}

/// What a worker has room for.
#[derive(Debug)]
pub struct Wanted<'a> {
    /// In the pipeline's order.
    pub slots: &'a [FreeSlots],
    /// The most jobs of all stages together; reserved slots come on top.
    pub most: usize,
    /// The tenants with jobs under way in this worker: they get no reserved slot.
    pub busy_tenants: &'a [TenantId],
    pub worker_id: &'a str,
    /// Fires when the worker takes nothing new any more.
    pub stopping: &'a CancellationToken,
}

/// The free slots of one stage.
#[derive(Clone, Debug)]
pub struct FreeSlots {
    pub stage: StageName,
    pub count: usize,
    /// The stage's reserved slot, all others being taken.
    pub is_reserved: bool,
    /// How long a lease of the stage lasts.
    pub lease: Duration,
}

/// A job that was claimed, and the message that named it, if it came by one.
#[derive(Debug)]
pub struct Delivery {
    pub job: ClaimedJob,
    pub message: Option<Box<dyn Message>>,
}

/// A message that names a job. Dropped, it is to be delivered again.
pub trait Message: fmt::Debug + Send {
    /// A [`domain::Envelope`] as JSON.
    fn body(&self) -> &str;

    /// It need not be delivered again: its job has ended, and the database knows.
    fn acknowledge(self: Box<Self>) -> SourceFuture<'static, ()>;
}

/// A claim that gave no jobs.
#[derive(Debug)]
pub struct ClaimFailed {
    pub error: StoreError,
    /// The connection broke before the answer to the commit: the worker may hold these leases.
    pub in_doubt: Vec<Held>,
}

impl From<StoreError> for ClaimFailed {
    fn from(error: StoreError) -> Self {
        Self { error, in_doubt: Vec::new() }
    }
}
