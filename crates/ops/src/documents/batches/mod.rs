//! Batches: documents that are handed in together.

pub(crate) mod create;
mod list;
mod refused;
mod results;

use store::Store;

use crate::Intake;
use crate::once::RequestSeal;

/// Batches and what became of their documents.
pub struct Batches {
    pub(crate) store: Store,
    pub(crate) intake: Intake,
    pub(crate) request_seal: RequestSeal,
}
