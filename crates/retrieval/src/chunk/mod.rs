//! Pages become chunks: the parts of a document that are found, quoted and pointed at.
//!
//! A chunk is *350 to 500 tokens where the document allows it, never more than 800*, counted by the
//! tokenizer of the model that embeds it. Structure decides where one ends:
//!
//! - A heading begins a chunk, unless what is gathered so far is too little to stand alone, and stays
//!   with what follows it.
//! - A paragraph, a list or a table that fits is kept whole. What does not fit is cut: a paragraph at the
//!   ends of sentences, else between words, else between characters; a list between its items; a table
//!   between its rows, and each part repeats the header.
//! - Running headers and footers are left out.
//!
//! Nothing else is lost: every character of the blocks but white space is in a chunk, in order.
//!
//! [`chunks`] takes blocks and gives chunks as it goes; it holds one chunk and one block, or a list that
//! still fits a chunk, never the document.

mod areas;
mod cut;
mod gather;
mod size;
#[cfg(test)]
mod tests;

use std::ops::{Range, RangeInclusive};

pub use gather::{Chunks, chunks};
use size::Ruler;

/// What a chunk may grow to when structure does not end it before.
pub const MOST_TOKENS: usize = 500;
/// What no chunk exceeds.
pub const HARD_CAP: usize = 800;
/// Tokens of a part that gets a vector of its own, unless the model reads fewer at one time. On
/// `qa_squad2`, recall@1 by vectors alone is .60 with one vector for a chunk, .68 with parts of 254
/// tokens, .77 with 128 and .79 with 64, which are twice as many vectors to keep and to compare.
pub const PART_TOKENS: usize = 128;

/// A part of a page as layout found it, in reading order.
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
    /// 1 is the highest.
    Heading {
        level: u8,
    },
    Paragraph,
    ListItem,
    /// The first `header_rows` lines say what the columns are.
    Table {
        header_rows: usize,
    },
    /// The words in a picture, or below it.
    Figure,
    /// What pages repeat at their top: left out.
    Header,
    /// What pages repeat at their foot: left out.
    Footer,
}

/// A rectangle on a page, in the unit of whoever makes the blocks.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Area {
    pub page: u32,
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

/// Where some of a chunk's text stands.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub area: Area,
    /// Of the chunk's text, in bytes.
    pub text: Range<usize>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Chunk {
    pub text: String,
    /// The headings that all of it stands under, the highest first.
    pub heading: Vec<String>,
    /// First to last.
    pub pages: RangeInclusive<u32>,
    /// Where it is, a few rectangles at most.
    pub places: Vec<Place>,
    /// Of the text.
    pub tokens: u32,
}

impl Chunk {
    /// What is embedded, a vector for each: the text in parts of at most `most` tokens, cut at the ends of
    /// sentences, each after those headings that are not in the text, so that a paragraph on
    /// "Termination" is found by that word even when it never says it. The chunk is as near to a query as
    /// its nearest part.
    ///
    /// One vector says little of a long text, even when the model reads it: `most` should be
    /// [`PART_TOKENS`], or what the model reads at one time without its special tokens, if that is less.
    pub fn embedding_texts(&self, most: usize, count: &dyn Fn(&str) -> usize) -> Vec<String> {
        let ruler = Ruler::new(count);
        let mut headings = self.headings_outside();
        let size = ruler.size(&headings);
        // Headings that would take most of the room say less than the text.
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

    /// The same in one piece. [`crate::embed::Embedder::embed`] takes the mean over windows of it when
    /// it is longer than the model reads at one time.
    pub fn embedding_text(&self) -> String {
        format!("{}{}", self.headings_outside(), self.text)
    }

    /// The headings that are not in the text, a line for each.
    fn headings_outside(&self) -> String {
        let outside = self.heading.iter().filter(|heading| !self.text.contains(heading.as_str()));
        outside.flat_map(|heading| [heading.as_str(), "\n"]).collect()
    }
}
