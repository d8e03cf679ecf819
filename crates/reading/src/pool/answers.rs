//! The answers to one job, as they come.

use bytes::Bytes;
use pages::artifact::{PackedPart, read_frame};
use pages::{Attachment, Part};
use sandbox::SandboxStatus;
use sandbox::pool::{self, ChildFailure};

use super::failure::ReadFailure;
use super::protocol::{Answer, Drawn, FrameKind, Message, Picture};
use crate::ReadError;

/// Dropping it before its end kills the child: nobody knows what it would do next.
#[derive(Debug)]
pub struct Answers {
    frames: pool::Answers,
    /// The job in the trace of whoever gave it; ends with this value.
    span: tracing::Span,
    /// An attachment or picture whose bytes are coming in.
    unfinished: Option<PackedAnswer>,
}

/// An answer whose pages nobody has opened.
#[derive(Clone, Debug, PartialEq)]
pub enum PackedAnswer {
    /// For [`pages::artifact::Writer::write_packed`].
    Part(PackedPart),
    Attachment(Attachment),
    Drawn(Drawn),
    Picture(Picture),
}

impl Answers {
    pub(crate) fn new(frames: pool::Answers) -> Self {
        let span = tracing::info_span!("child", pid = frames.child().map(|(pid, _)| pid));
        span.in_scope(|| tracing::debug!("a reading child was given a job"));
        Self { frames, span, unfinished: None }
    }

    /// The process that does the work, and what holds it; none once the job is over.
    pub fn child(&self) -> Option<(u32, SandboxStatus)> {
        self.frames.child()
    }

    /// The next answer; none after the last. After a failure there are none.
    ///
    /// A call may be given up (in `select!`) and made again.
    pub async fn next(&mut self) -> Result<Option<Answer>, ReadFailure> {
        Ok(match self.next_packed().await? {
            Some(PackedAnswer::Part(packed)) => match packed.unpack() {
                Ok(part) => Some(Answer::Part(part)),
                Err(error) => return Err(self.give_up_on(error)),
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
        loop {
            let (tag, frame) = match self.frames.next().await? {
                Some(pool::Answer::Frame(tag, frame)) => (tag, frame),
                // Told in the middle of an attachment, too: that is where reading stopped.
                Some(pool::Answer::Failed(error)) => return Err(error.open::<ReadError>()?.into()),
                None if self.unfinished.is_none() => return Ok(None),
                None => return Err(self.give_up_on("a part is cut off")),
            };
            let Some(kind) = FrameKind::of(tag) else {
                return Err(self.give_up_on("a frame has no known tag"));
            };
            if kind != FrameKind::Message {
                if self.unfinished.is_some() {
                    return Err(self.give_up_on("a part is out of place"));
                }
                let wants_ocr = kind == FrameKind::WantedPage;
                let is_page = wants_ocr || kind == FrameKind::Page;
                return Ok(Some(PackedAnswer::Part(PackedPart::new(is_page, wants_ocr, frame))));
            }
            if let Some(answer) = self.take_message(&frame)? {
                return Ok(Some(answer));
            }
        }
    }

    fn take_message(&mut self, frame: &Bytes) -> Result<Option<PackedAnswer>, ReadFailure> {
        let message = read_frame(&mut frame.as_ref()).map_err(|error| self.give_up_on(error))?;
        match (message, self.unfinished.take()) {
            (Message::Drawn(drawn), None) => return Ok(Some(PackedAnswer::Drawn(drawn))),
            (Message::Attachment { name, media_type }, None) => {
                let attachment = Attachment { name, media_type, bytes: Vec::new() };
                self.unfinished = Some(PackedAnswer::Attachment(attachment));
            }
            (Message::Picture { width, height, format }, None) => {
                let picture = Picture { width, height, format, bytes: Vec::new() };
                self.unfinished = Some(PackedAnswer::Picture(picture));
            }
            (Message::Piece(piece), Some(mut unfinished)) => {
                unfinished.append(&piece);
                self.unfinished = Some(unfinished);
            }
            (Message::Complete, Some(finished)) => return Ok(Some(finished)),
            _ => return Err(self.give_up_on("a frame is out of place")),
        }
        Ok(None)
    }

    fn give_up_on(&mut self, what: impl ToString) -> ReadFailure {
        tracing::info!(parent: &self.span, "a reading child was ended before its job was done");
        self.frames.kill_child();
        self.unfinished = None;
        ChildFailure::garbled(what).into()
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
