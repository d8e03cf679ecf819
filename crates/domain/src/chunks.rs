//! Pieces of a document's text, as they are found.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ContentHash;

/// What an indexing stage leaves: to be kept in the transaction that ends the stage, so that a version is
/// found from the moment it is served, with all of it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewChunks {
    pub chunks: Vec<NewChunk>,
    /// By model, the one that everything is moved to first; empty when there was none.
    pub vectors: Vec<NewVectors>,
}

/// What chunks mean to one model.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVectors {
    pub model: String,
    /// For each chunk a vector for each part of it.
    pub of_chunks: Vec<(Uuid, Vec<EmbeddedPart>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewChunk {
    pub chunk_id: Uuid,
    /// The headings that it stands under, the outermost first.
    pub heading: Vec<String>,
    pub text: String,
    pub tokens: u32,
    pub first_page: u32,
    pub last_page: u32,
    pub areas: Vec<ChunkArea>,
    /// Its terms, packed.
    pub terms: Vec<u8>,
}

/// A part of a chunk, by what it means.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedPart {
    /// The hash of what was embedded.
    pub content_key: ContentHash,
    pub vector: Vec<f32>,
}

/// Where on a page a chunk stands, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChunkArea {
    /// Counted from 1.
    pub page: u32,
    /// Left, top, right, bottom.
    #[serde(rename = "box")]
    pub area: [f64; 4],
    /// What stands there: from which byte of the chunk's text to which. Chunks that were made before it
    /// was noted have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<(usize, usize)>,
}

impl ChunkArea {
    /// To a hundredth of a point: nobody sees more, and what is kept is shorter.
    pub fn new(page: u32, sides: [f32; 4], text: Range<usize>) -> Self {
        let area = sides.map(|side| (f64::from(side) * 100.0).round() / 100.0);
        Self { page, area, text: Some((text.start, text.end)) }
    }

    /// Whether any of these bytes of the chunk's text are known to stand there.
    pub fn has(&self, bytes: &Range<usize>) -> bool {
        self.text.is_some_and(|(start, end)| start < bytes.end && bytes.start < end)
    }
}
