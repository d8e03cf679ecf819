//! The page artifact: one file for a document's pages, read by every later stage.
//!
//! ```text
//! "DKTPAGES" version:u16 │ frame… │ index │ index_at:u64 "DKTINDEX"
//! frame = length:u32 unpacked:u32 lz4(postcard(Part))
//! index = frame with the positions of the pages
//! ```
//!
//! Pages are written and read one at a time. With the index at the end, reading one page out of 3,000 is one seek; a
//! truncated file is detected, because its end is missing. The reader trusts nothing: damaged bytes are an error,
//! never a panic.
//!
//! All numbers are little-endian. The version changes with the model, and a reader accepts the versions that it knows.
//! A page of version 1 had no `trouble`, which is the last field of a page now.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use bytes::Bytes;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::{Page, Part};

const MAGIC: &[u8; 8] = b"DKTPAGES";
const END: &[u8; 8] = b"DKTINDEX";
const VERSION: u16 = 2;
const OLDEST_VERSION: u16 = 1;
/// The largest frame, packed or not.
const MAX_FRAME: u32 = 256 << 20;
const MAX_PAGES: usize = 1_000_000;

#[derive(Debug, Error)]
pub enum ArtifactError {
    #[error("reading or writing the page artifact failed")]
    Io(#[from] io::Error),
    #[error("this is not a page artifact")]
    NotAnArtifact,
    #[error("the page artifact has version {0}, which this version of Docket does not support")]
    Version(u16),
    #[error("the page artifact is damaged: {0}")]
    Damaged(&'static str),
    #[error("a part of the document is too large to store")]
    TooLarge,
}

/// A part as a child packed it, not decoded: unpacking it may fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackedPart {
    is_page: bool,
    /// The child's statement about a page: see [`PackedPart::wants_ocr`].
    wants_ocr: bool,
    frame: Bytes,
}

impl PackedPart {
    /// `frame` should be the result of [`write_frame`], but is not checked.
    pub fn new(is_page: bool, wants_ocr: bool, frame: Bytes) -> Self {
        Self { is_page, wants_ocr, frame }
    }

    pub fn is_page(&self) -> bool {
        self.is_page
    }

    /// Whether it is a page with [`crate::TextSource::Wanted`], according to the child.
    pub fn wants_ocr(&self) -> bool {
        self.wants_ocr
    }

    pub fn unpack(&self) -> Result<Part, ArtifactError> {
        read_part(&mut self.frame.as_ref())
    }
}

/// Where each page's frame begins.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct Index {
    pages: Vec<u64>,
}

/// Writes the parts of one document.
#[derive(Debug)]
pub struct Writer<W> {
    to: W,
    at: u64,
    index: Index,
}

impl<W: Write> Writer<W> {
    pub fn new(mut to: W) -> Result<Self, ArtifactError> {
        to.write_all(MAGIC)?;
        to.write_all(&VERSION.to_le_bytes())?;
        Ok(Self { to, at: 10, index: Index::default() })
    }

    pub fn write(&mut self, part: &Part) -> Result<(), ArtifactError> {
        if matches!(part, Part::Page(_)) {
            self.index.pages.push(self.at);
        }
        self.at += write_frame(&mut self.to, part)?;
        Ok(())
    }

    /// Writes a packed part without decoding it.
    pub fn write_packed(&mut self, part: &PackedPart) -> Result<(), ArtifactError> {
        if part.is_page {
            self.index.pages.push(self.at);
        }
        self.to.write_all(&part.frame)?;
        self.at += part.frame.len() as u64;
        Ok(())
    }

    /// The output, from which the caller may take the bytes written so far.
    pub fn written(&mut self) -> &mut W {
        &mut self.to
    }

    /// Writes the index. Without it the file counts as truncated.
    pub fn finish(mut self) -> Result<W, ArtifactError> {
        write_frame(&mut self.to, &self.index)?;
        self.to.write_all(&self.at.to_le_bytes())?;
        self.to.write_all(END)?;
        self.to.flush()?;
        Ok(self.to)
    }
}

