//! The page model, which all later stages use.
//!
//! ```text
//! document ─ head, pages…, attachments…, tail
//!   page   ─ words, lines, blocks, tables, key-values
//!   block  ─ a span of lines, in reading order      line ─ a span of words
//!   table  ─ cells, each a span of words            key-value ─ two spans of words
//! ```
//!
//! Words are stored once, in reading order; everything else refers to them by [`Span`]. A format
//! without pages (an e-mail, a spreadsheet) has pages without a size and words without an area.
//!
//! Areas are in points (1/72 inch) from the top left corner of the page *as displayed*: rotated and cropped to its visible
//! part.

use std::collections::BTreeMap;
use std::ops::Range;

use domain::FileKind;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// One part of a document, in the order in which they are stored.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Part {
    Head(Head),
    Page(Page),
    Attachment(Attachment),
    Tail(Tail),
}

/// What is known before the first page.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Head {
    pub kind: FileKind,
    pub title: Option<String>,
    /// Metadata of the file: `author`, `created`; for a mail `from`, `to`, `subject`, `date`.
    pub properties: BTreeMap<String, String>,
    /// The number of pages that follow, where the format gives it.
    pub pages: Option<u32>,
}

impl Head {
    const OPENED_WITH: &str = "opened_with";
    const PASSWORD: &str = "password";

    /// Records that the file is encrypted and was opened with the given password.
    pub fn note_password(&mut self) {
        self.properties.insert(Self::OPENED_WITH.to_owned(), Self::PASSWORD.to_owned());
    }

    /// Whether the file could not be opened without its password.
    pub fn was_opened_with_password(&self) -> bool {
        // For text formats the file itself controls the properties.
        self.kind == FileKind::Pdf
            && self.properties.get(Self::OPENED_WITH).is_some_and(|by| by == Self::PASSWORD)
    }
}

/// A file within the file: the XML of an invoice, the attachment of a mail.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Attachment {
    pub name: String,
    pub media_type: Option<String>,
    #[serde(with = "serde_byte_buf")]
    pub bytes: Vec<u8>,
}

impl std::fmt::Debug for Attachment {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Attachment")
            .field("name", &self.name)
            .field("bytes", &self.bytes.len())
            .finish_non_exhaustive()
    }
}

/// What is known after the last page.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tail {
    pub pages: u32,
    /// What was omitted or truncated, in sentences for users.
    pub remarks: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// Counted from 1.
    pub number: u32,
    /// As displayed. `None` where the format has no pages; then `label` may name the part.
    pub size: Option<Size>,
    /// The rotation that the file specifies, already applied to every area.
    pub rotation: Rotation,
    /// A sheet's or slide's name.
    pub label: Option<String>,
    /// ISO 639-1, when it was detected with confidence.
    pub language: Option<String>,
    pub text: TextSource,
    /// How much of the page's text can be trusted.
    pub quality: Confidence,
    pub preparation: Option<Preparation>,
    pub words: Vec<Word>,
    pub lines: Vec<Line>,
    pub blocks: Vec<Block>,
    pub tables: Vec<Table>,
    pub key_values: Vec<KeyValue>,
    /// Lines drawn on the page, from which the layout stage detects tables. It removes them.
    pub rules: Vec<Area>,
    /// Why OCR failed, in a sentence for users. It is the last field, so that a page without it can still be read: see
    /// [`crate::artifact`].
    pub trouble: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Size {
    pub width: f32,
    pub height: f32,
}

/// Clockwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Rotation {
    #[default]
    None,
    Quarter,
    Half,
    ThreeQuarters,
}

/// Where the words of a page come from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextSource {
    /// The file contains the text: a trusted text layer, or a text format.
    #[default]
    Layer,
    /// The page needs OCR: it is a picture without a text layer, or with one that cannot be trusted.
    Wanted,
    /// OCR recognised the text.
    Recognised,
    /// The page needed OCR, but no engine was installed or OCR failed; then the page's `trouble` says why. The words
    /// are those of an untrusted text layer, if there are any.
    Unavailable,
    /// The page is empty.
    Blank,
}

/// How the picture of a page is prepared for OCR.
///
/// Only the steps are stored, not the prepared picture. Before OCR, only `masked` is known.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Preparation {
    /// First the page is rotated upright.
    pub upright: Rotation,
    /// Then it is rotated by this many degrees, clockwise.
    pub deskew: f32,
    pub denoise: bool,
    pub contrast: bool,
    /// Regions that are blanked out before OCR.
    pub masked: Vec<Area>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Area {
    pub left: f32,
    pub top: f32,
    pub right: f32,
    pub bottom: f32,
}

impl Area {
    pub fn width(&self) -> f32 {
        self.right - self.left
    }

    pub fn height(&self) -> f32 {
        self.bottom - self.top
    }

    /// The smallest area around both.
    #[must_use]
    pub fn around(&self, other: &Self) -> Self {
        Self {
            left: self.left.min(other.left),
            top: self.top.min(other.top),
            right: self.right.max(other.right),
            bottom: self.bottom.max(other.bottom),
        }
    }

    /// The intersection of both, which may be empty.
    #[must_use]
    pub fn within(&self, other: &Self) -> Self {
        let left = self.left.max(other.left);
        let top = self.top.max(other.top);
        Self {
            left,
            top,
            right: self.right.min(other.right).max(left),
            bottom: self.bottom.min(other.bottom).max(top),
        }
    }

