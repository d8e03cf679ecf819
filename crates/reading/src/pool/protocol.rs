//! The requests and answers of reading children.
//!
//! A request is one message. Answers are frames in the format of [`pages::artifact`]; the tag of a frame tells its content
//! ([`FrameKind`]). The frame of a part is the frame of the page artifact, so the parent can store it without unpacking
//! it; everything else is a [`Message`]. Large answers (attachments, pictures, page views) are sent in pieces.

use std::fmt;

use domain::FileKind;
use pages::artifact::{ArtifactError, write_frame};
use pages::{Area, Attachment, Part, Preparation, Size, TextSource, serde_byte_buf};
use sandbox::pool::{HandlerName, Tag};
use serde::{Deserialize, Serialize};

use crate::prepare::Mask;
use crate::{Limits, ReadError};

/// The name of this crate's handler in the pool. The version changes with the types of this module and with the types
/// that they contain.
pub const READING: HandlerName = HandlerName { name: "reading", version: 2 };
/// The size of a piece of a large answer.
pub(crate) const PIECE: usize = 1 << 20;

/// The content of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FrameKind {
    Message,
    Page,
    /// A page that needs OCR, so that they can be counted without unpacking.
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

/// A task and the document that it is about.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Request {
    pub work: Work,
    pub subject: Subject,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Work {
    /// Reads the parts of the document: text, words and areas as far as the file has them.
    Read { masks: Vec<Mask> },
    /// Draws pages and prepares them for OCR. Answers a [`Drawn`] for each page, in order, followed by its pictures.
    Show { pages: Vec<OcrPage> },
    /// Combines the words of the first engine ([`Role::Words`], one text for each page) with those that the second engine
    /// reads in the pictures ([`Role::Picture`], one for each page). Answers pages that have only words.
    Recognise { pages: Vec<Ready> },
    /// Finds blocks, tables and key-values in pages with words ([`Role::Pages`]).
    Layout,
    /// Draws one page for display.
    Render { page: u32, width: u32, masks: Vec<Mask> },
    /// Renders the page view of the whole document: see [`crate::formats::view`].
    View,
}

/// A page that needs OCR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct OcrPage {
    /// Counted from 1.
    pub number: u32,
    /// Areas that must not be read.
    pub masked: Vec<Area>,
}

/// The result of drawing a page for OCR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Drawn {
    /// The picture follows; after noise reduction, the cleaned picture follows as well.
    Ready(Ready),
    /// The page is empty, so no picture follows.
    Blank(Preparation),
    /// The page cannot be drawn.
    Failed(ReadError),
}

/// A page that is prepared for OCR.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Ready {
    pub number: u32,
    pub preparation: Preparation,
    /// The size of the picture before it was prepared.
    pub pixels: (u32, u32),
    /// The size of the page.
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

/// The purpose of a file that is sent with a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Role {
    Document,
    /// The page artifact of an earlier stage.
    Pages,
    /// The words that another engine read.
    Words,
    /// A page that is prepared for OCR ([`crate::ocr::tesseract::encode`]).
    Picture,
}

/// A request as it is sent.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Envelope {
    pub(crate) request: Request,
    /// The role of each file, in order.
    pub(crate) roles: Vec<Role>,
}

/// One answer of a child.
#[derive(Clone, Debug, PartialEq)]
#[expect(
    clippy::large_enum_variant,
    reason = "it is passed on once, and never stored in large numbers"
)]
pub enum Answer {
    Part(Part),
    Drawn(Drawn),
    Picture(Picture),
    /// A page view, as HTML.
    View(Vec<u8>),
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
    /// PGM: a short header, then one byte per pixel.
    Grey,
}

/// The answers that are not parts.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Message {
    /// The beginning of an attachment; its bytes follow.
    Attachment {
        name: String,
        media_type: Option<String>,
    },
    Picture {
        width: u32,
        height: u32,
        format: PictureFormat,
    },
    /// The beginning of a page view; its bytes follow.
    View,
    Drawn(Drawn),
    Piece(#[serde(with = "serde_byte_buf")] Vec<u8>),
    /// The bytes are complete.
    Complete,
}

/// Sends one frame.
pub(crate) type Send<'a> = dyn FnMut(Tag, &[u8]) -> Result<(), ReadError> + 'a;

/// Sends an answer through `send`, frame by frame.
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
        Answer::View(html) => {
            send_value(FrameKind::Message, &Message::View, send)?;
            send_bytes(&html, send)
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

/// The error for a page whose frame would be too large.
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
