//! Chunks: the passages of a document's text that search finds.

use std::ops::Range;

use serde::{Deserialize, Serialize};
use uuid::Uuid;

use crate::ContentHash;

/// The chunks of an indexing stage. The transaction that ends the stage stores them, so that a version is completely
/// searchable from the moment it becomes active.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewChunks {
    pub chunks: Vec<NewChunk>,
    /// By embedding model, the current one first; empty when there is no model.
    pub vectors: Vec<NewVectors>,
}

/// The vectors of chunks, by one embedding model.
#[derive(Clone, Debug, PartialEq)]
pub struct NewVectors {
    pub model: String,
    /// For each chunk, a vector for each embedded window of it.
    pub of_chunks: Vec<(Uuid, Vec<EmbeddedWindow>)>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NewChunk {
    pub chunk_id: Uuid,
    /// The headings above it, the outermost first.
    pub heading: Vec<String>,
    pub text: String,
    pub tokens: u32,
    pub first_page: u32,
    pub last_page: u32,
    pub areas: Vec<ChunkArea>,
    /// Its search terms, in packed form.
    pub terms: Vec<u8>,
}

/// A window of a chunk's text with its embedding.
#[derive(Clone, Debug, PartialEq)]
pub struct EmbeddedWindow {
    /// The hash of the embedded text.
    pub content_key: ContentHash,
    pub vector: Vec<f32>,
}

/// An area of a page that a chunk covers, in points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChunkArea {
    /// Counted from 1.
    pub page: u32,
    /// Left, top, right, bottom.
    #[serde(rename = "box")]
    pub area: [f64; 4],
    /// The byte range of the chunk's text that is in this area. Chunks of early versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<(usize, usize)>,
}

impl ChunkArea {
    /// Rounded to a hundredth of a point, which keeps the stored form short.
    pub fn new(page: u32, sides: [f32; 4], text: Range<usize>) -> Self {
        let area = sides.map(|side| (f64::from(side) * 100.0).round() / 100.0);
        Self { page, area, text: Some((text.start, text.end)) }
    }

    /// Whether any of these bytes of the chunk's text are known to be in this area.
    pub fn overlaps(&self, bytes: &Range<usize>) -> bool {
        self.text.is_some_and(|(start, end)| start < bytes.end && bytes.start < end)
    }
}
