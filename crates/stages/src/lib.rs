//! The stages of the pipeline: one small module each.
//!
//! A stage gets what it works on by name, reads it from the object store, and leaves artifacts there.
//! It knows no SQL and no queue: when it runs, how often, and what comes after is the engine's.

mod ingest;

pub use ingest::Ingest;