/// Reads the parts of one document, in order.
#[derive(Debug)]
pub struct Reader<R> {
    from: R,
    ended: bool,
}

impl<R: Read> Reader<R> {
    pub fn new(mut from: R) -> Result<Self, ArtifactError> {
        read_header(&mut from)?;
        Ok(Self { from, ended: false })
    }

    /// The next part; `None` after the tail.
    pub fn next_part(&mut self) -> Result<Option<Part>, ArtifactError> {
        if self.ended {
            return Ok(None);
        }
        let part = read_part(&mut self.from)?;
        self.ended = matches!(part, Part::Tail(_));
        Ok(Some(part))
    }
}

/// Random access to the pages of an artifact.
#[derive(Debug)]
pub struct Pages<R> {
    from: R,
    index: Index,
}

impl<R: Read + Seek> Pages<R> {
    pub fn open(mut from: R) -> Result<Self, ArtifactError> {
        read_header(&mut from)?;
        from.seek(SeekFrom::End(-16)).map_err(|_| ArtifactError::Damaged("it is truncated"))?;
        let mut position = [0; 8];
        from.read_exact(&mut position)?;
        let mut end = [0; 8];
        from.read_exact(&mut end)?;
        if &end != END {
            return Err(ArtifactError::Damaged("it is truncated"));
        }
        from.seek(SeekFrom::Start(u64::from_le_bytes(position)))?;
        let index: Index = read_frame(&mut from)?;
        if index.pages.len() > MAX_PAGES {
            return Err(ArtifactError::Damaged("it has too many pages"));
        }
        Ok(Self { from, index })
    }

    pub fn count(&self) -> usize {
        self.index.pages.len()
    }

    /// The page with this number, counted from 1.
    pub fn page(&mut self, number: u32) -> Result<Option<Page>, ArtifactError> {
        let at = (number as usize).checked_sub(1).and_then(|at| self.index.pages.get(at));
        let Some(at) = at else { return Ok(None) };
        self.from.seek(SeekFrom::Start(*at))?;
        match read_part(&mut self.from)? {
            Part::Page(page) => Ok(Some(page)),
            _ => Err(ArtifactError::Damaged("its index does not point to a page")),
        }
    }
}

/// The number of bytes at the end of an artifact that contain the position of its index.
pub const END_LENGTH: u64 = 16;

/// The position of the index, from the last bytes.
pub fn index_position(end: &[u8]) -> Result<u64, ArtifactError> {
    let truncated = ArtifactError::Damaged("it is truncated");
    let Some((position, magic)) = end.split_first_chunk::<8>() else { return Err(truncated) };
    if magic == END { Ok(u64::from_le_bytes(*position)) } else { Err(truncated) }
}

/// The positions of pages, to fetch single pages from an object store.
#[derive(Clone, Debug)]
pub struct PageIndex(Index);

impl PageIndex {
    /// From the bytes that begin at [`index_position`].
    pub fn parse(mut bytes: &[u8]) -> Result<Self, ArtifactError> {
        read_frame(&mut bytes).map(Self)
    }

    pub fn count(&self) -> usize {
        self.0.pages.len()
    }

    /// The bytes of a page, counted from 1; `end` is the position of the index.
    pub fn range_of(&self, number: u32, end: u64) -> Option<Range<u64>> {
        let at = (number as usize).checked_sub(1)?;
        let from = *self.0.pages.get(at)?;
        let to = self.0.pages.get(at + 1).copied().unwrap_or(end);
        (from < to).then_some(from..to)
    }
}

/// Decodes the page at the beginning of these bytes.
pub fn parse_page(mut bytes: &[u8]) -> Result<Page, ArtifactError> {
    match read_part(&mut bytes)? {
        Part::Page(page) => Ok(page),
        _ => Err(ArtifactError::Damaged("its index does not point to a page")),
    }
}

