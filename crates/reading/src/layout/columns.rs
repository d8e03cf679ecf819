//! Columns of prose, in the order they are read.
//!
//! The page is divided into *bands* (horizontal strips that no text crosses). Bands with the same gutter are read column
//! by column when both sides are prose; a list of labels and values stays whole, because it may be a table. The rest
//! may contain blocks side by side, such as two addresses, whose lines are at different heights.

use pages::{Area, Word};

use super::rows;
use super::table::Found;
use super::{Placed, Region};

/// The limit of bands on a page.
const MAX_BANDS: usize = 600;
const MAX_DEPTH: u32 = 4;

/// A word or a table.
#[derive(Clone, Copy, Debug)]
struct Item {
    area: Area,
    /// Which one of the words or tables it is.
    index: u32,
    is_table: bool,
    /// A word in the narrow sense.
    lettered: bool,
}

impl Item {
    fn word(index: usize, placed: &Placed, lettered: bool) -> Self {
        let index = u32::try_from(index).unwrap_or(u32::MAX);
        Self { area: placed.area, index, is_table: false, lettered }
    }
}

pub(crate) fn of_prose(words: &[Placed], tables: &[Found], text: &[Word]) -> Vec<Region> {
    let lettered = |placed: &Placed| {
        let word = text.get(placed.word);
        word.is_some_and(|word| word.text.chars().filter(|c| c.is_alphabetic()).nth(1).is_some())
    };
    let items = words.iter().enumerate();
    let mut items: Vec<Item> =
        items.map(|(index, placed)| Item::word(index, placed, lettered(placed))).collect();
    for (index, table) in (0..).zip(tables) {
        items.push(Item { area: table.area, index, is_table: true, lettered: false });
    }
    Cut { words, test: are_prose }.regions(items)
}

/// Separates blocks that are side by side.
pub(crate) fn side_by_side(words: &[Placed]) -> Vec<Vec<Placed>> {
    let items = words.iter().enumerate();
    let items = items.map(|(index, placed)| Item::word(index, placed, true)).collect();
    let regions = Cut { words, test: are_blocks }.regions(items);
    regions.into_iter().map(|region| region.words).collect()
}

/// Whether the two sides of a gutter are read one after the other.
type Test = fn(left: &[Placed], right: &[Placed], lettered: Lettered, gutter: f32) -> bool;

/// How many words in the narrow sense are on either side.
type Lettered = (usize, usize);

fn are_prose(left: &[Placed], right: &[Placed], lettered: Lettered, _: f32) -> bool {
    is_prose(left, lettered.0) && is_prose(right, lettered.1)
}

/// Several lines on each side, and few of them at the same height as a line on the other side.
fn are_blocks(left: &[Placed], right: &[Placed], _: Lettered, gutter: f32) -> bool {
    let (left, right) = (rows::of(left), rows::of(right));
    let size = rows::median(left.iter().map(rows::Row::size));
    let (fewer, more) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let level = |row: &&rows::Row| {
        let near = |other: &rows::Row| (other.area.bottom - row.area.bottom).abs() < 0.2 * size;
        more.iter().any(near)
    };
    fewer.len() >= 2 && gutter > 1.5 * size && fewer.iter().filter(level).count() * 2 < fewer.len()
}

/// Several lines of several words each, most of them about as long as the longest.
fn is_prose(words: &[Placed], lettered: usize) -> bool {
    if words.len() < 14 || lettered * 10 < words.len() * 6 {
        return false;
    }
    let rows = rows::of(words);
    let width = rows::around(words).width().max(1.0);
    let full = rows.iter().filter(|row| row.area.width() > 0.7 * width).count();
    rows.len() >= 4 && words.len() * 2 >= rows.len() * 7 && full * 2 >= rows.len()
}

/// Divides a page, or a part of one.
struct Cut<'a> {
    words: &'a [Placed],
    test: Test,
}

