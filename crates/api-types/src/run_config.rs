//! What a run was told when it was made, and the form of a rerun with an updated original.

use domain::{MaskRule, RunConfig, SourceType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::MaskView;

/// What a run was told when it was made. A caller who sees only their own documents is not told what somebody else said
/// of the same content.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RunConfigView {
    /// Where the content came from.
    pub source_type: SourceType,
    /// The content that was handed in; a run of known content has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub upload_uri: Option<String>,
    pub title: String,
    pub original_filename: String,
    #[schema(example = "application/pdf")]
    pub content_type: String,
    pub file_size_bytes: u64,
    /// `sha256:…`
    pub content_hash: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by_user_id: Option<Uuid>,
    /// Who asked for the run: a user's id, `api_key:` and a key's id, or `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Regions that the run blanks out.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<MaskView>,
    /// The document that this one was found in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Uuid>,
    /// How many documents are around it.
    #[serde(default)]
    pub depth: u64,
}

/// An updated original of a document.
#[derive(Debug, ToSchema)]
pub struct UpdateForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// Opens the file, where it is locked.
    #[schema(max_length = 200, value_type = String, required = false)]
    pub password: Option<String>,
    #[schema(max_length = 1000, value_type = String, required = false, example = "Signed by both parties")]
    pub reason: Option<String>,
}

impl From<RunConfig> for RunConfigView {
    fn from(config: RunConfig) -> Self {
        Self {
            source_type: config.source_type,
            upload_uri: config.upload_uri,
            title: config.title,
            original_filename: config.original_filename,
            content_type: config.content_type,
            file_size_bytes: config.file_size_bytes,
            content_hash: config.content_hash,
            created_by_user_id: config.created_by_user_id.map(|id| id.0),
            created_by: config.created_by,
            masks: config.masks.into_iter().map(MaskView::from).collect(),
            within: config.within.map(|id| id.0),
            depth: config.depth,
        }
    }
}

impl From<MaskRule> for MaskView {
    fn from(rule: MaskRule) -> Self {
        Self {
            area: rule.area,
            page: rule.page,
            kinds: rule.kinds.iter().map(ToString::to_string).collect(),
            file_name_contains: rule.file_name_contains,
        }
    }
}
