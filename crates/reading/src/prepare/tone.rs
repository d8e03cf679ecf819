//! Detects and corrects noise and low contrast.

use image::GrayImage;

use super::ink::Ink;

/// How far pixels of bare paper may scatter, in grey levels. Beyond, strokes fray.
const SCATTER_OF_CLEAN_PAPER: f32 = 9.0;
/// Ink and paper this close together are hard to tell apart.
const FAINT: u8 = 60;
const BLOCK: usize = 16;

/// Whether the paper is noisy. Paper is where the picture changes least: a quarter of its blocks.
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

/// Whether the contrast between ink and paper is low.
pub(super) fn is_faint(image: &GrayImage) -> bool {
    ends(image).is_some_and(|(ink, paper)| paper.saturating_sub(ink) < FAINT)
}

/// Spreads the range from ink to paper over all shades.
pub(super) fn stretch(image: &GrayImage) -> GrayImage {
    let mut stretched = image.clone();
    if let Some((ink, paper)) = ends(image) {
        let range = f32::from(paper.saturating_sub(ink).max(1));
        for pixel in stretched.iter_mut() {
            let share = f32::from(pixel.saturating_sub(ink)) / range;
            *pixel = (share * 255.0).min(255.0) as u8;
        }
    }
    stretched
}

/// How dark the ink is and how bright the paper: not the darkest and brightest pixels of the page, which on a
/// page with little writing are both paper.
fn ends(image: &GrayImage) -> Option<(u8, u8)> {
    let ink = Ink::of(image);
    let mut inked = [0_usize; 256];
    let mut bare = [0_usize; 256];
    for (&pixel, &is_ink) in image.as_raw().iter().zip(ink.pixels()) {
        let counts = if is_ink { &mut inked } else { &mut bare };
        counts[usize::from(pixel)] += 1;
    }
    Some((level(&inked, 0.25)?, level(&bare, 0.5)?))
}

/// So large a share is not brighter than this.
fn level(counts: &[usize; 256], share: f32) -> Option<u8> {
    let wanted = (counts.iter().sum::<usize>() as f32 * share) as usize;
    let mut seen = 0;
    (0..=u8::MAX).find(|level| {
        seen += counts[usize::from(*level)];
        seen > wanted
    })
}

/// A median filter of 3 by 3 pixels: removes specks and keeps edges.
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
                above[x - 1],
                above[x],
                above[x + 1],
                here[x - 1],
                here[x],
                here[x + 1],
                below[x - 1],
                below[x],
                below[x + 1],
            ]);
        }
    }
    calm
}

/// Sorts as much as needed: columns first, then the largest of the small, the middle of the middle and the
/// smallest of the large.
fn middle_of_nine(pixels: [u8; 9]) -> u8 {
    let sort = |one: u8, two: u8, three: u8| {
        let (low, high) = (one.min(two), one.max(two));
        (low.min(three), low.max(high.min(three)), high.max(three))
    };
    let column = |at: usize| sort(pixels[at], pixels[at + 3], pixels[at + 6]);
    let (first, second, third) = (column(0), column(1), column(2));
    let low = first.0.max(second.0).max(third.0);
    let middle = sort(first.1, second.1, third.1).1;
    let high = first.2.min(second.2).min(third.2);
    sort(low, middle, high).1
}
