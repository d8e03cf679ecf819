//! Draws pages of a PDF as pictures.

use image::{DynamicImage, GrayImage, RgbImage};
use pages::Size;
use pdfium_render::prelude::{PdfBitmap, PdfBitmapFormat, PdfDocument, PdfRenderConfig};

use crate::formats::pdf::{self, Place};
use crate::{Limits, ReadError, Source};

/// The size of a picture.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// The width in pixels.
    Width(u32),
    DotsPerInch(f32),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Colours {
    Gray,
    Rgb,
}

/// Draws one page of a PDF, counted from 1. Use [`Renderer`] for several.
pub fn page(
    source: Source<'_>,
    number: u32,
    scale: Scale,
    colours: Colours,
) -> Result<DynamicImage, ReadError> {
    Renderer::open(source)?.page(number, scale, colours)
}

/// Draws pages of one PDF.
pub struct Renderer<'a> {
    document: PdfDocument<'a>,
    limits: Limits,
}

impl std::fmt::Debug for Renderer<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Renderer").field("limits", &self.limits).finish_non_exhaustive()
    }
}

impl<'a> Renderer<'a> {
    pub fn open(source: Source<'a>) -> Result<Self, ReadError> {
        Ok(Self { document: pdf::open(source)?, limits: source.limits })
    }

    /// The size of a page as displayed, in points.
    pub fn size(&self, number: u32) -> Result<Size, ReadError> {
        Ok(Place::of(&pdf::page_of(&self.document, number)?).size())
    }

    pub fn page(
        &self,
        number: u32,
        scale: Scale,
        colours: Colours,
    ) -> Result<DynamicImage, ReadError> {
        let page = pdf::page_of(&self.document, number)?;
        let size = Place::of(&page).size();
        let (width, height) = pixels(size.width, size.height, scale);
        let asked = width * height;
        #[expect(clippy::cast_precision_loss, reason = "a limit need not be exact")]
        let allowed = self.limits.pixels as f64;
        if !asked.is_finite() || asked > allowed || width > 60_000.0 || height > 60_000.0 {
            return Err(ReadError::too_large(format!("a picture of page {number}")));
        }
        #[expect(clippy::cast_possible_truncation, reason = "looked at above")]
        let (width, height) = (width as i32, height as i32);
        // pdfium aborts when it draws into a grey bitmap, so the bitmap always has three bytes per pixel.
        let config = PdfRenderConfig::new()
            .set_fixed_size(width, height)
            .set_format(PdfBitmapFormat::BGR)
            .set_reverse_byte_order(true)
            .use_grayscale_rendering(colours == Colours::Gray)
            .render_form_data(true);
        let undrawable = || ReadError::damaged(format!("page {number} cannot be drawn"));
        let bitmap = page.render_with_config(&config).map_err(|_| undrawable())?;
        picture(&bitmap, colours).ok_or_else(undrawable)
    }
}

/// Copies the pixels without the padding at the end of pdfium's rows.
fn picture(bitmap: &PdfBitmap<'_>, colours: Colours) -> Option<DynamicImage> {
    let (width, height) =
        (u32::try_from(bitmap.width()).ok()?, u32::try_from(bitmap.height()).ok()?);
    let bytes = bitmap.as_raw_bytes();
    let rows = bytes.chunks_exact(bytes.len().checked_div(height as usize)?.max(1));
    let across = width as usize;
    let pixels = across * height as usize;
    match colours {
        Colours::Gray => {
            let mut gray = Vec::with_capacity(pixels);
            for row in rows {
                gray.extend(row.get(..across * 3)?.iter().step_by(3));
            }
            GrayImage::from_raw(width, height, gray).map(DynamicImage::ImageLuma8)
        }
        Colours::Rgb => {
            let mut rgb = Vec::with_capacity(pixels * 3);
            for row in rows {
                rgb.extend_from_slice(row.get(..across * 3)?);
            }
            RgbImage::from_raw(width, height, rgb).map(DynamicImage::ImageRgb8)
        }
    }
}

fn pixels(width: f32, height: f32, scale: Scale) -> (f64, f64) {
    let (width, height) = (f64::from(width).max(1.0), f64::from(height).max(1.0));
    let factor = match scale {
        Scale::Width(across) => f64::from(across.max(1)) / width,
        Scale::DotsPerInch(dots) => f64::from(dots.max(1.0)) / 72.0,
    };
    ((width * factor).round().max(1.0), (height * factor).round().max(1.0))
}
