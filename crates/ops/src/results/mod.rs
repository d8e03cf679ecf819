//! Results of extraction and their trades: reading, comparing and promoting them.

mod promote;
mod read;
mod trades;

pub(crate) use trades::trades_of_document;

use domain::ResultDiff;
use store::{ResultRecord, Store};

use crate::idempotency::RequestHmac;

/// The results of documents, for callers who may read them (`documents/content_access.rs`).
pub struct Results {
    pub(crate) store: Store,
    pub(crate) request_hmac: RequestHmac,
}

/// Two results of a document, and how the second differs from the first.
#[derive(Clone, Debug)]
pub struct ComparedResults {
    pub before: ResultRecord,
    pub after: ResultRecord,
    pub diff: ResultDiff,
}

/// A page of the results of a document.
#[derive(Debug)]
pub struct ResultListPage {
    pub items: Vec<ResultRecord>,
    /// The next page has the versions before this one; `None` on the last page.
    pub next: Option<u32>,
}
