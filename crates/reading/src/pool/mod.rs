//! Reading children and whoever minds them.
//!
//! ```text
//!   Pool ── run(tenant, job) ─► Answers ── next() ─► part, part, …, the end or a ReadFailure
//!     │ picks, warms, replaces
//!   Child ═ socket: requests, documents as descriptors ═► worker::serve_requests (sandboxed)
//!         ◄═ pipe: answers, frame by frame ═
//!   Tesseract ── a program of its own per picture, in a sandbox of its own
//! ```
//!
//! The parent believes nothing that comes back: it counts bytes (a child cannot flood it), it counts
//! the time that it waits (a child cannot stall it), and a frame that makes no sense ends the child.
//!
//! *Architecture invariant:* a child that has seen one tenant's bytes is never given another's.

mod answers;
mod child;
mod document;
mod failure;
mod frames;
mod last_words;
mod nursery;
#[expect(clippy::module_inception, reason = "the pool is what this module is about")]
mod pool;
pub(crate) mod protocol;
mod tesseract;

pub use answers::{Answers, PackedAnswer};
pub use document::{Document, DocumentWriter};
pub use failure::ReadFailure;
pub use pool::{Job, Pool, PoolSettings, Waiting};
pub use protocol::{
    Answer, Drawn, Picture, PictureFormat, Ready, Request, Role, Subject, Wanted, Work,
};
pub use tesseract::{Tesseract, TesseractSettings};
