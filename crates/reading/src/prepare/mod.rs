//! Prepares the picture of a page for OCR, and maps areas back to the page.
//!
//! [`look`] measures a picture and decides; the decision is a [`Preparation`], small enough to be stored. [`apply`] makes
//! the picture for OCR. OCR finds areas in pixels of that picture; a [`Mapping`] converts them to points of the page.
//!
//! Every decision needs evidence: a page with little content is left unchanged, because a wrong rotation is worse than
//! none.

#![expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss,
    reason = "pixels are counted in whole numbers and measured in fractions, and `as` stops at the ends"
)]

mod ink;
mod mapping;
mod skew;
mod tone;

use domain::MaskRule;
use image::{GrayImage, ImageBuffer, Luma, Pixel, Rgb, RgbImage, imageops};
use serde::{Deserialize, Serialize};

use pages::{Area, Preparation, Rotation, Size, Word};

pub use self::ink::is_blank;
pub use self::mapping::Mapping;

/// A region that must not be read, by a rule of the tenant: on every page or on one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mask {
    /// In fractions of the page's width and height.
    pub area: Area,
    /// Counted from 1.
    pub page: Option<u32>,
}

/// The masks of a run.
pub fn masks_of(rules: &[MaskRule]) -> Vec<Mask> {
    let mask = |rule: &MaskRule| {
        let [left, top, right, bottom] = rule.area;
        Mask { area: Area { left, top, right, bottom }, page: rule.page }
    };
    rules.iter().map(mask).collect()
}

/// The masks of a page, in points.
pub fn masks_on(masks: &[Mask], page: u32, size: Size) -> Vec<Area> {
    let holds = |mask: &&Mask| mask.page.is_none_or(|only| only == page);
    let scaled = |Mask { area, .. }: &Mask| Area {
        left: area.left * size.width,
        top: area.top * size.height,
        right: area.right * size.width,
        bottom: area.bottom * size.height,
    };
    masks.iter().filter(holds).map(scaled).collect()
}

/// Blackens masked areas in a page picture for display.
pub fn black_out(image: &mut RgbImage, masks: &[Mask], page: u32) {
    const NEARLY_BLACK: Rgb<u8> = Rgb([0x20; 3]);
    let whole = Size { width: image.width() as f32, height: image.height() as f32 };
    paint(image, &masks_on(masks, page, whole), whole, NEARLY_BLACK);
}

/// Removes the words of a text layer in masked areas. For pages without layout.
pub fn remove_masked_words(words: &mut Vec<Word>, masked: &[Area]) {
    let is_hidden =
        |area: &Area| masked.iter().any(|mask| area.within(mask).extent() > area.extent() * 0.5);
    words.retain(|word| !word.area.as_ref().is_some_and(is_hidden));
}

/// Decides how to prepare a picture. The orientation is decided elsewhere: see [`crate::ocr::find_upright`].
pub fn look(image: &GrayImage) -> Preparation {
    if is_blank(image) {
        return Preparation::default();
    }
    Preparation {
        deskew: skew::angle(image),
        denoise: tone::is_noisy(image),
        contrast: tone::is_faint(image),
        ..Preparation::default()
    }
}

/// Makes the picture for OCR. `page` is the size of the page.
pub fn apply(preparation: &Preparation, mut image: GrayImage, page: Size) -> GrayImage {
    // Masked areas get the colour of paper.
    paint(&mut image, &preparation.masked, page, Luma([u8::MAX]));
    if preparation.denoise {
        image = tone::median(&image);
    }
    if preparation.contrast {
        image = tone::stretch(&image);
    }
    mapping::turn(turn_upright(image, preparation.upright), preparation.deskew)
}

/// Rotates a picture by quarter turns.
pub fn turn_upright(image: GrayImage, upright: Rotation) -> GrayImage {
    match upright {
        Rotation::None => image,
        Rotation::Quarter => imageops::rotate90(&image),
        Rotation::Half => imageops::rotate180(&image),
        Rotation::ThreeQuarters => imageops::rotate270(&image),
    }
}

/// Paints over areas of a page, and over whatever they touch.
fn paint<P: Pixel>(
    image: &mut ImageBuffer<P, Vec<P::Subpixel>>,
    areas: &[Area],
    page: Size,
    colour: P,
) {
    let (width, height) = image.dimensions();
    let horizontally = width as f32 / page.width.max(1.0);
    let vertically = height as f32 / page.height.max(1.0);
    for area in areas {
        let columns = pixels(area.left * horizontally, area.right * horizontally, width);
        for row in pixels(area.top * vertically, area.bottom * vertically, height) {
            for column in columns.clone() {
                image.put_pixel(column, row, colour);
            }
        }
    }
}

fn pixels(from: f32, to: f32, end: u32) -> std::ops::Range<u32> {
    (from.floor().max(0.0) as u32).min(end)..(to.ceil().max(0.0) as u32).min(end)
}
