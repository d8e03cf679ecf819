//! Batches: documents that are uploaded together.

pub(crate) mod create;
mod list;
mod refused;
pub(crate) mod results;

use std::sync::Arc;

use store::Store;

use crate::idempotency::RequestHmac;
use crate::{Access, Intake};

/// Batches and the results of their documents.
pub struct Batches {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
    pub(crate) request_hmac: RequestHmac,
    pub(crate) access: Arc<Access>,
}
