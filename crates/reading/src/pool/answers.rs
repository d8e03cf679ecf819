//! The answers to one job, as they come.

use std::time::Duration;

use bytes::Bytes;
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::{Instant, timeout_at};

use super::child::Child;
use super::failure::ReadFailure;
use super::frames::{Broken, opened};
use super::pool::Keeper;
use super::protocol::{Answer, Drawn, Frame, Picture, Tag};
use crate::artifact::PackedPart;
use crate::model::{Attachment, Part};
use crate::sandbox::SandboxStatus;

/// Dropping it before its end kills the child: nobody knows what it would do next.
#[derive(Debug)]
pub struct Answers {
    keeper: Keeper,
    /// The job in the trace of whoever gave it; ends with this value.
    span: tracing::Span,
    /// None once the job is over.
    child: Option<Child>,
    /// Frees the place in the pool, after the child.
    permit: Option<OwnedSemaphorePermit>,
    output: Meter,
    waiting: Stopwatch,
    /// An attachment or picture whose bytes are coming in.
    unfinished: Option<PackedAnswer>,
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

/// An answer whose pages nobody has opened.
#[derive(Clone, Debug, PartialEq)]
pub enum PackedAnswer {
    /// For [`crate::artifact::Writer::write_packed`].
    Part(PackedPart),
    Attachment(Attachment),
    Drawn(Drawn),
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
        let span = tracing::info_span!("child", pid = child.id());
        span.in_scope(|| tracing::debug!("a reading child was given a job"));
        Self {
            keeper,
            span,
            child: Some(child),
            permit: Some(permit),
            output: Meter { limit: output, left: output },
            waiting: Stopwatch { limit: wall, left: wall, since: None },
            unfinished: None,
        }
    }

    /// The process that does the work, and what holds it; none once the job is over.
    pub fn child(&self) -> Option<(u32, SandboxStatus)> {
        self.child.as_ref().map(|child| (child.id(), child.sandbox))
    }

    /// The next answer; none after the last. After a failure there are none.
    ///
    /// A call may be given up (in `select!`) and made again.
    pub async fn next(&mut self) -> Result<Option<Answer>, ReadFailure> {
        Ok(match self.next_packed().await? {
            Some(PackedAnswer::Part(packed)) => match packed.unpack() {
                Ok(part) => Some(Answer::Part(part)),
                Err(error) => return Err(self.give_up_on(garbled(error))),
            },
            Some(PackedAnswer::Attachment(attachment)) => {
                Some(Answer::Part(Part::Attachment(attachment)))
            }
            Some(PackedAnswer::Drawn(drawn)) => Some(Answer::Drawn(drawn)),
            Some(PackedAnswer::Picture(picture)) => Some(Answer::Picture(picture)),
            None => None,
        })
    }

    /// As [`Answers::next`], for whoever stores parts and does not look at them: saves opening and
    /// packing every page.
    pub async fn next_packed(&mut self) -> Result<Option<PackedAnswer>, ReadFailure> {
        while self.child.is_some() {
            let (tag, frame) = self.next_frame().await?;
            if tag != Tag::Message {
                if self.unfinished.is_some() {
                    return Err(self.give_up_on(garbled("a part is out of place")));
                }
                let wants_ocr = tag == Tag::WantedPage;
                let is_page = wants_ocr || tag == Tag::Page;
                return Ok(Some(PackedAnswer::Part(PackedPart { is_page, wants_ocr, frame })));
            }
            let message = opened(&frame).map_err(|broken| self.give_up_on(garbled_by(broken)))?;
            if let Some(answer) = self.take_message(message)? {
                return Ok(Some(answer));
            }
        }
        Ok(None)
    }

    fn take_message(&mut self, message: Frame) -> Result<Option<PackedAnswer>, ReadFailure> {
        match (message, self.unfinished.take()) {
            (Frame::Drawn(drawn), None) => return Ok(Some(PackedAnswer::Drawn(drawn))),
            (Frame::Attachment { name, media_type }, None) => {
                let attachment = Attachment { name, media_type, bytes: Vec::new() };
                self.unfinished = Some(PackedAnswer::Attachment(attachment));
            }
            (Frame::Picture { width, height, format }, None) => {
                let picture = Picture { width, height, format, bytes: Vec::new() };
                self.unfinished = Some(PackedAnswer::Picture(picture));
            }
            (Frame::Piece(piece), Some(mut unfinished)) => {
                unfinished.append(&piece);
                self.unfinished = Some(unfinished);
            }
            (Frame::Complete, Some(finished)) => return Ok(Some(finished)),
            (Frame::Done, None) => self.end_well(),
            // Told in the middle of an attachment, too: that is where reading stopped.
            (Frame::Failed(error), _) => {
                self.end_well();
                return Err(error.into());
            }
            _ => return Err(self.give_up_on(garbled("a frame is out of place"))),
        }
        Ok(None)
    }

    async fn next_frame(&mut self) -> Result<(Tag, Bytes), ReadFailure> {
        let Some(child) = &mut self.child else { return Err(garbled("it is over")) };
        let deadline = self.waiting.start();
        let heard = timeout_at(deadline, child.answers.next(self.output.left)).await;
        let failure = match heard {
            Ok(Ok((tag, frame, cost))) => {
                self.waiting.stop();
                self.output.left = self.output.left.saturating_sub(cost);
                return Ok((tag, frame));
            }
            Ok(Err(Broken::Ended)) => child.explain_death().await,
            Ok(Err(Broken::TooMuch)) => ReadFailure::TooMuchOutput { limit: self.output.limit },
            Ok(Err(broken)) => garbled_by(broken),
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
        // What went wrong may quote the document; whoever gets it knows what of it can be logged.
        tracing::info!(parent: &self.span, "a reading child was ended before its job was done");
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

impl PackedAnswer {
    fn append(&mut self, piece: &[u8]) {
        match self {
            Self::Attachment(attachment) => attachment.bytes.extend_from_slice(piece),
            Self::Picture(picture) => picture.bytes.extend_from_slice(piece),
            // These come whole.
            Self::Part(_) | Self::Drawn(_) => {}
        }
    }
}

fn garbled(what: impl ToString) -> ReadFailure {
    ReadFailure::Garbled { what: what.to_string() }
}

fn garbled_by(broken: Broken) -> ReadFailure {
    match broken {
        Broken::Garbled(what) => ReadFailure::Garbled { what },
        other => garbled(format!("{other:?}")),
    }
}
