//! What parent and child say to each other.
//!
//! ```text
//! parent → child   Terms, then for each job an Envelope (its documents ride along as descriptors)
//! child → parent   Greeting, then for each job Frames up to Done or Failed
//! ```
//!
//! Messages are frames as in [`crate::artifact`]: `length unpacked lz4(postcard(message))`. What a child
//! says has a byte before each frame that tells a message from a part ([`Tag`]): a part's frame is the
//! very one that the page artifact holds, so the parent can store it without opening it.
//!
//! No frame is large: what may be (an attachment, a picture) comes in pieces, so that a hostile child
//! cannot make its parent set much memory aside.

use std::fmt;
use std::io::Write;

use domain::FileKind;
use serde::{Deserialize, Serialize};

use crate::artifact::{self, ArtifactError};
use crate::model::{Area, Attachment, Part, Preparation, Size, TextSource, serde_byte_buf};
use crate::prepare::Mask;
use crate::sandbox::{SandboxPolicy, SandboxStatus};
use crate::{Limits, ReadError};

/// Both sides are the same binary, unless somebody replaced the file under a running one.
pub(crate) const VERSION: u16 = 3;
/// The largest frame, unpacked.
pub(crate) const MAX_FRAME: u32 = 16 << 20;
/// The pieces in which bytes travel.
pub(crate) const PIECE: usize = 1 << 20;
/// How many files can ride along with one request.
pub(crate) const MAX_HANDED: usize = 8;

/// The first thing a child is told.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Terms {
    pub(crate) version: u16,
    /// The process to end with.
    pub(crate) parent: u32,
    pub(crate) memory: u64,
    pub(crate) cpu_seconds: u64,
    pub(crate) sandbox: SandboxPolicy,
}

/// The first thing a child says.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) enum Greeting {
    Ready {
        version: u16,
        sandbox: SandboxStatus,
    },
    /// It takes no document: a lock that is required is missing.
    Unprotected {
        sandbox: SandboxStatus,
    },
    NotReady {
        why: String,
    },
}

/// What a frame from a child holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Tag {
    Message,
    Page,
    /// A page that wants OCR: whoever only counts those need not open any.
    WantedPage,
    /// A part that is neither a page nor an attachment.
    OtherPart,
}

impl Tag {
    fn byte(self) -> u8 {
        match self {
            Self::Message => b'm',
            Self::Page => b'p',
            Self::WantedPage => b'w',
            Self::OtherPart => b'o',
        }
    }

    pub(crate) fn of(byte: u8) -> Option<Self> {
        let all = [Self::Message, Self::Page, Self::WantedPage, Self::OtherPart];
        all.into_iter().find(|tag| tag.byte() == byte)
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
    /// One for each descriptor that rides along, in their order.
    pub(crate) handed: Vec<Role>,
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
pub(crate) enum Frame {
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
    Done,
    Failed(ReadError),
}

/// Writes an answer in frames.
pub(crate) fn write_answer(to: &mut impl Write, answer: Answer) -> Result<(), ArtifactError> {
    match answer {
        Answer::Part(Part::Attachment(Attachment { name, media_type, bytes })) => {
            write_message(to, &Frame::Attachment { name, media_type })?;
            write_bytes(to, &bytes)
        }
        Answer::Part(Part::Page(page)) => {
            let is_wanted = page.text == TextSource::Wanted;
            let tag = if is_wanted { Tag::WantedPage } else { Tag::Page };
            write_tagged(to, tag, &Part::Page(page))
        }
        Answer::Part(part) => write_tagged(to, Tag::OtherPart, &part),
        Answer::Drawn(drawn) => write_message(to, &Frame::Drawn(drawn)),
        Answer::Picture(Picture { width, height, format, bytes }) => {
            write_message(to, &Frame::Picture { width, height, format })?;
            write_bytes(to, &bytes)
        }
    }
}

/// Writes what is not a part.
pub(crate) fn write_message<T: Serialize>(
    to: &mut impl Write,
    message: &T,
) -> Result<(), ArtifactError> {
    write_tagged(to, Tag::Message, message)
}

fn write_bytes(to: &mut impl Write, bytes: &[u8]) -> Result<(), ArtifactError> {
    for piece in bytes.chunks(PIECE) {
        write_message(to, &Frame::Piece(piece.to_vec()))?;
    }
    write_message(to, &Frame::Complete)
}

/// A page so full that the parent would refuse it is refused here, where it is an ordinary error.
fn write_tagged<T: Serialize>(
    to: &mut impl Write,
    tag: Tag,
    value: &T,
) -> Result<(), ArtifactError> {
    let mut framed = vec![tag.byte()];
    artifact::write_frame(&mut framed, value)?;
    let unpacked = framed.get(5..9).and_then(|length| length.try_into().ok());
    if unpacked.map(u32::from_le_bytes).is_none_or(|length| length > MAX_FRAME) {
        return Err(ArtifactError::TooLarge);
    }
    Ok(to.write_all(&framed)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Page;

    fn frames_of(answer: Answer) -> Vec<Frame> {
        let mut bytes = Vec::new();
        write_answer(&mut bytes, answer).unwrap();
        let mut rest = bytes.as_slice();
        let mut frames = Vec::new();
        while let Some((b'm', frame)) = rest.split_first() {
            rest = frame;
            frames.push(artifact::read_frame(&mut rest).unwrap());
        }
        frames
    }

    #[test]
    fn an_attachment_travels_in_pieces() {
        let bytes = vec![7; PIECE + 1];
        let attachment = Attachment { name: "a.xml".into(), media_type: None, bytes };
        let frames = frames_of(Answer::Part(Part::Attachment(attachment)));
        assert!(matches!(
            frames.as_slice(),
            [Frame::Attachment { .. }, Frame::Piece(first), Frame::Piece(last), Frame::Complete]
                if first.len() == PIECE && last.len() == 1
        ));
    }

    #[test]
    fn a_page_beyond_the_largest_frame_is_an_error_of_the_child() {
        let label = Some("x".repeat(MAX_FRAME as usize));
        let page = Part::Page(Page { label, ..Page::default() });
        let written = write_answer(&mut Vec::new(), Answer::Part(page));
        assert!(matches!(written, Err(ArtifactError::TooLarge)));
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
