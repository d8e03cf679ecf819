//! Everything that talks to somebody else's server.
//!
//! Today these are *model services*: servers that complete text ([`llm`]), turn text into vectors
//! ([`embeddings`]) or judge how well passages answer a query ([`rerank`]). This crate knows their wire
//! formats and how they fail; of what other servers stream it reads the [`events`]. What is asked of them, and what is done with the answer, is the caller's.
//!
//! ```text
//! llm, embeddings, rerank ─► exchange ─► the server
//!    what to ask, what the       one call: tries, time limits, bounded answers,
//!    answer means                refusals turned into sentences
//! ```
//!
//! - A [`Service`] says where a model is served, under which name and with which key.
//! - A *call* is what the caller asks for. It consists of one or more *tries*: those that failed in passing
//!   (429, 5xx, no connection) are repeated as [`Retries`] says, and all of them together keep to
//!   [`Limits::whole`].
//! - Every failure is a [`ModelError`]: a sentence that says what to do, and never holds the key.
//!
//! Private addresses are allowed as targets. They come from the operator's settings, never from a tenant or
//! from a document, and a model on the same machine or network is a usual choice. Addresses that tenants
//! name (webhooks) need a guard, and must not be called from here without one.
//!
//! Redirects are not followed: they would carry the key, the question and the documents to a server that
//! nobody has chosen.

pub mod embeddings;
mod error;
pub mod events;
mod exchange;
pub mod llm;
mod refusal;
pub mod rerank;
mod retries;
mod service;
mod trace;

pub use error::{ModelError, Slow};
pub use retries::{Retries, Waiting};
pub use service::{Limits, Service};
pub use trace::in_trace;
