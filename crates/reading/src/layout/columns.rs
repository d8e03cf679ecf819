//! Columns of prose, in the order they are read.
//!
//! The page falls into *bands* (strips that no text reaches out of). Bands that leave the same gutter
//! free are read column by column when both sides are prose; a list of labels and values is not, and
//! stays whole, for tables are looked for in there. What is left after that may still be blocks side by
//! side, such as two addresses: they are when their lines are not on one height.

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
    split(words.chain(tables).collect(), 0, are_prose, &mut regions);
    regions
}

/// Blocks that stand beside each other, one after the other.
pub(crate) fn side_by_side(words: &[Placed]) -> Vec<Vec<Placed>> {
    let items = words.iter();
    let items = items.map(|word| Item { area: word.area, kind: Kind::Word(*word), lettered: true });
    let mut regions = Vec::new();
    split(items.collect(), 0, are_blocks, &mut regions);
    regions.into_iter().map(|region| region.words).collect()
}

/// Are the two sides of a gutter to be read one after the other?
type Test = fn(left: &[&Item], right: &[&Item], gutter: f32) -> bool;

fn are_prose(left: &[&Item], right: &[&Item], _: f32) -> bool {
    is_prose(left) && is_prose(right)
}

/// Several lines each, and few of them on the height of one on the other side.
fn are_blocks(left: &[&Item], right: &[&Item], gutter: f32) -> bool {
    let rows =
        |items: &[&Item]| rows::of(&items.iter().filter_map(|i| word_of(i)).collect::<Vec<_>>());
    let (left, right) = (rows(left), rows(right));
    let size = rows::median(left.iter().map(rows::Row::size));
    let (fewer, more) = if left.len() < right.len() { (left, right) } else { (right, left) };
    let level = |row: &&rows::Row| {
        let near = |other: &rows::Row| (other.area.bottom - row.area.bottom).abs() < 0.2 * size;
        more.iter().any(near)
    };
    fewer.len() >= 2 && gutter > 1.5 * size && fewer.iter().filter(level).count() * 2 < fewer.len()
}

fn word_of(item: &Item) -> Option<Placed> {
    match item.kind {
        Kind::Word(placed) => Some(placed),
        Kind::Table(_) => None,
    }
}

fn split(items: Vec<Item>, depth: u32, test: Test, regions: &mut Vec<Region>) {
    let bands = bands(items);
    if depth >= MAX_DEPTH || bands.len() > MAX_BANDS {
        regions.push(region(bands.into_iter().flatten()));
        return;
    }
    let mut plain: Vec<Item> = Vec::new();
    let mut at = 0;
    while at < bands.len() {
        let Some((end, gutter)) = columns_from(&bands, at, test) else {
            plain.extend(&bands[at]);
            at += 1;
            continue;
        };
        if !plain.is_empty() {
            regions.push(region(std::mem::take(&mut plain).into_iter()));
        }
        let run = bands[at..end].iter().flatten().copied();
        let (left, right): (Vec<Item>, Vec<Item>) = run.partition(|item| item.area.right <= gutter);
        split(left, depth + 1, test, regions);
        split(right, depth + 1, test, regions);
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
/// the left; only if the test says yes.
fn columns_from(bands: &[Vec<Item>], from: usize, test: Test) -> Option<(usize, f32)> {
    let size = rows::median(bands[from].iter().filter_map(word_of).map(|word| word.size));
    let narrowest = (size * 0.8).max(4.0);
    let mut covered: Vec<(f32, f32)> = Vec::new();
    let mut end = from;
    for band in &bands[from..] {
        let mut next = covered.clone();
        next.extend(band.iter().map(|item| (item.area.left, item.area.right)));
        let next = merged(next, narrowest);
        // One block alone may still be joined by another beside it; two must not grow together.
        if next.len() < 2 && (covered.len() >= 2 || band.iter().any(is_table)) {
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
        test(&left, &right, right_begin - left_end).then_some((end, middle))
    })
}

fn is_table(item: &Item) -> bool {
    matches!(item.kind, Kind::Table(_))
}

/// Several lines of several words each, most of them about as long as the longest.
fn is_prose(items: &[&Item]) -> bool {
    let words: Vec<Placed> = items.iter().filter_map(|item| word_of(item)).collect();
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
