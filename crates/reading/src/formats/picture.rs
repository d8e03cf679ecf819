//! Pictures: PNG, JPEG and TIFF, the last with many pages.
//!
//! A picture is a page without words that needs OCR. Opening a file reads headers only; the pixels of a page are decoded
//! on demand ([`Picture::page`]). The number and the size of the pages are checked before decoding.

#![expect(
    clippy::cast_precision_loss,
    reason = "a picture with more pixels along a side than fit is refused"
)]

mod resolution;
mod tiff_pages;

use std::io::Cursor;

use image::codecs::{jpeg::JpegDecoder, png::PngDecoder, tiff::TiffDecoder};
use image::metadata::Orientation;
use image::{DynamicImage, GrayImage, ImageDecoder, imageops};
use pages::{Head, Page, Part, Size, Tail, TextSource};

use self::tiff_pages::TiffPage;
use crate::{Limits, ReadError, Sink, Source};
use domain::FileKind;

/// The limit of bytes of a decoded picture: three per pixel of the default limit, and a reserve.
const MOST_BYTES: u64 = 400 << 20;
/// More pixels along a side do not improve OCR: A4 at 400 dots per inch has fewer.
const LONGEST_SIDE: u32 = 5_000;

/// A file of pictures with its parsed headers.
pub struct Picture<'a> {
    source: Source<'a>,
    frames: Vec<Frame>,
    /// Whether there are more pages than the limit.
    is_cut: bool,
}

struct Frame {
    /// In pixels, as a person sees it.
    width: u32,
    height: u32,
    size: Size,
    tiff: Option<TiffPage>,
}

impl std::fmt::Debug for Picture<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Picture").field("pages", &self.frames.len()).finish_non_exhaustive()
    }
}

/// Gives one page without words for each picture in the file.
pub fn read(source: &Source<'_>, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let picture = Picture::open(*source)?;
    sink.take(Part::Head(Head {
        kind: source.kind,
        title: None,
        properties: std::collections::BTreeMap::new(),
        pages: Some(picture.pages()),
    }))?;
    for number in 1..=picture.pages() {
        sink.take(Part::Page(Page {
            number,
            size: picture.size(number),
            text: TextSource::Wanted,
            ..Page::default()
        }))?;
    }
    let mut remarks = Vec::new();
    if picture.is_cut {
        remarks.push(format!("Only the first {} pages were read.", picture.pages()));
    }
    if source.kind == FileKind::Jpg && is_cut_off(source.bytes) {
        remarks.push("The end of the picture is missing from the file.".to_owned());
    }
    sink.take(Part::Tail(Tail { pages: picture.pages(), remarks }))
}

impl<'a> Picture<'a> {
    /// Reads the headers.
    pub fn open(source: Source<'a>) -> Result<Self, ReadError> {
        let mut is_cut = false;
        let frames = match source.kind {
            FileKind::Png | FileKind::Jpg => {
                let mut decoder = still_decoder(&source)?;
                if source.kind == FileKind::Jpg {
                    refuse_hollow_jpeg(decoder.dimensions(), source.bytes.len())?;
                }
                vec![frame(&mut *decoder, resolution::of(source.bytes), None, &source.limits)?]
            }
            FileKind::Tiff => {
                let (pages, more) = tiff_pages::find(source.bytes, source.limits.pages)?;
                is_cut = more;
                let open = |page: TiffPage| {
                    let mut decoder = tiff_decoder(source.bytes, &page)?;
                    frame(&mut decoder, page.dots_per_inch, Some(page), &source.limits)
                };
                pages.into_iter().map(open).collect::<Result<_, _>>()?
            }
            other => {
                return Err(ReadError::unsupported(format!("{} as a picture", other.as_str())));
            }
        };
        Ok(Self { source, frames, is_cut })
    }

    pub fn pages(&self) -> u32 {
        u32::try_from(self.frames.len()).unwrap_or(u32::MAX)
    }

    /// Of a page, in points. Pages are counted from 1.
    pub fn size(&self, number: u32) -> Option<Size> {
        self.frame(number).map(|frame| frame.size)
    }

    fn frame(&self, number: u32) -> Option<&Frame> {
        self.frames.get(usize::try_from(number.checked_sub(1)?).ok()?)
    }

    /// The pixels of a page as they are, the right way round as far as the file tells.
    pub fn in_colours(&self, number: u32) -> Result<DynamicImage, ReadError> {
        let (orientation, mut decoded) = self.decode(number)?;
        decoded.apply_orientation(orientation);
        Ok(decoded)
    }

    fn decode(&self, number: u32) -> Result<(Orientation, DynamicImage), ReadError> {
        let frame =
            self.frame(number).ok_or_else(|| ReadError::damaged(format!("no page {number}")))?;
        match &frame.tiff {
            Some(page) => decode(tiff_decoder(self.source.bytes, page)?),
            None => decode(still_decoder(&self.source)?),
        }
    }