    pub fn extent(&self) -> f32 {
        self.width().max(0.0) * self.height().max(0.0)
    }
}

/// In hundredths: 100 is certain.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Confidence(pub u8);

impl Confidence {
    pub const CERTAIN: Self = Self(100);
    pub const NONE: Self = Self(0);
}

impl Default for Confidence {
    fn default() -> Self {
        Self::CERTAIN
    }
}

/// The source of a word.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    /// The text layer of the file.
    #[default]
    Layer,
    /// The value of a form field.
    Form,
    Tesseract,
    PpOcr,
    /// Both engines agree.
    Agreed,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Word {
    pub text: String,
    pub area: Option<Area>,
    pub confidence: Confidence,
    pub origin: Origin,
    pub style: Style,
    /// The result of the other engine, when it differs.
    pub other: Option<Box<Reading>>,
}

/// One engine's result for a word.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    pub text: String,
    pub confidence: Confidence,
    pub origin: Origin,
}

/// The style of a word, which layout uses to detect headings.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Style {
    pub bold: bool,
    pub italic: bool,
    /// Tenths of a point; 0 when unknown.
    pub size: u16,
}

/// A range of words or lines: `from..to` in the page's list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Span {
    pub from: u32,
    pub to: u32,
}

impl Span {
    pub fn new(range: Range<usize>) -> Self {
        let index = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Self { from: index(range.start), to: index(range.end) }
    }

    pub fn range(self) -> Range<usize> {
        self.from as usize..self.to as usize
    }

    /// The items of the range; empty when it is out of bounds.
    pub fn of<T>(self, list: &[T]) -> &[T] {
        list.get(self.range()).unwrap_or_default()
    }
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub words: Span,
    pub area: Option<Area>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Block {
    pub kind: BlockKind,
    pub lines: Span,
    pub area: Option<Area>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockKind {
    /// Level 1 is the highest.
    Heading {
        level: u8,
    },
    Paragraph,
    /// `number` for an item of a numbered list; `depth` is counted from 0.
    ListItem {
        depth: u8,
        number: Option<u32>,
    },
    /// The page's table with this index. Its lines are those of its cells.
    Table {
        table: u32,
    },
    /// A picture; its lines are its caption or description, if there are any.
    Figure,
    Code,
    Quote,
    Header,
    Footer,
}

#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    pub area: Option<Area>,
    pub rows: u32,
    pub columns: u32,
    /// The number of header rows.
    pub header_rows: u32,
    /// Sorted by row, then column. Positions that no cell covers are empty.
    pub cells: Vec<Cell>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    pub row: u32,
    pub column: u32,
    pub row_span: u32,
    pub column_span: u32,
    pub words: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeyValue {
    pub key: Span,
    pub value: Span,
}

impl Page {
    /// Records that OCR failed. Words of a text layer stay.
    pub fn mark_ocr_failed(&mut self, trouble: impl ToString) {
        self.text = TextSource::Unavailable;
        self.quality = Confidence::NONE;
        self.trouble = Some(trouble.to_string());
    }

    /// The words of a span, separated by spaces.
    pub fn text_of(&self, words: Span) -> String {
        let mut text = String::new();
        for word in words.of(&self.words) {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&word.text);
        }
        text
    }
}

/// In the artifact an area is four integers (hundredths of a point: left, top, width, height), in JSON four floating-point
/// numbers.
impl Serialize for Area {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if serializer.is_human_readable() {
            return [self.left, self.top, self.right, self.bottom].serialize(serializer);
        }
        let hundredths = |value: f32| {
            #[expect(clippy::cast_possible_truncation, reason = "`as` saturates")]
            let whole = (value * 100.0).round() as i32;
            whole
        };
        let [left, top, right, bottom] =
            [self.left, self.top, self.right, self.bottom].map(hundredths);
        [left, top, right.saturating_sub(left), bottom.saturating_sub(top)].serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Area {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        if deserializer.is_human_readable() {
            let [left, top, right, bottom] = <[f32; 4]>::deserialize(deserializer)?;
            return Ok(Self { left, top, right, bottom });
        }
        let [left, top, width, height] = <[i32; 4]>::deserialize(deserializer)?;
        #[expect(
            clippy::cast_precision_loss,
            reason = "pages are smaller than the exact range of f32"
        )]
        let points = |hundredths: i32| hundredths as f32 / 100.0;
        Ok(Self {
            left: points(left),
            top: points(top),
            right: points(left.saturating_add(width)),
            bottom: points(top.saturating_add(height)),
        })
    }
}

/// Serialises bytes as bytes, not as a list of numbers.
pub mod serde_byte_buf {
    use std::fmt;

    use serde::de::{Error, SeqAccess, Visitor};
    use serde::{Deserializer, Serializer};

    pub fn serialize<S: Serializer>(bytes: &[u8], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_bytes(bytes)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<u8>, D::Error> {
        from.deserialize_byte_buf(Bytes)
    }

    struct Bytes;

    impl<'de> Visitor<'de> for Bytes {
        type Value = Vec<u8>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("bytes")
        }

        fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Vec<u8>, E> {
            Ok(bytes.to_vec())
        }

        fn visit_byte_buf<E: Error>(self, bytes: Vec<u8>) -> Result<Vec<u8>, E> {
            Ok(bytes)
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Vec<u8>, A::Error> {
            let mut bytes = Vec::new();
            while let Some(byte) = list.next_element()? {
                bytes.push(byte);
            }
            Ok(bytes)
        }
    }
}
