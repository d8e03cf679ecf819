//! Batches: documents that are uploaded together.

pub(crate) mod create;
mod list;
mod refused;
pub(crate) mod results;

use store::Store;

use crate::Intake;
use crate::idempotency::RequestHmac;

/// Batches and the results of their documents.
pub struct Batches {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
    pub(crate) request_hmac: RequestHmac,
}
