//! Bytes become pages.
//!
//! A document is read into *parts* that come one after the other ([`Part`]): a head, its pages, what
//! was attached, a tail. No step holds more than one page of them, so a document of 3,000 pages takes
//! no more memory than one of three. Every later stage reads the same [`pages::artifact`].
//!
//! *Architecture invariant:* nothing in here opens a socket, and nothing that a document says is ever
//! taken as a path or a command.

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
/// What all this runs in. Whoever starts a [`reader::Reader`] decides how strict it is and reports what it holds.
pub use sandbox;

/// Takes the parts of a document as they are read.
///
/// A reader calls it with one [`Part::Head`] first, then pages in order and attachments wherever they
/// come up, and one [`Part::Tail`] last. An error of the sink ends the reading.
pub trait Sink {
    fn take(&mut self, part: Part) -> Result<(), ReadError>;
}

impl<F: FnMut(Part) -> Result<(), ReadError>> Sink for F {
    fn take(&mut self, part: Part) -> Result<(), ReadError> {
        self(part)
    }
}
