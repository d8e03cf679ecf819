//! What a line says.
//!
//! The network looks at a line of fixed height and gives, for every step of eight pixels, how likely each
//! character is. Steps where *nothing* is likeliest divide the characters, and a character that stays for some
//! steps is one. So every character has a place along the line, and words get their areas from that.

use rten_tensor::NdTensor;
use rten_tensor::prelude::*;

use super::Network;
use crate::ReadError;

pub(super) const HEIGHT: u32 = 48;
/// Pixels for each step of the network.
const STEP: u32 = 8;
/// The class between characters.
const NOTHING: usize = 0;
const NARROWEST: u32 = 32;
/// A line wider than this is squeezed: it is a ruled line more likely than text.
const WIDEST: u32 = 3_200;

/// A line cut out of the page, level, [`HEIGHT`] pixels high.
pub(super) struct Strip {
    pub(super) pixels: Vec<u8>,
    pub(super) width: u32,
}

/// One character and where its peak is, as a fraction of the strip's width.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Character {
    pub(super) letter: char,
    pub(super) at: f32,
    pub(super) likely: f32,
}

/// How wide the strip of a line must be.
pub(super) fn strip_width(width: f32, height: f32) -> u32 {
    let natural = (width / height.max(1.0) * HEIGHT as f32).ceil() as u32;
    natural.clamp(NARROWEST, WIDEST).next_multiple_of(STEP)
}

/// Reads strips of one width.
pub(super) fn read_strips(
    network: &Network,
    alphabet: &[char],
    strips: &[Strip],
) -> Result<Vec<Vec<Character>>, ReadError> {
    let width = strips.iter().map(|strip| strip.width).max().unwrap_or(NARROWEST);
    let plane = (HEIGHT * width) as usize;
    let mut input = vec![0.0; strips.len() * 3 * plane];
    for (strip, planes) in strips.iter().zip(input.chunks_exact_mut(3 * plane)) {
        for plane in planes.chunks_exact_mut(plane) {
            let rows = strip.pixels.chunks_exact(strip.width as usize);
            for (from, to) in rows.zip(plane.chunks_exact_mut(width as usize)) {
                for (pixel, value) in from.iter().zip(to) {
                    *value = f32::from(*pixel) / 127.5 - 1.0;
                }
            }
        }
    }
    let input = NdTensor::from_data([strips.len(), 3, HEIGHT as usize, width as usize], input);
    let likely: NdTensor<f32, 3> = network.run(input)?;
    let [_, steps, classes] = likely.shape();
    let values = likely.to_vec();
    let lines = values.chunks_exact((steps * classes).max(1));
    Ok(lines
        .zip(strips)
        .map(|(line, strip)| {
            let scale = width as f32 / strip.width as f32 / steps as f32;
            decode(line.chunks_exact(classes), alphabet, scale)
        })
        .collect())
}

/// Takes the likeliest of each step. `scale` is the width of a step.
fn decode<'a>(
    steps: impl Iterator<Item = &'a [f32]>,
    alphabet: &[char],
    scale: f32,
) -> Vec<Character> {
    let mut characters: Vec<Character> = Vec::new();
    let mut before = NOTHING;
    for (step, likely) in steps.enumerate() {
        let (class, value) = likeliest(likely);
        if class == NOTHING {
            before = class;
            continue;
        }
        match (class == before, characters.last_mut(), alphabet.get(class - 1)) {
            (true, Some(last), _) => {
                last.likely = last.likely.max(value);
                last.at += scale / 2.0;
            }
            (_, _, Some(&letter)) => {
                let at = (step as f32 + 0.5) * scale;
                characters.push(Character { letter, at, likely: value });
            }
            _ => {}
        }
        before = class;
    }
    characters
}

/// In two passes, because both go many values at a time.
fn likeliest(values: &[f32]) -> (usize, f32) {
    let mut lanes = [f32::NEG_INFINITY; 16];
    let chunks = values.chunks_exact(lanes.len());
    let rest = chunks.remainder();
    for chunk in chunks {
        for (lane, value) in lanes.iter_mut().zip(chunk) {
            *lane = if *value > *lane { *value } else { *lane };
        }
    }
    let highest = lanes.iter().chain(rest).copied().fold(f32::NEG_INFINITY, f32::max);
    let class = values.iter().position(|value| *value >= highest).unwrap_or(NOTHING);
    (class, highest)
}