fn read_header(from: &mut impl Read) -> Result<(), ArtifactError> {
    let mut header = [0; 10];
    from.read_exact(&mut header).map_err(|_| ArtifactError::NotAnArtifact)?;
    let (magic, version) = header.split_at(8);
    if magic != MAGIC {
        return Err(ArtifactError::NotAnArtifact);
    }
    let version = version.try_into().map(u16::from_le_bytes).unwrap_or_default();
    if (OLDEST_VERSION..=VERSION).contains(&version) {
        Ok(())
    } else {
        Err(ArtifactError::Version(version))
    }
}

/// Packs one value as a frame; returns the number of bytes written.
pub fn write_frame<T: Serialize>(to: &mut impl Write, value: &T) -> Result<u64, ArtifactError> {
    let plain =
        postcard::to_stdvec(value).map_err(|_| ArtifactError::Damaged("encoding a part failed"))?;
    let packed = lz4_flex::block::compress(&plain);
    let length = |bytes: &[u8]| {
        u32::try_from(bytes.len())
            .ok()
            .filter(|length| *length <= MAX_FRAME)
            .ok_or(ArtifactError::TooLarge)
    };
    let (packed_length, plain_length) = (length(&packed)?, length(&plain)?);
    to.write_all(&packed_length.to_le_bytes())?;
    to.write_all(&plain_length.to_le_bytes())?;
    to.write_all(&packed)?;
    Ok(8 + u64::from(packed_length))
}

/// Reads and unpacks the next frame.
pub fn read_frame<T: DeserializeOwned>(from: &mut impl Read) -> Result<T, ArtifactError> {
    parse(&read_plain(from)?)
}

/// Reads a part of any supported version.
fn read_part(from: &mut impl Read) -> Result<Part, ArtifactError> {
    let mut plain = read_plain(from)?;
    parse(&plain).or_else(|error| {
        // A page of version 1 lacks the last field, `trouble`: add it as `None`.
        plain.push(0);
        parse(&plain).map_err(|_| error)
    })
}

/// The bytes of one value, unpacked.
fn read_plain(from: &mut impl Read) -> Result<Vec<u8>, ArtifactError> {
    let packed_length = read_length(from)?;
    let plain_length = read_length(from)?;
    if packed_length > MAX_FRAME || plain_length > MAX_FRAME {
        return Err(ArtifactError::Damaged("a frame is too large"));
    }
    // lz4 compresses at most about 255 to 1: a larger claim is wrong, and must not allocate memory.
    if u64::from(plain_length) > u64::from(packed_length) * 256 + 64 {
        return Err(ArtifactError::Damaged("a frame claims a wrong size"));
    }
    let mut packed = Vec::new();
    from.take(u64::from(packed_length)).read_to_end(&mut packed)?;
    if packed.len() != packed_length as usize {
        return Err(ArtifactError::Damaged("it is truncated"));
    }
    lz4_flex::block::decompress(&packed, plain_length as usize)
        .map_err(|_| ArtifactError::Damaged("a frame cannot be unpacked"))
}

fn parse<T: DeserializeOwned>(plain: &[u8]) -> Result<T, ArtifactError> {
    let (value, rest) = postcard::take_from_bytes(plain)
        .map_err(|_| ArtifactError::Damaged("a frame cannot be decoded"))?;
    if rest.is_empty() { Ok(value) } else { Err(ArtifactError::Damaged("a frame has extra bytes")) }
}

fn read_length(from: &mut impl Read) -> Result<u32, ArtifactError> {
    let mut length = [0; 4];
    from.read_exact(&mut length).map_err(truncated)?;
    Ok(u32::from_le_bytes(length))
}

