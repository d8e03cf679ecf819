//! What readers are asked, and what they answer.
//!
//! A request travels as it is. Answers are frames as in [`pages::artifact`], of which the tag says what they hold
//! ([`FrameKind`]): a part's frame is the very one that the page artifact holds, so the parent can store it without
//! opening it; all else is a [`Message`]. What may be large (an attachment, a picture) comes in pieces.

use std::fmt;

use domain::FileKind;
use pages::artifact::{ArtifactError, write_frame};
use pages::{Area, Attachment, Part, Preparation, Size, TextSource, serde_byte_buf};
use sandbox::pool::{HandlerName, Tag};
use serde::{Deserialize, Serialize};

use crate::prepare::Mask;
use crate::{Limits, ReadError};

/// What the pool knows this crate's handler by. The version changes with the types of this module and with
/// whatever they consist of.
pub const READING: HandlerName = HandlerName { name: "reading", version: 1 };
/// The pieces in which bytes travel.
pub(crate) const PIECE: usize = 1 << 20;

/// What a frame holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Message,
    Page,
    /// A page that wants OCR: whoever only counts those need not open any.
    WantedPage,
    /// A part that is neither a page nor an attachment.
    OtherPart,
}

impl FrameKind {
    fn tag(self) -> Tag {
        match self {
            Self::Message => b'm',
            Self::Page => b'p',
            Self::WantedPage => b'w',
            Self::OtherPart => b'o',
        }
    }

    pub(crate) fn of(tag: Tag) -> Option<Self> {
        let all = [Self::Message, Self::Page, Self::WantedPage, Self::OtherPart];
        all.into_iter().find(|kind| kind.tag() == tag)
    }
}

/// What a child is to do, and with which document.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub work: Work,
    pub subject: Subject,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// The document's parts: text, words and areas as far as the file itself tells.
    Read { masks: Vec<Mask> },
    /// Draws pages and makes them ready for OCR: a [`Drawn`] for each, in this order, and its pictures.
    Show { pages: Vec<Wanted> },
    /// Joins what the first engine read ([`Role::Words`], one text for each page) with what the second one
    /// reads in the pictures ([`Role::Picture`], one for each page). The answers are pages with words and
    /// nothing else.
    Recognise { pages: Vec<Ready> },
    /// Blocks, tables and key-values of pages whose words are known ([`Role::Pages`]).
    Layout,
    /// A picture of one page, for people.
    Render { page: u32, width: u32, masks: Vec<Mask> },
}

/// A page that wants OCR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Wanted {
    /// Counted from 1.
    pub number: u32,
    /// What nobody may read.
    pub masked: Vec<Area>,
}

/// What became of a page that was to be drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drawn {
    /// Its picture follows; where grain was taken out, the picture without the grain follows that.
    Ready(Ready),
    /// There is nothing on it, so no picture follows.
    Blank(Preparation),
    /// It cannot be drawn, and why.
    Not(ReadError),
}

/// A page whose picture is ready for OCR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    pub number: u32,
    pub preparation: Preparation,
    /// Of the picture as it was drawn, before it was made ready.
    pub pixels: (u32, u32),
    /// Of the page.
    pub size: Size,
}

/// The document, apart from its bytes. See [`crate::Source`].
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Subject {
    pub kind: FileKind,
    pub file_name: String,
    pub password: Option<String>,
    pub limits: Limits,
}

impl fmt::Debug for Subject {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Subject").field("kind", &self.kind).finish_non_exhaustive()
    }
}

/// What a file that rides along is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    Document,
    /// The page artifact of an earlier stage.
    Pages,
    /// What another engine read.
    Words,
    /// A page made ready for OCR ([`crate::ocr::tesseract::encode`]); one for each.
    Picture,
}

/// A request as it travels.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) request: Request,
    /// One for each file that rides along, in their order.
    pub(crate) roles: Vec<Role>,
}

/// One thing that a child found.
#[derive(Clone, Debug, PartialEq)]
#[expect(clippy::large_enum_variant, reason = "it is handed on once, and never kept in numbers")]
pub enum Answer {
    Part(Part),
    Drawn(Drawn),
    Picture(Picture),
}

