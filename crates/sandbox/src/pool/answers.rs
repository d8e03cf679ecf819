//! The answers to one job, as they arrive.

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::child::Child;
use super::failure::ChildFailure;
use super::frames::FrameError;
use super::pool::PoolHandle;
use super::protocol::{DONE, FAILED, GREETING, Tag, from_frame};
use crate::SandboxStatus;

/// Dropping it before the last answer kills the child, whose state is unknown.
#[derive(Debug)]
pub struct Answers {
    handle: PoolHandle,
    /// None once the job is over.
    child: Option<Child>,
    /// Released after the child, which frees the slot in the pool.
    permit: Option<OwnedSemaphorePermit>,
    output: OutputBudget,
    waiting: Stopwatch,
}

/// An answer of a handler, not decoded.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Frame(Tag, Bytes),
    /// The handler's error, which is the last answer.
    Failed(HandlerError),
}

/// The encoded error of a handler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerError(Bytes);

impl HandlerError {
    /// Decodes it into the handler's error type.
    pub fn open<E: DeserializeOwned>(&self) -> Result<E, ChildFailure> {
        open_frame(&self.0)
    }
}

/// Decodes an answer that a handler sent with [`crate::worker::Replies::send_value`].
pub fn open_frame<T: DeserializeOwned>(frame: &[u8]) -> Result<T, ChildFailure> {
    from_frame(frame).map_err(ChildFailure::garbled)
}

#[derive(Debug)]
struct OutputBudget {
    limit: u64,
    left: u64,
}

/// Counts only the time that the caller waits for the child, and not the caller's own work.
#[derive(Debug)]
struct Stopwatch {
    limit: Duration,
    left: Duration,
    /// Stays set when a wait is cancelled, so that a new call grants the child no extra time.
    since: Option<Instant>,
}

impl Answers {
    pub(crate) fn new(
        handle: PoolHandle,
        child: Child,
        permit: OwnedSemaphorePermit,
        output: u64,
        wall: Duration,
    ) -> Self {
        Self {
            handle,
            child: Some(child),
            permit: Some(permit),
            output: OutputBudget { limit: output, left: output },
            waiting: Stopwatch { limit: wall, left: wall, since: None },
        }
    }

    /// The child's process id and sandbox; `None` once the job is over.
    pub fn child(&self) -> Option<(u32, SandboxStatus)> {
        self.child.as_ref().map(|child| (child.id(), child.sandbox))
    }

    /// The next answer; `None` after the last one and after a failure.
    ///
    /// Cancel safe: a call in `select!` may be dropped and repeated.
    pub async fn next(&mut self) -> Result<Option<Answer>, ChildFailure> {
        let Some(child) = &mut self.child else { return Ok(None) };
        let deadline = self.waiting.start();
        let received = timeout_at(deadline, child.answers.next(self.output.left)).await;
        let failure = match received {
            Ok(Ok((GREETING, _, _))) => ChildFailure::garbled("unexpected greeting"),
            Ok(Ok((tag, frame, cost))) => {
                self.waiting.stop();
                self.output.left = self.output.left.saturating_sub(cost);
                return Ok(self.take(tag, frame));
            }
            Ok(Err(FrameError::Ended)) => child.exit_failure().await,
            Ok(Err(FrameError::TooMuch)) => {
                ChildFailure::TooMuchOutput { limit: self.output.limit }
            }
            Ok(Err(FrameError::Garbled(what))) => ChildFailure::garbled(what),
            Err(_) => ChildFailure::TimedOut { limit: self.waiting.limit },
        };
        self.kill_child();
        Err(failure)
    }

    fn take(&mut self, tag: Tag, frame: Bytes) -> Option<Answer> {
        match tag {
            DONE => {
                self.release_child();
                None
            }
            FAILED => {
                self.release_child();
                Some(Answer::Failed(HandlerError(frame)))
            }
            tag => Some(Answer::Frame(tag, frame)),
        }
    }

    /// Returns the child to the pool, for the next document of this tenant.
    fn release_child(&mut self) {
        if let Some(child) = self.child.take() {
            self.handle.release(child);
        }
        self.permit = None;
    }

    /// Kills the child and has the pool start a new one. For callers that cannot decode an answer.
    pub fn kill_child(&mut self) {
        if self.child.take().is_some() {
            self.permit = None;
            self.handle.start_spare();
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.kill_child();
    }
}

impl Stopwatch {
    fn start(&mut self) -> Instant {
        *self.since.get_or_insert_with(Instant::now) + self.left
    }

    fn stop(&mut self) {
        if let Some(since) = self.since.take() {
            self.left = self.left.saturating_sub(since.elapsed());
        }
    }
}
