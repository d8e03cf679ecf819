//! Clients of external servers.
//!
//! Today these are *model services*: servers that complete text ([`llm`], also for [`extraction`]), compute embeddings
//! ([`embeddings`]) or rerank passages for a query ([`rerank`]). This crate knows their wire formats and their errors, and parses
//! server-sent [`events`]. The caller decides what to ask and how to use the answer.
//!
//! ```text
//! llm, embeddings, rerank ─► exchange ─► the server
//!    requests and answers        one call: attempts, time limits, size limits,
//!    of each protocol            refusals as error messages
//! ```
//!
//! - A [`Service`] is the address, name and key of a model.
//! - A *call* consists of one or more *attempts*: after a transient error (429, 5xx, no connection) the request is
//!   sent again according to [`Retries`], and all attempts together must end within [`Limits::total`].
//! - Every error is a [`ModelError`], whose message says what to do and never contains the key.
//!
//! Private addresses are allowed as targets. They come from the operator's settings, never from a tenant or
//! a document, and a model on the same machine or network is a usual choice. Addresses that tenants configure (webhooks)
//! must be checked before this crate may call them.
//!
//! Redirects are not followed: they would send the key, the question and the documents to a server that the operator
//! has not configured.

pub mod embeddings;
mod error;
pub mod events;
mod exchange;
pub mod extraction;
pub mod llm;
mod refusal;
pub mod rerank;
mod retries;
mod service;
mod trace;

pub use error::{ModelError, TimeoutPhase};
pub use retries::{Retries, Sleep};
pub use service::{Limits, Service};
pub use trace::in_trace;
