//! Chunking: splits pages into chunks, the units of search and citation.
//!
//! A chunk has *350 to 500 tokens where the document allows it, and never more than 800*, counted by the tokenizer of the
//! embedding model. The structure of the document decides where a chunk ends:
//!
//! - A heading begins a chunk, unless the chunk before is still too small, and stays with the text after it.
//! - A paragraph, a list or a table that fits stays whole. Otherwise it is split: a paragraph at the ends of sentences,
//!   else between words, else between characters; a list between its items; a table between its rows, and each part
//!   repeats the header.
//! - Running headers and footers are omitted.
//!
//! Nothing else is lost: every character of the blocks except white space is in a chunk, in order.
//!
//! [`chunks`] is an iterator over blocks that yields chunks; it holds one chunk and one block or list in memory, never the
//! whole document.

mod areas;
mod cut;
mod gather;
mod size;
#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

pub use gather::{Chunks, chunks};
use size::Ruler;

/// The target size of a chunk.
pub const TARGET_TOKENS: usize = 500;
/// The maximum size of a chunk.
pub const MAX_TOKENS: usize = 800;
/// Tokens of a part with its own vector, unless the context of the model is smaller. On `qa_squad2`, recall@1 by vectors
/// alone is .60 with one vector for a chunk, .68 with parts of 254 tokens, .77 with 128 and .79 with 64, which needs twice as
/// many vectors.
pub const PART_TOKENS: usize = 128;

/// A block of a page, from the layout stage, in reading order.
#[derive(Clone, Debug, PartialEq)]
pub struct Block {
    pub kind: BlockKind,
    /// The items of a list are blocks of their own; the rows of a table are the lines of its text.
    pub text: String,
    pub page: u32,
    pub areas: Vec<Area>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BlockKind {
    /// Level 1 is the highest.
    Heading {
        level: u8,
    },
    Paragraph,
    ListItem,
    /// The first `header_rows` lines are the header.
    Table {
        header_rows: usize,
    },
    /// The text in a picture, or its caption.
    Figure,
    /// A running header, which is omitted.
    Header,
    /// A running footer, which is omitted.
    Footer,
}

/// A rectangle on a page, in the unit of the blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub page: u32,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// The location of a part of a chunk's text.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub area: Area,
    /// The range of the chunk's text, in bytes.
    pub text: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    pub text: String,
    /// The headings above all of it, the highest level first.
    pub heading: Vec<String>,
    /// The first and the last page.
    pub pages: RangeInclusive<u32>,
    /// Its locations, a few rectangles at most.
    pub places: Vec<Place>,
    /// The number of tokens of the text.
    pub tokens: u32,
}

impl Chunk {
    /// The texts to embed, each with its own vector: parts of at most `most` tokens, split at the ends of sentences. Each
    /// begins with the headings that are not in the text, so that a paragraph below "Termination" is found by that word.
    /// The similarity of a chunk is that of its nearest part.
    ///
    /// One vector represents a long text badly, so `most` should be [`PART_TOKENS`], or the context of the model without
    /// its special tokens, if that is smaller.
    pub fn embedding_texts(&self, most: usize, count: &dyn Fn(&str) -> usize) -> Vec<String> {
        let ruler = Ruler::new(count);
        let mut headings = self.headings_not_in_text();
        let size = ruler.size(&headings);
        // Headings that need more than half of the tokens are omitted.
        let room = if size <= most / 2 { most - size } else { most };
        if size > most / 2 {
            headings.clear();
        }
        let parts = if ruler.size(&self.text) <= room {
            vec![self.text.as_str()]
        } else {
            cut::cut(&self.text, room.max(1), ruler)
        };
        let parts = parts.into_iter().map(str::trim).filter(|part| !part.is_empty());
        parts.map(|part| format!("{headings}{part}")).collect()
    }

    /// The same as one text. [`crate::embed::Embedder::embed`] takes the mean over its windows when it is longer than the
    /// context of the model.
    pub fn embedding_text(&self) -> String {
        format!("{}{}", self.headings_not_in_text(), self.text)
    }

    /// The headings that are not in the text, one per line.
    fn headings_not_in_text(&self) -> String {
        let outside = self.heading.iter().filter(|heading| !self.text.contains(heading.as_str()));
        outside.flat_map(|heading| [heading.as_str(), "\n"]).collect()
    }
}
