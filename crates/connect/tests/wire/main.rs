//! The wire formats, against a test server that answers as the services document it.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

mod anthropic;
mod bounds;
mod embeddings;
mod failures;
mod fields;
mod openai;
mod real_model;
mod rerank;
mod server;
mod time_limits;
