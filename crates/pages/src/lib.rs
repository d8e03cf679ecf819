//! The page model: the pages of a document with words, boxes, blocks, tables and key-value pairs.
//!
//! Every stage after reading works on these types. [`artifact`] stores them, [`export`] writes them as text, Markdown and
//! JSON. The crate `reading` parses files; this crate does not.

pub mod artifact;
pub mod export;
mod model;

pub use model::*;
