//! Detects the orientation of a page.
//!
//! There is no cheap way to recognise a page that is upside down, but the second engine reads such text with low
//! confidence. A few lines suffice, and only pages on which Tesseract did badly are checked ([`is_suspicious`]), because
//! most pages are upright.

use image::{GrayImage, imageops};
use pages::{Rotation, Word};

use super::pp::{PpOcr, Quad};
use crate::ReadError;

/// The number of lines that are read.
const TRIED: usize = 6;
/// By how much the confidence (of 100) must be higher in the other orientation.
const CLEARLY_BETTER: f32 = 15.0;
/// Below this confidence of Tesseract, the orientation is checked.
const DOUBTFUL: usize = 55;

/// Whether the words of Tesseract are so poor that the page may have the wrong orientation.
pub fn is_suspicious(tesseract: &[Word]) -> bool {
    let sum: usize = tesseract.iter().map(|word| usize::from(word.confidence.0)).sum();
    sum < DOUBTFUL * tesseract.len() || tesseract.len() < 3
}

/// The rotation that makes a page upright; `Rotation::None` unless the evidence is clear.
pub fn find_upright(pp: &PpOcr, image: &GrayImage) -> Result<Rotation, ReadError> {
    let lines = pp.find_lines(image, None)?;
    let sideways = lines.iter().filter(|line| line.along.1.abs() > line.along.0.abs()).count();
    let is_sideways = sideways * 2 > lines.len() && sideways >= 3;
    let (image, ways) = if is_sideways {
        (imageops::rotate90(image), [Rotation::Quarter, Rotation::ThreeQuarters])
    } else {
        (image.clone(), [Rotation::None, Rotation::Half])
    };
    let lines = if is_sideways { pp.find_lines(&image, None)? } else { lines };
    let chosen = longest(lines);
    if chosen.is_empty() {
        return Ok(Rotation::None);
    }
    let this_way = certainty(pp, &image, chosen.clone())?;
    let other_way = certainty(pp, &image, chosen.iter().map(Quad::reversed).collect())?;
    Ok(match ways {
        [_, turned] if other_way > this_way + CLEARLY_BETTER => turned,
        [kept, _] if !is_sideways || this_way > other_way + CLEARLY_BETTER => kept,
        _ => Rotation::None,
    })
}

fn longest(mut lines: Vec<Quad>) -> Vec<Quad> {
    lines.sort_by(|a, b| (b.width / b.height).total_cmp(&(a.width / a.height)));
    // The longest lines may be ruled lines.
    let skipped = usize::from(lines.len() > TRIED);
    lines
        .into_iter()
        .skip(skipped)
        .filter(|line| line.width > 3.0 * line.height)
        .take(TRIED)
        .collect()
}

/// The mean confidence of lines, of 100. A line without text counts as 0.
fn certainty(pp: &PpOcr, image: &GrayImage, lines: Vec<Quad>) -> Result<f32, ReadError> {
    let many = lines.len().max(1) as f32;
    let read = pp.read_lines(image, lines)?;
    Ok(read.iter().map(|line| f32::from(line.confidence.0)).sum::<f32>() / many)
}
