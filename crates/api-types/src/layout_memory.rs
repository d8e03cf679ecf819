//! Layout memory: what confirmed documents taught about later ones.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Clone, Debug, Default, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LayoutMemoryQuery {
    /// Only entries of this document type.
    #[serde(default)]
    pub document_type: Option<String>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page.
    #[serde(default)]
    pub cursor: Option<String>,
}

#[derive(Clone, Debug, Serialize, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DeleteLayoutMemoryQuery {
    /// The document type whose entries are deleted.
    pub document_type: String,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LayoutMemoryPage {
    pub items: Vec<LayoutMemoryView>,
    pub limit: u32,
    /// `None` on the last page.
    pub next_cursor: Option<String>,
}

/// What one confirmed document taught. The entry itself consists of hashes and positions and is not shown.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LayoutMemoryView {
    pub memory_id: Uuid,
    pub document_type: String,
    /// The document that it was learnt from. The entry is deleted with it.
    pub document_id: Uuid,
    pub document_title: String,
    pub fields: Vec<LayoutMemoryFieldView>,
    /// How often reviewers of later documents confirmed what the entry had said, over all fields.
    pub right: u32,
    /// How often they said another value.
    pub wrong: u32,
    pub learnt_at: DateTime<Utc>,
    /// When a similar document was last reviewed.
    pub last_used_at: DateTime<Utc>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct LayoutMemoryFieldView {
    /// As the document type names it.
    #[schema(example = "trades[].net_amount")]
    pub field: String,
    pub right: u32,
    pub wrong: u32,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct DeletedLayoutMemory {
    /// How many entries were deleted.
    pub deleted: u64,
}
