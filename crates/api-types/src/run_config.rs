//! The configuration of a run, and the form of a rerun with an updated original.

use domain::{MaskRule, RunConfig, SourceType};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::MaskView;

/// The configuration of a run. A caller who sees only their own documents does not see what other owners said about the same
/// content.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RunConfigView {
    /// Where the content came from.
    pub source_type: SourceType,
    /// The uploaded content; absent for a rerun.
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
    /// Who started the run: a user's id, `api_key:` and a key's id, or `system`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Regions that the run masks.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<MaskView>,
    /// The document that this one is an attachment of.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub within: Option<Uuid>,
    /// The nesting depth of an attachment.
    #[serde(default)]
    pub depth: u64,
    /// The document type that the batch or the rerun chose; absent when the classifier decides.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
}

/// An updated original of a document.
#[derive(Debug, ToSchema)]
pub struct UpdateForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The password of the file, if it has one.
    #[schema(max_length = 200, value_type = String, required = false)]
    pub password: Option<String>,
    #[schema(max_length = 1000, value_type = String, required = false, example = "Signed by both parties")]
    pub reason: Option<String>,
    /// The document type whose fields are extracted, or `auto` to let Docket recognise it; by default as in the last run.
    #[schema(max_length = 63, value_type = String, required = false, example = "contract_note")]
    pub document_type: Option<String>,
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
            document_type: config.document_type,
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
