//! The pool of sandboxed child processes, and the runner of external programs.
//!
//! ```text
//!   Pool ── run(tenant, job) ─► Answers ── next() ─► frame, frame, …, the end or a ChildFailure
//!     │ starts, reuses, replaces
//!   Child ═ socket: requests, files as descriptors ═► worker::serve (sandboxed) ─► the job's Handler
//!         ◄═ pipe: answers, frame by frame ═
//!   ProgramRunner ── an external program, one process for each input, each in its own sandbox
//! ```
//!
//! The parent does not trust a child: it limits the bytes that it accepts and the time that it waits, and a
//! malformed frame ends the child.
//!
//! *Architecture invariant:* a child that has seen one tenant's bytes never receives another's.

mod answers;
mod child;
mod document;
mod failure;
mod frames;
#[expect(clippy::module_inception, reason = "the pool is what this module is about")]
mod pool;
pub(crate) mod protocol;
mod runner;
mod starter;
mod stderr_tail;

pub use answers::{Answer, Answers, HandlerError, open_frame};
pub use document::{Document, DocumentWriter};
pub use failure::ChildFailure;
pub use pool::{IdleChildren, Job, Pool, PoolSettings};
pub use protocol::{HandlerName, MAX_FRAME, Tag};
pub use runner::{Finished, ProgramRunner, RunnerSettings};
