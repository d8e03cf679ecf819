//! The stages of the pipeline: one small module each.
//!
//! A stage gets what it works on by name, reads it from the object store, and leaves artifacts there.
//! It knows no SQL and no queue: when it runs, how often, and what comes after is the engine's.

mod desk;
mod index;
mod ingest;
mod layout;
mod ocr;
mod preprocess;

pub use desk::Desk;
pub use index::Index;
pub use ingest::Ingest;
pub use layout::Layout;
pub use ocr::Ocr;
pub use preprocess::{FileWithin, FrontDoor, Preprocess, TakingIn};
