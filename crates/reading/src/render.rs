//! A page as a picture, the way a person sees it.

use image::DynamicImage;
use pdfium_render::prelude::{PdfBitmapFormat, PdfDocument, PdfRenderConfig};

use crate::formats::pdf::{self, Place};
use crate::model::Size;
use crate::{Limits, ReadError, Source};

/// How large a picture is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Scale {
    /// Pixels across.
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

    /// Of a page as a person sees it, in points.
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
        let config = PdfRenderConfig::new()
            .set_fixed_size(width, height)
            .set_format(PdfBitmapFormat::BGRA)
            .use_grayscale_rendering(colours == Colours::Gray)
            .render_form_data(true);
        let bitmap = page
            .render_with_config(&config)
            .map_err(|_| ReadError::damaged(format!("page {number} cannot be drawn")))?;
        let picture = bitmap
            .as_image()
            .map_err(|_| ReadError::damaged(format!("page {number} cannot be drawn")))?;
        Ok(match colours {
            Colours::Gray => DynamicImage::ImageLuma8(picture.into_luma8()),
            Colours::Rgb => DynamicImage::ImageRgb8(picture.into_rgb8()),
        })
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
