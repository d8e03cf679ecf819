//! The answers to one job, as they come.

use std::time::Duration;

use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::child::Child;
use super::failure::ReadFailure;
use super::frames::Broken;
use super::pool::Keeper;
use super::protocol::{Answer, Frame, Picture};
use crate::model::{Attachment, Part};
use crate::sandbox::Door;

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
    /// An attachment or picture whose bytes are coming in.
    unfinished: Option<Unfinished>,
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

#[derive(Debug)]
enum Unfinished {
    Attachment(Attachment),
    Picture(Picture),
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
            unfinished: None,
        }
    }

    /// The process that does the work, and what holds it; none once the job is over.
    pub fn child(&self) -> Option<(u32, Door)> {
        self.child.as_ref().map(|child| (child.id(), child.door))
    }

    /// The next answer; none after the last. After a failure there are none.
    ///
    /// A call may be given up (in `select!`) and made again.
    pub async fn next(&mut self) -> Result<Option<Answer>, ReadFailure> {
        while self.child.is_some() {
            match self.next_frame().await? {
                Frame::Part(part) if self.unfinished.is_none() => {
                    return Ok(Some(Answer::Part(part)));
                }
                Frame::Attachment { name, media_type } if self.unfinished.is_none() => {
                    let attachment = Attachment { name, media_type, bytes: Vec::new() };
                    self.unfinished = Some(Unfinished::Attachment(attachment));
                }
                Frame::Picture { width, height, format } if self.unfinished.is_none() => {
                    let picture = Picture { width, height, format, bytes: Vec::new() };
                    self.unfinished = Some(Unfinished::Picture(picture));
                }
                Frame::Piece(piece) => match &mut self.unfinished {
                    Some(unfinished) => unfinished.bytes().extend_from_slice(&piece),
                    None => return Err(self.give_up_on(out_of_place())),
                },
                Frame::Complete => match self.unfinished.take() {
                    Some(finished) => return Ok(Some(finished.into())),
                    None => return Err(self.give_up_on(out_of_place())),
                },
                Frame::Done if self.unfinished.is_none() => self.end_well(),
                // Told in the middle of an attachment, too: that is where reading stopped.
                Frame::Failed(error) => {
                    self.end_well();
                    return Err(error.into());
                }
                _ => return Err(self.give_up_on(out_of_place())),
            }
        }
        Ok(None)
    }

    async fn next_frame(&mut self) -> Result<Frame, ReadFailure> {
        let Some(child) = &mut self.child else { return Err(out_of_place()) };
        let deadline = self.waiting.start();
        let heard = timeout_at(deadline, child.answers.next(self.output.left)).await;
        let failure = match heard {
            Ok(Ok((frame, cost))) => {
                self.waiting.stop();
                self.output.left = self.output.left.saturating_sub(cost);
                return Ok(frame);
            }
            Ok(Err(Broken::Ended)) => child.explain_death().await,
            Ok(Err(Broken::Garbled(what))) => ReadFailure::Garbled { what },
            Ok(Err(Broken::TooMuch)) => ReadFailure::TooMuchOutput { limit: self.output.limit },
            Err(_) => ReadFailure::TimedOut { limit: self.waiting.limit },
        };
        Err(self.give_up_on(failure))
    }

    /// The child is free for the next document of this tenant.
    fn end_well(&mut self) {
        if let Some(child) = self.child.take() {
            self.keeper.take_back(child);
        }
        self.permit = None;
    }

    fn give_up_on(&mut self, failure: ReadFailure) -> ReadFailure {
        self.let_go();
        failure
    }

    /// Kills the child, and has another made ready in its place.
    fn let_go(&mut self) {
        if self.child.take().is_some() {
            self.permit = None;
            self.keeper.warm_up();
        }
    }
}

impl Drop for Answers {
    fn drop(&mut self) {
        self.let_go();
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

impl Unfinished {
    fn bytes(&mut self) -> &mut Vec<u8> {
        match self {
            Self::Attachment(attachment) => &mut attachment.bytes,
            Self::Picture(picture) => &mut picture.bytes,
        }
    }
}

impl From<Unfinished> for Answer {
    fn from(finished: Unfinished) -> Self {
        match finished {
            Unfinished::Attachment(attachment) => Self::Part(Part::Attachment(attachment)),
            Unfinished::Picture(picture) => Self::Picture(picture),
        }
    }
}

fn out_of_place() -> ReadFailure {
    ReadFailure::Garbled { what: "a frame is out of place".to_owned() }
}
