//! The configuration of a run: `ingestion_runs.config`.
//!
//! [`RunConfig::to_json`] and [`RunConfig::read`] are the only places that know its stored form, which has a version.
//! Rows from before the first version are read as version 1, which has the same fields.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

use crate::{DocId, FileKind, MaskRule, SourceType, UserId};

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RunConfig {
    pub source_type: SourceType,
    /// The uploaded content; a run of known content has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub upload_uri: Option<String>,
    pub title: String,
    pub original_filename: String,
    /// The media type.
    pub content_type: String,
    pub file_size_bytes: u64,
    /// `sha256:…`
    pub content_hash: String,
    pub created_by_user_id: Option<UserId>,
    /// The actor who started the run: a user, an API key or the system.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_by: Option<String>,
    /// Regions that the run blanks out.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub masks: Vec<MaskRule>,
    /// The document that contains this one, and the nesting depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub within: Option<DocId>,
    #[serde(skip_serializing_if = "is_zero")]
    pub depth: u64,
    /// The document type that the batch or a rerun chose. `None`: the classifier decides.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub document_type: Option<String>,
}

#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum UnreadableRunConfig {
    #[error("the configuration of the run cannot be read: {0}")]
    Malformed(String),
    #[error(
        "the configuration of the run has version {found}; this Docket reads up to {}",
        RunConfig::VERSION
    )]
    TooNew { found: u64 },
    #[error(
        "the artifacts of the earlier stages cannot be read; rerun the document from the beginning"
    )]
    Artifacts,
}

impl RunConfig {
    pub const VERSION: u64 = 1;

    pub fn read(stored: Value) -> Result<Self, UnreadableRunConfig> {
        match stored.get("version").and_then(Value::as_u64) {
            Some(found) if found > Self::VERSION => Err(UnreadableRunConfig::TooNew { found }),
            _ => serde_json::from_value(stored)
                .map_err(|error| UnreadableRunConfig::Malformed(error.to_string())),
        }
    }

    pub fn to_json(&self) -> Value {
        // String keys and plain values: this cannot fail.
        let mut json = serde_json::to_value(self).unwrap_or_default();
        json["version"] = Self::VERSION.into();
        json
    }

    pub fn kind(&self) -> Option<FileKind> {
        FileKind::of_media_type(&self.content_type)
    }

    /// The configuration for a reader who did not start the run: it has the reader's own title and file name, and nothing
    /// about the actor who started the run.
    #[must_use]
    pub fn redacted(self, own_title: Option<String>, own_filename: Option<String>) -> Self {
        // All fields are listed, so that adding one requires a decision here.
        let Self {
            source_type,
            upload_uri,
            title: _,
            original_filename: _,
            content_type,
            file_size_bytes,
            content_hash,
            created_by_user_id: _,
            created_by: _,
            masks,
            within: _,
            depth,
            document_type: _,
        } = self;
        Self {
            source_type,
            upload_uri,
            title: own_title.unwrap_or_default(),
            original_filename: own_filename.unwrap_or_default(),
            content_type,
            file_size_bytes,
            content_hash,
            created_by_user_id: None,
            created_by: None,
            masks,
            within: None,
            depth,
            document_type: None,
        }
    }
}

impl TryFrom<Value> for RunConfig {
    type Error = UnreadableRunConfig;

    fn try_from(stored: Value) -> Result<Self, UnreadableRunConfig> {
        Self::read(stored)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Version 1 as it was first written, and a row from before it. Both must stay readable.
    const VERSION_1: &str = include_str!("../golden/run_config_v1.json");
    const UNVERSIONED: &str = include_str!("../golden/run_config_unversioned.json");

    fn golden(text: &str) -> (Value, RunConfig) {
        let json: Value = serde_json::from_str(text).unwrap();
        (json.clone(), RunConfig::read(json).unwrap())
    }

    #[test]
    fn the_golden_configuration_reads_back_and_writes_the_same() {
        let (json, config) = golden(VERSION_1);
        assert_eq!(config.to_json(), json);
        assert_eq!((config.kind(), config.depth), (Some(FileKind::Pdf), 2));
        assert_eq!(config.masks[0].page, Some(1));
    }

    #[test]
    fn a_configuration_with_a_document_type_reads_back_and_writes_the_same() {
        let (json, config) = golden(include_str!("../golden/run_config_v1_document_type.json"));
        assert_eq!(config.document_type.as_deref(), Some("contract_note"));
        assert_eq!(config.to_json(), json);
        let (_, earlier) = golden(VERSION_1);
        assert_eq!(earlier.document_type, None);
    }

    #[test]
    fn a_row_without_a_version_is_read() {
        let (_, config) = golden(UNVERSIONED);
        assert_eq!(config.source_type, SourceType::Rerun);
        assert_eq!(config.original_filename, "policy.pdf");
        assert_eq!(config.to_json()["version"], 1);
        assert_eq!(RunConfig::read(json!({})), Ok(RunConfig::default()));
    }

    #[test]
    fn a_newer_configuration_is_refused() {
        let newer = RunConfig::read(json!({ "version": 2, "title": ["a"] }));
        assert_eq!(newer, Err(UnreadableRunConfig::TooNew { found: 2 }));
        let malformed = RunConfig::read(json!({ "title": 7 }));
        assert!(matches!(malformed, Err(UnreadableRunConfig::Malformed(_))));
    }

    #[test]
    fn a_redacted_configuration_names_no_actor() {
        let (_, config) = golden(VERSION_1);
        let redacted = config.clone().redacted(Some("Mine".to_owned()), None);
        let about = |config: &RunConfig| (config.content_hash.clone(), config.masks.clone());
        assert_eq!(about(&redacted), about(&config));
        let text = redacted.to_json().to_string();
        for hidden in ["IT Security Policy", "foo.pdf", "00000000-0000-0000-0000"] {
            assert!(!text.contains(hidden), "{hidden} in {text}");
        }
    }
}
