//! Sandboxed children and whoever minds them.
//!
//! ```text
//!   Pool ── run(tenant, job) ─► Answers ── next() ─► frame, frame, …, the end or a ChildFailure
//!     │ picks, warms, replaces
//!   Child ═ socket: requests, files as descriptors ═► worker::serve (sandboxed) ─► the job's Handler
//!         ◄═ pipe: answers, frame by frame ═
//!   ProgramRunner ── somebody else's program, a process for each input, in a sandbox of its own
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
#[expect(clippy::module_inception, reason = "the pool is what this module is about")]
mod pool;
pub(crate) mod protocol;
mod runner;
mod starter;

pub use answers::{Answer, Answers, HandlerError};
pub use document::{Document, DocumentWriter};
pub use failure::ChildFailure;
pub use pool::{Job, Pool, PoolSettings, Waiting};
pub use protocol::{HandlerName, MAX_FRAME, Tag};
pub use runner::{Finished, ProgramRunner, RunnerSettings};
