//! Makes the picture of a page ready for OCR, and finds the way back.
//!
//! *Looking* measures a picture and decides ([`look`]); the decision is a [`Preparation`], small enough to be
//! stored. *Applying* it makes the picture that OCR sees ([`apply`]). The areas that OCR finds are in pixels of
//! that picture; a [`Mapping`] leads them back to the page as a person sees it.
//!
//! Every decision needs evidence: a page with little on it is left as it is, because turning it by nonsense is
//! worse than not turning it.

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
use serde_json::Value;

use pages::{Area, Preparation, Rotation, Size, Word};

pub use self::ink::is_blank;
pub use self::mapping::Mapping;

/// A region that nobody may read, by a rule of the tenant: on every page or on one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mask {
    /// In shares of the page's width and height.
    pub area: Area,
    /// Counted from 1.
    pub page: Option<u32>,
}

/// Those that a run was told when it was made.
pub fn masks_of(config: &Value) -> Vec<Mask> {
    let rules: Vec<MaskRule> =
        config.get("masks").and_then(|masks| Vec::deserialize(masks).ok()).unwrap_or_default();
    let mask = |rule: MaskRule| {
        let [left, top, right, bottom] = rule.area;
        Mask { area: Area { left, top, right, bottom }, page: rule.page }
    };
    rules.into_iter().map(mask).collect()
}

/// Those that hold for a page, in its points.
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

/// Hides what is masked in a picture of a page that people are to look at.
pub fn black_out(image: &mut RgbImage, masks: &[Mask], page: u32) {
    const NEARLY_BLACK: Rgb<u8> = Rgb([0x20; 3]);
    let whole = Size { width: image.width() as f32, height: image.height() as f32 };
    paint(image, &masks_on(masks, page, whole), whole, NEARLY_BLACK);
}

/// Takes words away that a text layer has in a masked area. For pages that are not laid out yet.
pub fn remove_masked_words(words: &mut Vec<Word>, masked: &[Area]) {
    let is_hidden =
        |area: &Area| masked.iter().any(|mask| area.within(mask).extent() > area.extent() * 0.5);
    words.retain(|word| !word.area.as_ref().is_some_and(is_hidden));
}

/// Decides how a picture is to be made ready. Which way is up is not decided here: see
/// [`crate::ocr::find_upright`].
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

/// Makes the picture that OCR sees. `page` is the size of the page that the picture shows.
pub fn apply(preparation: &Preparation, mut image: GrayImage, page: Size) -> GrayImage {
    // Masked areas become paper.
    paint(&mut image, &preparation.masked, page, Luma([u8::MAX]));
    if preparation.denoise {
        image = tone::median(&image);
    }
    if preparation.contrast {
        image = tone::stretch(&image);
    }
    mapping::turn(turn_upright(image, preparation.upright), preparation.deskew)
}

/// Turns a picture by quarters.
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
