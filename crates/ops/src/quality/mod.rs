//! How often extracted values are wrong: recording reviews, accepting fields at the chosen error rate, and reporting.

mod acceptance;
pub(crate) mod record_review;
pub(crate) mod report;

use store::Store;

/// The quality of extraction.
pub struct Quality {
    pub(crate) store: Store,
}
