//! Reads documents: turns the bytes of a file into pages.
//!
//! A document is read as a stream of *parts* ([`Part`]): a head, the pages, the attachments, a tail. No step holds
//! more than one page in memory, so a document of 3,000 pages needs no more memory than one of three. Every later
//! stage reads the same [`pages::artifact`].
//!
//! *Architecture invariant:* this crate opens no socket, and never uses text of a document as a path or a command.

pub mod detect;
mod error;
mod flow;
pub mod formats;
pub mod handler;
mod language;
pub mod layout;
pub mod ocr;
pub mod pdfium;
pub mod pool;
pub mod prepare;
pub mod reader;
mod recognition;
pub mod render;
mod source;
pub mod tools;
pub mod worker;

pub use error::ReadError;
pub use source::{Limits, Source};

pub use pages::Part;
/// The processes that the readers run in. The program that creates a [`reader::Reader`] sets the policy and reports the
/// sandbox status.
pub use sandbox;

/// Receives the parts of a document while it is read.
///
/// A reader sends one [`Part::Head`] first, then the pages in order with the attachments among them, and one
/// [`Part::Tail`] last. An error of the sink stops the reader.
pub trait Sink {
    fn take(&mut self, part: Part) -> Result<(), ReadError>;
}

impl<F: FnMut(Part) -> Result<(), ReadError>> Sink for F {
    fn take(&mut self, part: Part) -> Result<(), ReadError> {
        self(part)
    }
}
