//! The pages of a TIFF.
//!
//! A TIFF is a chain of pictures whose first link is in the header. The decoder reads the first picture only, so
//! it is shown the file with another header ([`OnePage`]), whose first link is the page that is wanted.

use std::io::{self, BufRead, Cursor, Read, Seek, SeekFrom};

use tiff::decoder::Decoder;
use tiff::decoder::ifd::Value;
use tiff::tags::Tag;

use super::resolution;
use crate::ReadError;

/// Where the description of one page begins.
#[derive(Clone, Copy, Debug)]
pub(super) struct TiffPage {
    at: u64,
    pub(super) dots_per_inch: Option<(f32, f32)>,
}

/// At most `most` pages, and whether there are more.
pub(super) fn find(bytes: &[u8], most: u32) -> Result<(Vec<TiffPage>, bool), ReadError> {
    let mut decoder = Decoder::new(Cursor::new(bytes)).map_err(ReadError::damaged)?;
    let mut pages = Vec::new();
    while let Some(pointer) = decoder.ifd_pointer() {
        pages.push(TiffPage { at: pointer.0, dots_per_inch: dots_per_inch(&mut decoder) });
        if !decoder.more_images() {
            return Ok((pages, false));
        }
        if pages.len() >= most as usize {
            return Ok((pages, true));
        }
        decoder.next_image().map_err(ReadError::damaged)?;
    }
    Err(ReadError::damaged("a TIFF without pages"))
}

fn dots_per_inch(decoder: &mut Decoder<Cursor<&[u8]>>) -> Option<(f32, f32)> {
    const CENTIMETRES: u32 = 3;
    let across = fraction(decoder.get_tag(Tag::XResolution).ok()?)?;
    let down = fraction(decoder.get_tag(Tag::YResolution).ok()?)?;
    let unit = decoder.get_tag_u32(Tag::ResolutionUnit).unwrap_or(2);
    let factor = if unit == CENTIMETRES { 2.54 } else { 1.0 };
    resolution::believable(across * factor, down * factor)
}

fn fraction(value: Value) -> Option<f32> {
    match value {
        Value::Rational(numerator, denominator) => Some(numerator as f32 / denominator as f32),
        Value::Float(value) => Some(value),
        Value::List(mut values) if values.len() == 1 => fraction(values.pop()?),
        _ => None,
    }
}

/// The file as if one page were its first.
#[derive(Debug)]
pub(super) struct OnePage<'a> {
    header: Vec<u8>,
    file: Cursor<&'a [u8]>,
}

impl<'a> OnePage<'a> {
    pub(super) fn new(bytes: &'a [u8], page: &TiffPage) -> Self {
        let mut header = bytes[..bytes.len().min(16)].to_vec();
        let is_little = header.starts_with(b"II");
        let is_big_tiff = matches!(header.get(2..4), Some([43, 0] | [0, 43]));
        let (place, width) = if is_big_tiff { (8, 8) } else { (4, 4) };
        let link = if is_little { page.at.to_le_bytes() } else { page.at.to_be_bytes() };
        let link = if is_little { &link[..width] } else { &link[8 - width..] };
        if let Some(first) = header.get_mut(place..place + width) {
            first.copy_from_slice(link);
        }
        Self { header, file: Cursor::new(bytes) }
    }
}

impl BufRead for OnePage<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let at = usize::try_from(self.file.position()).unwrap_or(usize::MAX);
        match self.header.get(at..) {
            Some(rest) if !rest.is_empty() => Ok(rest),
            _ => self.file.fill_buf(),
        }
    }

    fn consume(&mut self, many: usize) {
        self.file.consume(many);
    }
}

impl Read for OnePage<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let many = self.fill_buf()?.read(buffer)?;
        self.consume(many);
        Ok(many)
    }
}

impl Seek for OnePage<'_> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}
