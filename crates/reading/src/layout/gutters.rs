//! Gutters: vertical strips without text over many rows, which separate columns.
//!
//! A heading that spans several columns crosses their gutters. So strips that nearly all rows leave free are found first;
//! segments across two columns are set aside as spanning; all other text must leave a gutter free, which also finds
//! columns that few rows fill.

use pages::Word;

use super::rows::{self, Row};
use super::{Placed, table};

/// A free strip, from left to right.
pub(crate) type Gutter = (f32, f32);

/// The largest gap between the words of a segment, in letter sizes.
pub(crate) const SEGMENT_GAP: f32 = 0.6;

pub(crate) fn find(rows: &[&Row]) -> Vec<Gutter> {
    if rows.len() < 2 {
        return Vec::new();
    }
    let size = rows::median(rows.iter().map(|row| row.size()));
    let every: Vec<Vec<Gutter>> =
        rows.iter().map(|row| row.words.iter().map(reach).collect()).collect();
    let strong = free_strips(&every, rows.len() / 4, size);
    if strong.is_empty() {
        return strong;
    }
    let without_spanning: Vec<Vec<Gutter>> = rows
        .iter()
        .map(|row| {
            let segments = row.segments(SEGMENT_GAP);
            let single = segments.into_iter().filter(|segment| crossed(segment, &strong) == 0);
            single.flatten().map(reach).collect()
        })
        .collect();
    free_strips(&without_spanning, 0, size)
}

fn reach(word: &Placed) -> Gutter {
    (word.area.left, word.area.right)
}

/// The number of gutters that a segment crosses.
pub(crate) fn crossed(segment: &[Placed], gutters: &[Gutter]) -> usize {
    let (Some(first), Some(last)) = (segment.first(), segment.last()) else { return 0 };
    let right = segment.iter().fold(last.area.right, |right, word| right.max(word.area.right));
    gutters
        .iter()
        .filter(|(from, to)| {
            let middle = f32::midpoint(*from, *to);
            first.area.left < middle && right > middle
        })
        .count()
}

/// Takes a segment apart that lies across gutters but is no spanning text: its words stand in the
/// columns one by one, either as values or each aligned with its column. `edges` says where the text of
/// each column begins and ends, where that is known.
pub(crate) fn parted<'a>(
    segment: &'a [Placed],
    gutters: &[Gutter],
    edges: Option<&[(f32, f32)]>,
    text: &[Word],
) -> Vec<&'a [Placed]> {
    if segment.len() < 2 || crossed(segment, gutters) == 0 {
        return vec![segment];
    }
    let column = |placed: &Placed| {
        let middle = f32::midpoint(placed.area.left, placed.area.right);
        gutters.iter().filter(|(from, to)| f32::midpoint(*from, *to) <= middle).count()
    };
    let parts: Vec<&[Placed]> = segment.chunk_by(|a, b| column(a) == column(b)).collect();
    let values = parts.iter().all(|part| part.len() == 1 && table::is_value(part, text));
    let spread = parts.len() == crossed(segment, gutters) + 1;
    let aligned = spread
        && parts.iter().all(|part| {
            edges
                .and_then(|edges| part.first().and_then(|first| edges.get(column(first))))
                .is_some_and(|edges| is_aligned(part, *edges))
        });
    if values || aligned { parts } else { vec![segment] }
}

fn is_aligned(part: &[Placed], (left, right): (f32, f32)) -> bool {
    let area = rows::around(part);
    let slack = 0.4 * part.iter().map(|placed| placed.size).fold(0.0, f32::max);
    let middle = f32::midpoint(area.left, area.right) - f32::midpoint(left, right);
    (area.left - left).abs() <= slack
        || (area.right - right).abs() <= slack
        || middle.abs() <= slack
}

/// Strips that all rows but `crossing` leave free, wide enough to be no chance: the fewer rows, the wider.
fn free_strips(rows: &[Vec<Gutter>], crossing: usize, size: f32) -> Vec<Gutter> {
    let mut edges: Vec<(f32, i32)> = Vec::with_capacity(rows.len() * 16);
    for row in rows {
        for (from, to) in merged(row) {
            edges.push((from, 1));
            edges.push((to, -1));
        }
    }
    edges.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)));
    // Each strip with its core: the widest part of it that the fewest rows cross.
    let mut strips: Vec<(Gutter, (usize, Gutter))> = Vec::new();
    let mut depth = 0_usize;
    let mut open: Option<(Gutter, (usize, Gutter))> = None;
    let mut last = f32::NEG_INFINITY;
    for (at, change) in edges {
        if let Some((strip, (lowest, core))) = &mut open
            && at > last
        {
            strip.1 = at;
            let wider = at - last > core.1 - core.0;
            if depth < *lowest || depth == *lowest && wider {
                (*lowest, *core) = (depth, (last, at));
            }
        }
        last = at;
        let was_free = depth <= crossing;
        depth = depth.saturating_add_signed(change as isize);
        match (was_free, depth <= crossing) {
            (true, false) => strips.extend(open.take()),
            (false, true) => open = Some(((at, at), (usize::MAX, (at, at)))),
            _ => {}
        }
    }
    strips.retain(|(strip, _)| {
        let support = rows.iter().filter(|row| has_both_sides(row, *strip)).count();
        let needed = match support {
            0 | 1 => f32::INFINITY,
            2 => 1.0,
            3 => 0.8,
            4 | 5 => 0.55,
            _ => 0.3,
        };
        strip.1 - strip.0 >= needed * size
    });
    strips.into_iter().map(|(_, (_, core))| core).collect()
}

fn has_both_sides(row: &[Gutter], (from, to): Gutter) -> bool {
    let slack = 0.1;
    row.iter().any(|(_, right)| *right <= from + slack)
        && row.iter().any(|(left, _)| *left >= to - slack)
}

fn merged(row: &[Gutter]) -> Vec<Gutter> {
    // The words of a row come from left to right already.
    let mut merged: Vec<Gutter> = Vec::with_capacity(row.len());
    for &(from, to) in row {
        match merged.last_mut() {
            Some(last) if from <= last.1 => last.1 = last.1.max(to),
            _ => merged.push((from, to)),
        }
    }
    merged
}
