//! The documentation says what the program does: generated pages are current, links lead somewhere, samples work, and
//! every error code and requirement id is explained.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "in a test, a panic is the right answer to what cannot be"
)]

mod error_codes;
mod generated;
mod links;
mod markdown;
mod requests;
mod requirements;
mod samples;
mod sources;
