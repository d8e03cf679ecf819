//! Columns of prose, in the order they are read.
//!
//! The page falls into *bands* (strips that no text reaches out of). Bands that leave the same gutter
//! free are read column by column when both sides are prose; a list of labels and values is not, and
//! stays whole, for tables are looked for in there.

use super::rows;
use super::table::Found;
use super::{Placed, Region};
use crate::model::{Area, Word};

/// More bands than this are no page that a person would read.
const MAX_BANDS: usize = 600;
const MAX_DEPTH: u32 = 4;

#[derive(Clone, Copy, Debug)]
enum Kind {
    Word(Placed),
    Table(usize),
}

#[derive(Clone, Copy, Debug)]
struct Item {
    area: Area,
    kind: Kind,
    /// A word in the narrow sense.
    lettered: bool,
}

pub(crate) fn of_prose(words: &[Placed], tables: &[Found], text: &[Word]) -> Vec<Region> {
    let words = words.iter().map(|placed| {
        let lettered = text
            .get(placed.word)
            .is_some_and(|word| word.text.chars().filter(|c| c.is_alphabetic()).count() > 1);
        Item { area: placed.area, kind: Kind::Word(*placed), lettered }
    });
    let tables = tables.iter().enumerate();
    let tables = tables.map(|(index, table)| Item {
        area: table.area,
        kind: Kind::Table(index),
        lettered: false,
    });
    let mut regions = Vec::new();
    split(words.chain(tables).collect(), 0, &mut regions);
    regions
}

fn split(items: Vec<Item>, depth: u32, regions: &mut Vec<Region>) {
    let bands = bands(items);
    if depth >= MAX_DEPTH || bands.len() > MAX_BANDS {
        regions.push(region(bands.into_iter().flatten()));
        return;
    }
    let mut plain: Vec<Item> = Vec::new();
    let mut at = 0;
    while at < bands.len() {
        let Some((end, gutter)) = columns_from(&bands, at) else {
            plain.extend(&bands[at]);
            at += 1;
            continue;
        };
        if !plain.is_empty() {
            regions.push(region(std::mem::take(&mut plain).into_iter()));
        }
        let run = bands[at..end].iter().flatten().copied();
        let (left, right): (Vec<Item>, Vec<Item>) = run.partition(|item| item.area.right <= gutter);
        split(left, depth + 1, regions);
        split(right, depth + 1, regions);
        at = end;
    }
    if !plain.is_empty() {
        regions.push(region(plain.into_iter()));
    }
}

fn region(items: impl Iterator<Item = Item>) -> Region {
    let mut region = Region::default();
    for item in items {
        match item.kind {
            Kind::Word(placed) => region.words.push(placed),
            Kind::Table(index) => region.tables.push(index),
        }
    }
    region
}

/// From top to bottom. Areas of neighbouring lines may touch: only their inner parts count.
fn bands(mut items: Vec<Item>) -> Vec<Vec<Item>> {
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
            _ => bands.push(vec![item]),
        }
        reach = reach.max(bottom);
    }
    bands
}

/// The longest run of bands from here on that leaves a gutter free, and where its first gutter ends on
/// the left; only if both sides are prose.
fn columns_from(bands: &[Vec<Item>], from: usize) -> Option<(usize, f32)> {
    let size = rows::median(bands[from].iter().filter_map(size_of));
    let narrowest = (size * 0.8).max(4.0);
    let mut covered: Vec<(f32, f32)> = Vec::new();
    let mut end = from;
    for band in &bands[from..] {
        let mut next = covered.clone();
        next.extend(band.iter().map(|item| (item.area.left, item.area.right)));
        let next = merged(next, narrowest);
        // One block alone may still be joined by another beside it; two must not grow together.
        if next.len() < 2 && (covered.len() >= 2 || band.iter().any(|item| is_table(item))) {
            break;
        }
        if next.len() < 2 && end > from + 2 {
            break;
        }
        covered = next;
        end += 1;
    }
    let run: Vec<&Item> = bands[from..end].iter().flatten().collect();
    covered.windows(2).find_map(|pair| {
        let [(_, left_end), (right_begin, _)] = pair else { return None };
        let middle = f32::midpoint(*left_end, *right_begin);
        let (left, right): (Vec<&Item>, Vec<&Item>) =
            run.iter().partition(|item| item.area.right <= middle);
        (is_prose(&left) && is_prose(&right)).then_some((end, middle))
    })
}

fn is_table(item: &Item) -> bool {
    matches!(item.kind, Kind::Table(_))
}

fn size_of(item: &Item) -> Option<f32> {
    match item.kind {
        Kind::Word(placed) => Some(placed.size),
        Kind::Table(_) => None,
    }
}

/// Several lines of several words each, most of them about as long as the longest.
fn is_prose(items: &[&Item]) -> bool {
    let words: Vec<Placed> = items
        .iter()
        .filter_map(|item| match item.kind {
            Kind::Word(placed) => Some(placed),
            Kind::Table(_) => None,
        })
        .collect();
    let rows = rows::of(&words);
    if rows.len() < 4 {
        return false;
    }
    let lettered = items.iter().filter(|item| item.lettered).count();
    if lettered * 10 < words.len() * 6 {
        return false;
    }
    let width = rows::around(&words).width().max(1.0);
    let full = rows.iter().filter(|row| row.area.width() > 0.7 * width).count();
    words.len() * 2 >= rows.len() * 7 && full * 2 >= rows.len()
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