#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub width: u32,
    pub height: u32,
    pub format: PictureFormat,
    pub bytes: Vec<u8>,
}

impl fmt::Debug for Picture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Picture({}×{}, {:?})", self.width, self.height, self.format)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum PictureFormat {
    Png,
    Jpeg,
    /// PGM: a short header, then one byte for each pixel.
    Grey,
}

/// What comes back for a request, beside parts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The beginning of an attachment or picture, whose bytes follow.
    Attachment {
        name: String,
        media_type: Option<String>,
    },
    Picture {
        width: u32,
        height: u32,
        format: PictureFormat,
    },
    Drawn(Drawn),
    Piece(#[serde(with = "serde_byte_buf")] Vec<u8>),
    /// The bytes are complete.
    Complete,
}

/// Takes frames.
pub(crate) type Send<'a> = dyn FnMut(Tag, &[u8]) -> Result<(), ReadError> + 'a;

/// Gives an answer to `send`, frame by frame.
pub(crate) fn send_answer(answer: Answer, send: &mut Send<'_>) -> Result<(), ReadError> {
    match answer {
        Answer::Part(Part::Attachment(Attachment { name, media_type, bytes })) => {
            send_value(FrameKind::Message, &Message::Attachment { name, media_type }, send)?;
            send_bytes(&bytes, send)
        }
        Answer::Part(Part::Page(page)) => {
            let is_wanted = page.text == TextSource::Wanted;
            let kind = if is_wanted { FrameKind::WantedPage } else { FrameKind::Page };
            send_value(kind, &Part::Page(page), send)
        }
        Answer::Part(part) => send_value(FrameKind::OtherPart, &part, send),
        Answer::Drawn(drawn) => send_value(FrameKind::Message, &Message::Drawn(drawn), send),
        Answer::Picture(Picture { width, height, format, bytes }) => {
            send_value(FrameKind::Message, &Message::Picture { width, height, format }, send)?;
            send_bytes(&bytes, send)
        }
    }
}

fn send_bytes(bytes: &[u8], send: &mut Send<'_>) -> Result<(), ReadError> {
    for piece in bytes.chunks(PIECE) {
        send_value(FrameKind::Message, &Message::Piece(piece.to_vec()), send)?;
    }
    send_value(FrameKind::Message, &Message::Complete, send)
}

fn send_value<T: Serialize>(
    kind: FrameKind,
    value: &T,
    send: &mut Send<'_>,
) -> Result<(), ReadError> {
    let mut frame = Vec::new();
    match write_frame(&mut frame, value) {
        Ok(_) => send(kind.tag(), &frame),
        Err(ArtifactError::TooLarge) => Err(too_large()),
        Err(_) => Err(ReadError::Stopped),
    }
}

/// A page so full that nobody would take its frame.
pub(crate) fn too_large() -> ReadError {
    ReadError::too_large("one of its pages")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_attachment_travels_in_pieces() {
        let bytes = vec![7; PIECE + 1];
        let attachment = Attachment { name: "a.xml".into(), media_type: None, bytes };
        let mut messages: Vec<Message> = Vec::new();
        let sent = send_answer(Answer::Part(Part::Attachment(attachment)), &mut |tag, frame| {
            assert_eq!(FrameKind::of(tag), Some(FrameKind::Message));
            messages.push(pages::artifact::read_frame(&mut &*frame).unwrap());
            Ok(())
        });
        sent.unwrap();
        assert!(matches!(
            messages.as_slice(),
            [Message::Attachment { .. }, Message::Piece(first), Message::Piece(last), Message::Complete]
                if first.len() == PIECE && last.len() == 1
        ));
    }

    #[test]
    fn a_password_stays_out_of_the_log() {
        let subject = Subject {
            kind: FileKind::Pdf,
            file_name: "payslip.pdf".into(),
            password: Some("hunter2".into()),
            limits: Limits::default(),
        };
        let logged = format!("{:?}", Request { work: Work::Read { masks: Vec::new() }, subject });
        assert!(!logged.contains("hunter2") && !logged.contains("payslip"), "{logged}");
    }
}
