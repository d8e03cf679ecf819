//! Measures the skew of a page.
//!
//! A histogram counts the baseline pixels of letters in rows at a trial angle. At the right angle the lines of text fall
//! into few bins, so the sum of squares is highest.

use image::GrayImage;

use super::ink::{Ink, shrunk};

const STEEPEST: f32 = 12.0;
const COARSE: f32 = 0.5;
const FINE: f32 = 0.05;
/// Fewer feet than this are a stamp or a signature, not lines of text.
const FEWEST_FEET: usize = 300;
/// The best angle must stand out by this factor from the usual one, else there are no lines to go by.
const STANDS_OUT: f32 = 1.25;
/// And from leaving the page as it is.
const WORTH_IT: f32 = 1.03;
/// Fewer rows than this are no lines of text.
const FEWEST_ROWS: usize = 4;
const TOO_SMALL_TO_MATTER: f32 = 0.15;

/// The clockwise rotation that levels the lines, in degrees.
pub(super) fn angle(image: &GrayImage) -> f32 {
    let small = shrunk(image, 1_000);
    let feet = Ink::of(&small).feet();
    if feet.len() < FEWEST_FEET {
        return 0.0;
    }
    let rows = small.height() as usize;
    let score = |angle: f32| sharpness(&feet, angle, rows);
    let steps = (STEEPEST / COARSE) as i16;
    let trials: Vec<(f32, f32)> = (-steps..=steps)
        .map(|step| f32::from(step) * COARSE)
        .map(|angle| (angle, score(angle)))
        .collect();
    let coarse = best(&trials);
    let fine_steps = (COARSE / FINE) as i16;
    let around: Vec<(f32, f32)> = (-fine_steps..=fine_steps)
        .map(|step| coarse.0 + f32::from(step) * FINE)
        .map(|angle| (angle, score(angle)))
        .collect();
    let fine = best(&around);
    let usual = median(trials.iter().map(|trial| trial.1).collect());
    // A peak at the end of the range is the slope of one that lies beyond.
    let is_sure = coarse.0.abs() < STEEPEST
        && fine.1 > usual * STANDS_OUT
        && fine.1 > score(0.0) * WORTH_IT
        && rows_of_text(&histogram(&feet, fine.0, rows)) >= FEWEST_ROWS;
    if is_sure && fine.0.abs() >= TOO_SMALL_TO_MATTER { fine.0 } else { 0.0 }
}

fn best(trials: &[(f32, f32)]) -> (f32, f32) {
    trials
        .iter()
        .copied()
        .fold((0.0, f32::NEG_INFINITY), |best, trial| if trial.1 > best.1 { trial } else { best })
}

fn median(mut values: Vec<f32>) -> f32 {
    values.sort_by(f32::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// The sum of squares of the histogram at an angle.
fn sharpness(feet: &[(f32, f32)], angle: f32, rows: usize) -> f32 {
    histogram(feet, angle, rows).iter().map(|&count| (count as f32).powi(2)).sum()
}

/// Runs of bins that are at all full. One stroke, however long, is one.
fn rows_of_text(bins: &[u32]) -> usize {
    let fullest = bins.iter().copied().max().unwrap_or(0);
    bins.chunk_by(|a, b| (a * 8 >= fullest) == (b * 8 >= fullest))
        .filter(|run| run[0] > 0 && run[0] * 8 >= fullest)
        .count()
}

/// How many feet fall into each row that the page would have if it were turned.
fn histogram(feet: &[(f32, f32)], angle: f32, rows: usize) -> Vec<u32> {
    let (sine, cosine) = angle.to_radians().sin_cos();
    let margin = rows as f32;
    let mut bins = vec![0_u32; 3 * rows + 1];
    for (x, y) in feet {
        let row = x * sine + y * cosine + margin;
        if let Some(bin) = bins.get_mut(row.max(0.0) as usize) {
            *bin += 1;
        }
    }
    bins
}
