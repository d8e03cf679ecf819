//! Layout memory: what reviewers confirmed on similar documents of the tenant.

use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MemoryEntry {
    pub field: String,
}
