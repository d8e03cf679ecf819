//! The output of a stage: artifacts, statistics, and effects for the transaction that ends it.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::Artifact;
use crate::{NewChunks, NewResult};

/// The output of a stage.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct StageOutput {
    pub artifacts: Vec<Artifact>,
    /// Statistics; the run shows them when it has ended.
    pub stats: RunStats,
    /// Applied in the transaction that ends the stage, and only if the worker still holds the lease.
    pub effects: Vec<Effect>,
}

/// A change of the database that a stage requests.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// The chunks that make the version of this run searchable.
    Chunks(Arc<NewChunks>),
    /// The typed fields of the document.
    Result(Arc<NewResult>),
}

/// The statistics of a run's stages. Each stage fills in its own fields, and the run has all of them.
///
/// Stored as JSON with a version ([`StoredStats`]); the oldest rows have none. A later version may only add fields, which
/// this one ignores.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(default)]
pub struct RunStats {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages: Option<u32>,
    /// Pages that need OCR.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pages_wanting_ocr: Option<u32>,
    /// A password opened the original. Others who upload the same file must present it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub password_used: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub attachments: Option<u64>,
    /// Remarks of the reader.
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
    /// Pages for which no OCR engine was installed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ocr_unavailable_pages: Option<u32>,
    /// Pages on which OCR failed, and the last error.
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
    /// 1 for a searchable document.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub docs_processed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks_created: Option<u64>,
    /// The tokens of all chunks.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tokens_total: Option<u64>,
    /// Written by earlier versions instead of `chunks_created`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub chunks: Option<u64>,
    /// Texts that were embedded; the others had an embedding already.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub texts_embedded: Option<u64>,
    /// Fields of the result that have a value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields_extracted: Option<u32>,
    /// Fields that the chosen error rate supports using without review.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fields_accepted: Option<u32>,
}

/// [`RunStats`] as they are stored.
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
