//! The answers to one job, as they come.

use std::time::Duration;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::child::Child;
use super::failure::ChildFailure;
use super::frames::Broken;
use super::pool::Keeper;
use super::protocol::{DONE, FAILED, GREETING, Tag, opened};
use crate::SandboxStatus;

/// Dropping it before its end kills the child: nobody knows what it would do next.
#[derive(Debug)]
pub struct Answers {
    keeper: Keeper,
    /// None once the job is over.
    child: Option<Child>,
    /// Frees the place in the pool, after the child.
    permit: Option<OwnedSemaphorePermit>,
    output: Meter,
    waiting: Stopwatch,
}

/// What a handler said. Nobody has looked inside.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Frame(Tag, Bytes),
    /// The handler's error, which is the last answer.
    Failed(HandlerError),
}

/// The error of a handler as it travels.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HandlerError(Bytes);

impl HandlerError {
    /// In the handler's own type.
    pub fn open<E: DeserializeOwned>(&self) -> Result<E, ChildFailure> {
        opened(&self.0).map_err(ChildFailure::garbled)
    }
}

#[derive(Debug)]
struct Meter {
    limit: u64,
    left: u64,
}

/// Counts only the time that somebody waits for the child: a slow disk on our side is not its fault.
#[derive(Debug)]
struct Stopwatch {
    limit: Duration,
    left: Duration,
    /// Stays when a wait is given up, so that asking anew gains the child no time.
    since: Option<Instant>,
}

impl Answers {
    pub(crate) fn new(
        keeper: Keeper,
        child: Child,
        permit: OwnedSemaphorePermit,
        output: u64,
        wall: Duration,
    ) -> Self {
        Self {
            keeper,
            child: Some(child),
            permit: Some(permit),
            output: Meter { limit: output, left: output },
            waiting: Stopwatch { limit: wall, left: wall, since: None },
        }
    }

    /// The process that does the work, and what holds it; none once the job is over.
    pub fn child(&self) -> Option<(u32, SandboxStatus)> {
        self.child.as_ref().map(|child| (child.id(), child.sandbox))
    }

    /// The next answer; none after the last. After a failure there are none.
    ///
    /// A call may be given up (in `select!`) and made again.
    pub async fn next(&mut self) -> Result<Option<Answer>, ChildFailure> {
        let Some(child) = &mut self.child else { return Ok(None) };
        let deadline = self.waiting.start();
        let heard = timeout_at(deadline, child.answers.next(self.output.left)).await;
        let failure = match heard {
            Ok(Ok((GREETING, _, _))) => ChildFailure::garbled("a greeting is out of place"),
            Ok(Ok((tag, frame, cost))) => {
                self.waiting.stop();
                self.output.left = self.output.left.saturating_sub(cost);
                return Ok(self.take(tag, frame));
            }
            Ok(Err(Broken::Ended)) => child.explain_death().await,
            Ok(Err(Broken::TooMuch)) => ChildFailure::TooMuchOutput { limit: self.output.limit },
            Ok(Err(Broken::Garbled(what))) => ChildFailure::garbled(what),
            Err(_) => ChildFailure::TimedOut { limit: self.waiting.limit },
        };
        self.give_up();
        Err(failure)
    }

    fn take(&mut self, tag: Tag, frame: Bytes) -> Option<Answer> {
        match tag {
            DONE => {
                self.end_well();
                None
            }
            FAILED => {
                self.end_well();
                Some(Answer::Failed(HandlerError(frame)))
            }
            tag => Some(Answer::Frame(tag, frame)),
        }
    }

    /// The child is free for the next document of this tenant.
    fn end_well(&mut self) {
        if let Some(child) = self.child.take() {
            self.keeper.take_back(child);
        }
        self.permit = None;
    }

    /// Kills the child, and has another made ready in its place. For whoever cannot make sense of an answer.
    pub fn give_up(&mut self) {
        if self.child.take().is_some() {
            self.permit = None;
            self.keeper.warm_up();
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.give_up();
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
