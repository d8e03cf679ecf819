//! What a stage gives back: artifacts, what it counted, and what is to be done in the transaction that ends it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Artifact;
use crate::NewChunks;

/// What a stage gives back.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageOutput {
    pub artifacts: Vec<Artifact>,
    /// What it counted; the run shows it when it has ended.
    pub stats: RunStats,
    /// Applied in the transaction that ends the stage, and only if that stage still held its lease.
    pub effects: Vec<Effect>,
}

/// A change of the database that a stage asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// What can be found of the document, should this run be what is served.
    Chunks(Arc<NewChunks>),
}

/// What the stages of a run counted. Each stage fills in its own part, and the run has all of them together.
///
/// Stored as JSON with a version ([`StoredStats`]); rows from before there were versions have none. A later version
/// may only add counts: what this one does not know is left out.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RunStats {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Pages whose text only OCR can read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_wanting_ocr: Option<u32>,
    /// Who brings the same file must present the password that opened it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_used: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<u64>,
    /// What the reader noticed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub remarks: Vec<String>,
    /// Pages that OCR read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_pages: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_words: Option<u64>,
    /// Words that both OCR engines read alike.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_words_agreed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_words_disputed: Option<u64>,
    /// Pages that no engine was installed for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_unavailable_pages: Option<u32>,
    /// Pages that OCR failed on, and why, the last time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_failed: Option<u32>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_trouble: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub words: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tables: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub key_values: Option<u64>,
    /// 1 for a document that can be found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_processed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks_created: Option<u64>,
    /// Of all chunks together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_total: Option<u64>,
    /// Written by earlier versions, instead of `chunks_created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// Texts that had to be embedded: the others had been before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts_embedded: Option<u64>,
}

/// [`RunStats`] as they are written.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct StoredStats<'a> {
    version: u32,
    #[serde(flatten)]
    stats: &'a RunStats,
}

impl RunStats {
    pub const VERSION: u32 = 1;

    pub fn stored(&self) -> StoredStats<'_> {
        StoredStats { version: Self::VERSION, stats: self }
    }
}
