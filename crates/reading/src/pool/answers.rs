//! The answers to one job, as a stream.

use bytes::Bytes;
use pages::artifact::{PackedPart, read_frame};
use pages::{Attachment, Part};
use sandbox::SandboxStatus;
use sandbox::pool::{self, ChildFailure};

use super::failure::ReadFailure;
use super::protocol::{Answer, Drawn, FrameKind, Message, Picture};
use crate::ReadError;

/// Dropping it before the end kills the child, because its state is unknown.
#[derive(Debug)]
pub struct Answers {
    frames: pool::Answers,
    /// The span of the job in the trace of the request; ends with this value.
    span: tracing::Span,
    /// An attachment, picture or page view that is not complete yet.
    unfinished: Option<PackedAnswer>,
}

/// An answer whose pages are still packed.
#[derive(Clone, Debug, PartialEq)]
pub enum PackedAnswer {
    /// For [`pages::artifact::Writer::write_packed`].
    Part(PackedPart),
    Attachment(Attachment),
    Drawn(Drawn),
    Picture(Picture),
    /// A page view, as HTML.
    View(Vec<u8>),
}

impl Answers {
    pub(crate) fn new(frames: pool::Answers) -> Self {
        let span = tracing::info_span!("child", pid = frames.child().map(|(pid, _)| pid));
        span.in_scope(|| tracing::debug!("sent a job to a reading child"));
        Self { frames, span, unfinished: None }
    }

    /// The process id and the sandbox status of the child; none when the job has ended.
    pub fn child(&self) -> Option<(u32, SandboxStatus)> {
        self.frames.child()
    }

    /// The next answer; none after the last one or after a failure.
    ///
    /// Cancel-safe: a call may be dropped (in `select!`) and repeated.
    pub async fn next(&mut self) -> Result<Option<Answer>, ReadFailure> {
        Ok(match self.next_packed().await? {
            Some(PackedAnswer::Part(packed)) => match packed.unpack() {
                Ok(part) => Some(Answer::Part(part)),
                Err(error) => return Err(self.abort(error)),
            },
            Some(PackedAnswer::Attachment(attachment)) => {
                Some(Answer::Part(Part::Attachment(attachment)))
            }
            Some(PackedAnswer::Drawn(drawn)) => Some(Answer::Drawn(drawn)),
            Some(PackedAnswer::Picture(picture)) => Some(Answer::Picture(picture)),
            Some(PackedAnswer::View(html)) => Some(Answer::View(html)),
            None => None,
        })
    }

    /// Like [`Answers::next`], but leaves pages packed, for callers that only store them.
    pub async fn next_packed(&mut self) -> Result<Option<PackedAnswer>, ReadFailure> {
        loop {
            let (tag, frame) = match self.frames.next().await? {
                Some(pool::Answer::Frame(tag, frame)) => (tag, frame),
                // An error may also arrive in the middle of an attachment.
                Some(pool::Answer::Failed(error)) => return Err(error.open::<ReadError>()?.into()),
                None if self.unfinished.is_none() => return Ok(None),
                None => return Err(self.abort("a part is cut off")),
            };
            let Some(kind) = FrameKind::of(tag) else {
                return Err(self.abort("a frame has no known tag"));
            };
            if kind != FrameKind::Message {
                if self.unfinished.is_some() {
                    return Err(self.abort("a part is out of place"));
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
        let message = read_frame(&mut frame.as_ref()).map_err(|error| self.abort(error))?;
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
            (Message::View, None) => self.unfinished = Some(PackedAnswer::View(Vec::new())),
            (Message::Piece(piece), Some(mut unfinished)) => {
                unfinished.append(&piece);
                self.unfinished = Some(unfinished);
            }
            (Message::Complete, Some(finished)) => return Ok(Some(finished)),
            _ => return Err(self.abort("a frame is out of place")),
        }
        Ok(None)
    }

    fn abort(&mut self, reason: impl ToString) -> ReadFailure {
        tracing::info!(parent: &self.span, "aborted the job of a reading child");
        self.frames.kill_child();
        self.unfinished = None;
        ChildFailure::garbled(reason).into()
    }
}

impl PackedAnswer {
    fn append(&mut self, piece: &[u8]) {
        match self {
            Self::Attachment(attachment) => attachment.bytes.extend_from_slice(piece),
            Self::Picture(picture) => picture.bytes.extend_from_slice(piece),
            Self::View(html) => html.extend_from_slice(piece),
            // These arrive in one frame.
            Self::Part(_) | Self::Drawn(_) => {}
        }
    }
}