    /// The pixels of a page in shades of grey, the right way round as far as the file tells.
    pub fn page(&self, number: u32) -> Result<GrayImage, ReadError> {
        let frame =
            self.frame(number).ok_or_else(|| ReadError::damaged(format!("no page {number}")))?;
        let (orientation, decoded) = self.decode(number)?;
        let mut grey = DynamicImage::ImageLuma8(on_white_paper(decoded));
        grey.apply_orientation(orientation);
        let longest = frame.width.max(frame.height);
        let grey = grey.into_luma8();
        if longest <= LONGEST_SIDE {
            return Ok(grey);
        }
        let fit = |side: u32| {
            let scaled = u64::from(side) * u64::from(LONGEST_SIDE) / u64::from(longest);
            u32::try_from(scaled).unwrap_or(LONGEST_SIDE).max(1)
        };
        Ok(imageops::thumbnail(&grey, fit(frame.width), fit(frame.height)))
    }
}

fn still_decoder<'a>(source: &Source<'a>) -> Result<Box<dyn ImageDecoder + 'a>, ReadError> {
    let bytes = Cursor::new(source.bytes);
    Ok(match source.kind {
        FileKind::Png => Box::new(PngDecoder::new(bytes).map_err(ReadError::damaged)?),
        _ => Box::new(JpegDecoder::new(bytes).map_err(ReadError::damaged)?),
    })
}

/// A JPEG takes a bit for every 8 × 8 pixels at the very least. One with less than that has lost nearly all
/// of its picture, and the decoder would spend seconds on filling in what a header of a few bytes claims.
fn refuse_hollow_jpeg((width, height): (u32, u32), bytes: usize) -> Result<(), ReadError> {
    let squares = u64::from(width.div_ceil(8)) * u64::from(height.div_ceil(8));
    if squares > bytes as u64 * 8 {
        return Err(ReadError::damaged(format!(
            "{bytes} bytes cannot hold a picture of {width} × {height} pixels"
        )));
    }
    Ok(())
}

/// Whether a JPEG ends within its pixels. Decoders show the rest of it in grey, so nothing else would tell. A picture
/// within its metadata may have an end of its own, but comes before the pixels.
fn is_cut_off(jpeg: &[u8]) -> bool {
    let last = |marker: u8| jpeg.windows(2).rposition(|bytes| bytes == [0xff, marker]);
    let (start_of_scan, end_of_image) = (last(0xda), last(0xd9));
    start_of_scan.is_some() && end_of_image <= start_of_scan
}

fn tiff_decoder<'a>(
    bytes: &'a [u8],
    page: &TiffPage,
) -> Result<TiffDecoder<tiff_pages::OnePage<'a>>, ReadError> {
    TiffDecoder::new(tiff_pages::OnePage::new(bytes, page)).map_err(ReadError::damaged)
}

/// Checks a header against the limits.
fn frame(
    decoder: &mut dyn ImageDecoder,
    dots_per_inch: Option<(f32, f32)>,
    tiff: Option<TiffPage>,
    limits: &Limits,
) -> Result<Frame, ReadError> {
    let (width, height) = decoder.dimensions();
    let pixels = u64::from(width) * u64::from(height);
    if pixels > limits.pixels || decoder.total_bytes() > MOST_BYTES {
        return Err(ReadError::too_large(format!("a picture of {width} × {height} pixels")));
    }
    if pixels == 0 {
        return Err(ReadError::damaged("a picture without pixels"));
    }
    let (horizontally, vertically) = dots_per_inch.unwrap_or((72.0, 72.0));
    let size = Size {
        width: width as f32 / horizontally * 72.0,
        height: height as f32 / vertically * 72.0,
    };
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let is_on_its_side = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    Ok(if is_on_its_side {
        let size = Size { width: size.height, height: size.width };
        Frame { width: height, height: width, size, tiff }
    } else {
        Frame { width, height, size, tiff }
    })
}

fn decode(mut decoder: impl ImageDecoder) -> Result<(Orientation, DynamicImage), ReadError> {
    let mut limits = image::Limits::no_limits();
    limits.max_alloc = Some(MOST_BYTES);
    decoder.set_limits(limits).map_err(ReadError::too_large)?;
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let picture = DynamicImage::from_decoder(decoder).map_err(ReadError::damaged)?;
    Ok((orientation, picture))
}

/// What can be seen through shows white paper, not the black that lies under it in the file.
fn on_white_paper(picture: DynamicImage) -> GrayImage {
    if !picture.color().has_alpha() {
        return picture.into_luma8();
    }
    let pixels = picture.into_luma_alpha8();
    GrayImage::from_fn(pixels.width(), pixels.height(), |x, y| {
        let [grey, opacity] = pixels.get_pixel(x, y).0.map(u32::from);
        let shown = (grey * opacity + 255 * (255 - opacity)) / 255;
        image::Luma([u8::try_from(shown).unwrap_or(u8::MAX)])
    })
}

#[cfg(test)]
mod tests;
