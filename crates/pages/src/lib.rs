//! What a document is once it has been read: pages of words with boxes, blocks, tables and key-values.
//!
//! Every stage after reading works on these types. [`artifact`] is how they are stored, [`export`] how people and
//! other programs get them. Nothing in here parses a file: that is the business of `reading`.

pub mod artifact;
pub mod export;
mod model;

pub use model::*;
