//! Short ids.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The ids that end with the digits asked for, of what the caller may see.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FoundIdsView {
    pub documents: Vec<Uuid>,
    pub runs: Vec<Uuid>,
    pub batches: Vec<Uuid>,
    /// Jobs that failed for good (`DEAD`), for callers who may see them.
    pub jobs: Vec<Uuid>,
    /// `false` when so many ids end with the digits that some may be missing here: ask with more digits.
    pub is_complete: bool,
}
