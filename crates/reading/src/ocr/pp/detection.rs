//! Where the lines of text are.
//!
//! The network gives for each pixel how likely it belongs to the *core* of a line: the line shrunk by a fixed
//! rule, so that lines close to each other stay apart. Connected cores become rectangles, and the rectangles
//! are grown back by the same rule.

use image::GrayImage;
use image::imageops::{self, FilterType};
use rten_tensor::prelude::*;
use rten_tensor::{NdTensor, NdTensorView};

use super::Network;
use super::quad::{Quad, smallest_around};
use crate::ReadError;

/// The network halves its picture five times.
const MULTIPLE: u32 = 32;
/// More pixels than this along one side cost time and find no more lines.
const LONGEST_SIDE: u32 = 1_600;
/// Below this small print is lost.
const SHORTEST_SIDE: u32 = 480;
/// Words of so many pixels are found as well as larger ones.
const PRINT_HEIGHT: f32 = 18.0;
const CORE_PIXEL: f32 = 0.3;
const CORE: f32 = 0.5;
const GROWTH: f32 = 1.6;
const THINNEST_CORE: f32 = 3.0;
/// A page has fewer; what has more is noise.
const MOST_LINES: usize = 3_000;

/// The lines in a picture, in no order. `print` is the height of its small print in pixels, where that is known:
/// the picture is not looked at any closer than that needs.
pub(super) fn find_lines(
    network: &Network,
    image: &GrayImage,
    print: Option<f32>,
) -> Result<Vec<Quad>, ReadError> {
    let (width, height) = size_for_network(image.width(), image.height(), print);
    let resized = imageops::resize(image, width, height, FilterType::Triangle);
    let plane = width as usize * height as usize;
    let mut input = Vec::with_capacity(3 * plane);
    for _ in 0..3 {
        input.extend(resized.as_raw().iter().map(|&pixel| f32::from(pixel) / 127.5 - 1.0));
    }
    let input = NdTensor::from_data([1, 3, height as usize, width as usize], input);
    let likely: NdTensor<f32, 4> = network.run(input)?;
    let likely = Likely { map: likely.slice((0, 0)) };
    let horizontally = image.width() as f32 / width as f32;
    let vertically = image.height() as f32 / height as f32;
    let lines = likely.cores().into_iter().filter_map(|mut core| likely.line_around(&mut core));
    Ok(lines.take(MOST_LINES).map(|line| line.scaled(horizontally, vertically)).collect())
}

fn size_for_network(width: u32, height: u32, print: Option<f32>) -> (u32, u32) {
    let (short, long) = (width.min(height).max(1) as f32, width.max(height).max(1) as f32);
    let enlarge = (SHORTEST_SIDE as f32 / short).max(1.0);
    let enough = print.map_or(f32::INFINITY, |print| PRINT_HEIGHT / print.max(1.0));
    let scale = enlarge.min(LONGEST_SIDE as f32 / long).min(enough);
    let fit = |side: u32| {
        let steps = (side as f32 * scale / MULTIPLE as f32).round().max(1.0) as u32;
        steps * MULTIPLE
    };
    (fit(width), fit(height))
}

struct Likely<'a> {
    map: NdTensorView<'a, f32, 2>,
}

impl Likely<'_> {
    /// The outlines of connected core pixels: the first and last pixel of each of their runs.
    fn cores(&self) -> Vec<Vec<(f32, f32)>> {
        let [height, width] = self.map.shape();
        let is_core = |x: usize, y: usize| {
            // One pixel of reach to the left and up closes the hair cracks within a line.
            let at = |x: usize, y: usize| self.map[[y, x]] > CORE_PIXEL;
            at(x, y)
                || (x > 0 && at(x - 1, y))
                || (y > 0 && at(x, y - 1))
                || (x > 0 && y > 0 && at(x - 1, y - 1))
        };
        let mut unseen: Vec<bool> =
            (0..height * width).map(|at| is_core(at % width, at / width)).collect();
        let mut cores = Vec::new();
        let mut waiting = Vec::new();
        for start in 0..unseen.len() {
            if !std::mem::take(&mut unseen[start]) {
                continue;
            }
            waiting.push(start);
            let mut outline = Vec::new();
            while let Some(at) = waiting.pop() {
                let (x, y) = (at % width, at / width);
                outline.extend(corners_of_pixel(x, y));
                for y in y.saturating_sub(1)..(y + 2).min(height) {
                    for x in x.saturating_sub(1)..(x + 2).min(width) {
                        let next = y * width + x;
                        if std::mem::take(&mut unseen[next]) {
                            waiting.push(next);
                        }
                    }
                }
            }
            cores.push(outline);
        }
        cores
    }

    fn line_around(&self, core: &mut Vec<(f32, f32)>) -> Option<Quad> {
        keep_row_ends(core);
        let quad = smallest_around(core)?;
        if quad.width.min(quad.height) < THINNEST_CORE || self.mean_within(&quad) < CORE {
            return None;
        }
        let distance = quad.width * quad.height * GROWTH / (2.0 * (quad.width + quad.height));
        Some(quad.grown(distance))
    }

    fn mean_within(&self, quad: &Quad) -> f32 {
        let [height, width] = self.map.shape();
        let area = quad.area();
        let columns = area.left.max(0.0) as usize..(area.right.ceil().max(0.0) as usize).min(width);
        let rows = area.top.max(0.0) as usize..(area.bottom.ceil().max(0.0) as usize).min(height);
        let (mut sum, mut count) = (0.0, 0.0);
        for y in rows {
            for x in columns.clone() {
                if quad.holds((x as f32 + 0.5, y as f32 + 0.5)) {
                    sum += self.map[[y, x]];
                    count += 1.0;
                }
            }
        }
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

fn corners_of_pixel(x: usize, y: usize) -> [(f32, f32); 4] {
    let (x, y) = (x as f32, y as f32);
    [(x, y), (x + 1.0, y), (x, y + 1.0), (x + 1.0, y + 1.0)]
}

/// Only the ends of each row can be corners of the hull.
fn keep_row_ends(points: &mut Vec<(f32, f32)>) {
    points.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.total_cmp(&b.0)));
    let mut ends = Vec::new();
    for row in points.chunk_by(|a, b| a.1.total_cmp(&b.1).is_eq()) {
        ends.extend([row[0], row[row.len() - 1]]);
    }
    *points = ends;
}