impl Cut<'_> {
    fn regions(&self, items: Vec<Item>) -> Vec<Region> {
        let mut regions = Vec::new();
        self.split(items, 0, &mut regions);
        regions
    }

    fn split(&self, items: Vec<Item>, depth: u32, regions: &mut Vec<Region>) {
        let bands = self.bands(items);
        if depth >= MAX_DEPTH || bands.len() > MAX_BANDS {
            regions.push(self.region(bands.iter().flat_map(|band| &band.items)));
            return;
        }
        let mut plain: Vec<Item> = Vec::new();
        let mut at = 0;
        while at < bands.len() {
            let (end, gutter) = self.columns_from(&bands, at);
            let Some(gutter) = gutter else {
                // The rest of the run would fail as well, so most of it is skipped.
                let next = at + ((end - at) / 3).max(1);
                plain.extend(bands[at..next].iter().flat_map(|band| &band.items));
                at = next;
                continue;
            };
            if !plain.is_empty() {
                regions.push(self.region(plain.iter()));
                plain.clear();
            }
            let run = bands[at..end].iter().flat_map(|band| band.items.iter().copied());
            let (left, right): (Vec<Item>, Vec<Item>) =
                run.partition(|item| item.area.right <= gutter);
            self.split(left, depth + 1, regions);
            self.split(right, depth + 1, regions);
            at = end;
        }
        if !plain.is_empty() {
            regions.push(self.region(plain.iter()));
        }
    }

    fn word(&self, item: &Item) -> Option<Placed> {
        if item.is_table { None } else { self.words.get(item.index as usize).copied() }
    }

    fn region<'b>(&self, items: impl Iterator<Item = &'b Item>) -> Region {
        let mut region = Region::default();
        for item in items {
            match self.word(item) {
                Some(placed) => region.words.push(placed),
                None => region.tables.push(item.index as usize),
            }
        }
        region
    }

    /// From top to bottom. Areas of adjacent lines may touch, so only their inner parts count.
    fn bands(&self, mut items: Vec<Item>) -> Vec<Band> {
        let inner = |item: &Item| {
            let edge = item.area.height() * 0.2;
            (item.area.top + edge, item.area.bottom - edge)
        };
        items.sort_by(|a, b| inner(a).0.total_cmp(&inner(b).0));
        let mut bands: Vec<Vec<Item>> = Vec::new();
        let mut reach = f32::NEG_INFINITY;
        for item in items {
            let (top, bottom) = inner(&item);
            match bands.last_mut() {
                Some(band) if top <= reach => band.push(item),
                _ => {
                    let mut band = Vec::with_capacity(16);
                    band.push(item);
                    bands.push(band);
                }
            }
            reach = reach.max(bottom);
        }
        bands.into_iter().map(|items| self.band(items)).collect()
    }

    fn band(&self, items: Vec<Item>) -> Band {
        let sizes = items.iter().filter_map(|item| self.word(item)).map(|word| word.size);
        let size = rows::median(sizes);
        let covered = items.iter().map(|item| (item.area.left, item.area.right)).collect();
        let covered = merged(covered, (size * 0.8).max(4.0));
        let has_table = items.iter().any(|item| item.is_table);
        Band { items, covered, size, has_table }
    }

    /// The end of the longest run of bands with a common gutter, and the middle of the first gutter that passes the test.
    fn columns_from(&self, bands: &[Band], from: usize) -> (usize, Option<f32>) {
        let narrowest = (bands[from].size * 0.8).max(4.0);
        let mut covered: Vec<(f32, f32)> = Vec::new();
        let mut end = from;
        for band in &bands[from..] {
            let next = merged(covered.iter().chain(&band.covered).copied().collect(), narrowest);
            // One block alone may still be joined by another beside it; two must not grow together.
            if next.len() < 2 && (covered.len() >= 2 || band.has_table || end > from + 2) {
                break;
            }
            covered = next;
            end += 1;
        }
        if covered.len() < 2 {
            return (from + 1, None);
        }
        let run: Vec<&Item> = bands[from..end].iter().flat_map(|band| &band.items).collect();
        let gutter = covered.windows(2).find_map(|pair| {
            let [(_, left_end), (right_begin, _)] = pair else { return None };
            let middle = f32::midpoint(*left_end, *right_begin);
            let (left, right): (Vec<&Item>, Vec<&Item>) =
                run.iter().partition(|item| item.area.right <= middle);
            let lettered = |side: &[&Item]| side.iter().filter(|item| item.lettered).count();
            let words =
                |side: &[&Item]| side.iter().filter_map(|item| self.word(item)).collect::<Vec<_>>();
            let counts = (lettered(&left), lettered(&right));
            let accepted =
                (self.test)(&words(&left), &words(&right), counts, right_begin - left_end);
            accepted.then_some(middle)
        });
        (end, gutter)
    }
}

#[derive(Debug)]
struct Band {
    items: Vec<Item>,
    /// The stretches that are not free, from left to right.
    covered: Vec<(f32, f32)>,
    size: f32,
    has_table: bool,
}

/// Stretches that are closer than `gap` become one.
fn merged(mut stretches: Vec<(f32, f32)>, gap: f32) -> Vec<(f32, f32)> {
    stretches.sort_by(|a, b| a.0.total_cmp(&b.0));
    let mut merged: Vec<(f32, f32)> = Vec::new();
    for (from, to) in stretches {
        match merged.last_mut() {
            Some(last) if from < last.1 + gap => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}
