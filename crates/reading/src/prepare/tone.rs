//! Noise and contrast: when to do something about them, and what.

use image::GrayImage;

/// How far pixels of bare paper may scatter, in grey levels. Beyond, strokes fray.
const SCATTER_OF_CLEAN_PAPER: f32 = 9.0;
/// Ink and paper this close together are hard to tell apart.
const FAINT: u8 = 110;
/// Pixels at either end that do not count: dust and glare.
const IGNORED: f32 = 0.01;
const BLOCK: usize = 16;

/// Whether paper is grainy. Paper is where the picture changes least: the calmest quarter of its blocks.
pub(super) fn is_noisy(image: &GrayImage) -> bool {
    let width = image.width() as usize;
    let rows: Vec<&[u8]> = image.as_raw().chunks_exact(width.max(1)).collect();
    let mut scatters = Vec::new();
    for band in rows.chunks_exact(BLOCK) {
        for left in (0..width.saturating_sub(BLOCK)).step_by(BLOCK) {
            let block = band.iter().flat_map(|row| &row[left..left + BLOCK]);
            scatters.push(scatter(block));
        }
    }
    // Burnt-out paper is perfectly even and says nothing about the rest.
    scatters.retain(|scatter| *scatter > 0.0);
    scatters.sort_by(f32::total_cmp);
    scatters.get(scatters.len() / 4).is_some_and(|scatter| *scatter > SCATTER_OF_CLEAN_PAPER)
}

fn scatter<'a>(pixels: impl Iterator<Item = &'a u8>) -> f32 {
    let (mut sum, mut squares, mut count) = (0.0, 0.0, 0.0);
    for &pixel in pixels {
        let value = f32::from(pixel);
        sum += value;
        squares += value * value;
        count += 1.0;
    }
    let mean = sum / count;
    (squares / count - mean * mean).max(0.0).sqrt()
}

/// Whether the darkest and the brightest are close together.
pub(super) fn is_faint(image: &GrayImage) -> bool {
    let (dark, bright) = ends(image);
    bright.saturating_sub(dark) < FAINT
}

/// Spreads what there is over the whole range.
pub(super) fn stretch(image: &GrayImage) -> GrayImage {
    let (dark, bright) = ends(image);
    let range = f32::from(bright.saturating_sub(dark).max(1));
    let mut stretched = image.clone();
    for pixel in stretched.iter_mut() {
        let share = f32::from(pixel.saturating_sub(dark)) / range;
        *pixel = (share * 255.0).min(255.0) as u8;
    }
    stretched
}

fn ends(image: &GrayImage) -> (u8, u8) {
    let mut counts = [0_usize; 256];
    for &pixel in image.as_raw() {
        counts[usize::from(pixel)] += 1;
    }
    let ignored = (image.as_raw().len() as f32 * IGNORED) as usize;
    (reach(&counts, ignored, 0..=u8::MAX), reach(&counts, ignored, (0..=u8::MAX).rev()))
}

fn reach(counts: &[usize; 256], ignored: usize, mut levels: impl Iterator<Item = u8>) -> u8 {
    let mut seen = 0;
    let end = levels.find(|level| {
        seen += counts[usize::from(*level)];
        seen > ignored
    });
    end.unwrap_or(0)
}

/// Each pixel becomes the middle one of itself and its eight neighbours: specks go, edges stay.
pub(super) fn median(image: &GrayImage) -> GrayImage {
    let (width, height) = (image.width() as usize, image.height() as usize);
    let mut calm = image.clone();
    if width < 3 || height < 3 {
        return calm;
    }
    let from = image.as_raw();
    let to: &mut [u8] = &mut calm;
    for y in 1..height - 1 {
        let row = |y: usize| &from[y * width..(y + 1) * width];
        let (above, here, below) = (row(y - 1), row(y), row(y + 1));
        for x in 1..width - 1 {
            to[y * width + x] = middle_of_nine([
                above[x - 1], above[x], above[x + 1],
                here[x - 1], here[x], here[x + 1],
                below[x - 1], below[x], below[x + 1],
            ]);
        }
    }
    calm
}

/// Sorts as much as needed: columns first, then the largest of the small, the middle of the middle and the
/// smallest of the large.
fn middle_of_nine(pixels: [u8; 9]) -> u8 {
    let [a, b, c, d, e, f, g, h, i] = pixels;
    let sort = |x: u8, y: u8, z: u8| {
        let (low, high) = (x.min(y), x.max(y));
        (low.min(z), low.max(high.min(z)), high.max(z))
    };
    let (first, second, third) = (sort(a, d, g), sort(b, e, h), sort(c, f, i));
    let low = first.0.max(second.0).max(third.0);
    let middle = sort(first.1, second.1, third.1).1;
    let high = first.2.min(second.2).min(third.2);
    sort(low, middle, high).1
}
