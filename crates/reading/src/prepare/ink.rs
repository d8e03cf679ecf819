//! Separates ink from paper.

use image::GrayImage;
use image::imageops;

/// So much darker than the paper around it is ink.
const DARKER: i64 = 28;
/// A page that has fewer places with ink than this has nothing to read: dust, a fold, the edge of the scan.
const PLACES_ON_A_BLANK_PAGE: usize = 3;

/// Side of a place, in a picture of about 1,000 pixels.
const PLACE: usize = 8;
/// Pixels of ink in a place that make a stroke.
const STROKE: std::ops::RangeInclusive<usize> = 6..=48;

/// Ink, pixel by pixel, against the mean of the surroundings: shadows and stained paper do no harm.
pub(super) struct Ink {
    pub(super) width: usize,
    pub(super) height: usize,
    pixels: Vec<bool>,
}

impl Ink {
    pub(super) fn of(image: &GrayImage) -> Self {
        let (width, height) = (image.width() as usize, image.height() as usize);
        let sums = running_sums(image);
        let reach = (width.min(height) / 24).clamp(4, 40);
        let mut pixels = Vec::with_capacity(width * height);
        for y in 0..height {
            let (top, bottom) = (y.saturating_sub(reach), (y + reach + 1).min(height));
            for x in 0..width {
                let (left, right) = (x.saturating_sub(reach), (x + reach + 1).min(width));
                let at = |x: usize, y: usize| sums[y * (width + 1) + x];
                let sum = at(right, bottom) + at(left, top) - at(left, bottom) - at(right, top);
                let count = i64::try_from((right - left) * (bottom - top)).unwrap_or(1);
                let pixel = i64::from(image.as_raw()[y * width + x]);
                pixels.push((pixel + DARKER) * count < sum);
            }
        }
        Self { width, height, pixels }
    }

    pub(super) fn pixels(&self) -> &[bool] {
        &self.pixels
    }

    pub(super) fn at(&self, x: usize, y: usize) -> bool {
        self.pixels[y * self.width + x]
    }

    /// The picture is divided into places of about a letter's size, and those where a stroke's worth is ink are
    /// counted. Noise is even and stays below a stroke's worth; a place full of ink is a shadow or a bar.
    fn places_with_a_stroke(&self) -> usize {
        let mut places = 0;
        for top in (0..self.height.saturating_sub(PLACE - 1)).step_by(PLACE) {
            for left in (0..self.width.saturating_sub(PLACE - 1)).step_by(PLACE) {
                let pixels =
                    (0..PLACE * PLACE).filter(|at| self.at(left + at % PLACE, top + at / PLACE));
                places += usize::from(STROKE.contains(&pixels.count()));
            }
        }
        places
    }

    /// Where ink ends downwards: the feet of letters, which stand on lines. Solid areas count little.
    pub(super) fn feet(&self) -> Vec<(f32, f32)> {
        let mut feet = Vec::new();
        for y in 0..self.height.saturating_sub(1) {
            for x in 0..self.width {
                if self.at(x, y) && !self.at(x, y + 1) {
                    feet.push((x as f32, y as f32));
                }
            }
        }
        feet
    }
}

/// Of all pixels above and to the left, with a row and a column of zeros in front.
fn running_sums(image: &GrayImage) -> Vec<i64> {
    let width = image.width() as usize;
    let mut sums = vec![0; (width + 1) * (image.height() as usize + 1)];
    for (y, row) in image.as_raw().chunks_exact(width.max(1)).enumerate() {
        let mut along = 0;
        for (x, &pixel) in row.iter().enumerate() {
            along += i64::from(pixel);
            sums[(y + 1) * (width + 1) + x + 1] = sums[y * (width + 1) + x + 1] + along;
        }
    }
    sums
}

/// Shrunk until neither side is longer than this. Each pixel is the mean of those it stands for.
pub(super) fn shrunk(image: &GrayImage, longest: u32) -> GrayImage {
    let (width, height) = image.dimensions();
    let side = width.max(height);
    if side <= longest {
        return image.clone();
    }
    let fit = |length: u32| {
        let scaled = u64::from(length) * u64::from(longest) / u64::from(side);
        u32::try_from(scaled).unwrap_or(longest).max(1)
    };
    imageops::thumbnail(image, fit(width), fit(height))
}

/// Whether the page has no text: no ink except specks.
pub fn is_blank(image: &GrayImage) -> bool {
    image.width() < 8
        || image.height() < 8
        || Ink::of(&shrunk(image, 1_000)).places_with_a_stroke() < PLACES_ON_A_BLANK_PAGE
}