fn truncated(error: io::Error) -> ArtifactError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => ArtifactError::Damaged("it is truncated"),
        _ => ArtifactError::Io(error),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::io::Cursor;

    use domain::FileKind;

    use super::*;
    use crate::{Area, Head, Line, Span, Tail, Word};

    fn page(number: u32) -> Page {
        let area = Area { left: 72.0, top: 72.25, right: 99.5, bottom: 84.0 };
        let word = |text: &str| Word { text: text.into(), area: Some(area), ..Word::default() };
        Page {
            number,
            words: vec![word("page"), word(&number.to_string())],
            lines: vec![Line { words: Span::new(0..2), area: Some(area) }],
            ..Page::default()
        }
    }

    fn written(pages: u32) -> Vec<u8> {
        let mut writer = Writer::new(Vec::new()).unwrap();
        let head = Head {
            kind: FileKind::Pdf,
            title: Some("A title".into()),
            properties: BTreeMap::new(),
            pages: Some(pages),
        };
        writer.write(&Part::Head(head)).unwrap();
        for number in 1..=pages {
            writer.write(&Part::Page(page(number))).unwrap();
        }
        writer.write(&Part::Tail(Tail { pages, remarks: Vec::new() })).unwrap();
        writer.finish().unwrap()
    }

    #[test]
    fn pages_are_read_in_order_and_by_number() {
        let bytes = written(3);
        let mut reader = Reader::new(bytes.as_slice()).unwrap();
        let mut read = Vec::new();
        while let Some(part) = reader.next_part().unwrap() {
            if let Part::Page(page) = part {
                read.push(page);
            }
        }
        assert_eq!(read, [page(1), page(2), page(3)]);
        let mut pages = Pages::open(Cursor::new(&bytes)).unwrap();
        assert_eq!(pages.count(), 3);
        assert_eq!(pages.page(2).unwrap(), Some(page(2)));
        assert_eq!(pages.page(0).unwrap(), None);
        assert_eq!(pages.page(4).unwrap(), None);
    }

    #[test]
    fn one_page_is_fetched_by_three_ranges() {
        let bytes = written(3);
        let end = index_position(&bytes[bytes.len() - 16..]).unwrap();
        let position = usize::try_from(end).unwrap();
        let index = PageIndex::parse(&bytes[position..]).unwrap();
        assert_eq!(index.count(), 3);
        for number in 1..=3 {
            let range = index.range_of(number, end).unwrap();
            let range = usize::try_from(range.start).unwrap()..usize::try_from(range.end).unwrap();
            assert_eq!(parse_page(&bytes[range]).unwrap(), page(number));
        }
        assert_eq!(index.range_of(4, end), None);
        assert!(index_position(&bytes[..16]).is_err());
    }

    #[test]
    fn a_file_truncated_anywhere_is_an_error() {
        let bytes = written(2);
        for length in 0..bytes.len() {
            assert!(Pages::open(Cursor::new(&bytes[..length])).is_err(), "cut at {length}");
        }
    }

    #[test]
    fn a_flipped_byte_is_an_error_or_another_document_and_never_a_panic() {
        let bytes = written(2);
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 0x55;
            if let Ok(mut reader) = Reader::new(changed.as_slice()) {
                while let Ok(Some(_)) = reader.next_part() {}
            }
            if let Ok(mut pages) = Pages::open(Cursor::new(&changed)) {
                let _ = pages.page(1);
            }
        }
    }

    /// Version 1 had no `trouble`, so each page is one byte shorter.
    #[test]
    fn a_page_of_the_first_version_is_read() {
        let mut plain = postcard::to_stdvec(&Part::Page(page(7))).unwrap();
        assert_eq!(plain.pop(), Some(0));
        let packed = lz4_flex::block::compress(&plain);
        let mut frame = Vec::new();
        for bytes in [&packed, &plain] {
            frame.extend(u32::try_from(bytes.len()).unwrap().to_le_bytes());
        }
        frame.extend(packed);
        assert_eq!(parse_page(&frame).unwrap(), page(7));
        let mut bytes = written(1);
        bytes[8] = 1;
        let mut reader = Reader::new(bytes.as_slice()).unwrap();
        assert!(matches!(reader.next_part().unwrap(), Some(Part::Head(_))));
    }

    #[test]
    fn an_unsupported_version_is_named_in_the_error() {
        let mut bytes = written(1);
        bytes[8] = 9;
        let error = Reader::new(bytes.as_slice()).unwrap_err();
        assert_eq!(
            error.to_string(),
            "the page artifact has version 9, which this version of Docket does not support"
        );
    }
}
