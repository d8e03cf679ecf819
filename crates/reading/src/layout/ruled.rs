//! Tables with ruled lines.
//!
//! Lines that touch form a net, which divides the page into boxes; boxes without a line between them are one cell. Many
//! tables draw only some of their lines: a band with several rows of text is divided by its text rows, and a column by
//! its gutters.

use pages::{Area, Word};

use super::grid::{Extent, Grid, slot};
use super::rows::{self, Row};
use super::rules::{self, Rules};
use super::table::{self, Found, FoundCell};
use super::{Placed, gutters};

pub(crate) fn find(rules: &Rules, placed: &[Placed], words: &[Word]) -> Vec<Found> {
    rules::nets(rules).into_iter().filter_map(|net| Grid::of(&net)?.fill(placed, words)).collect()
}

impl Grid {
    fn fill(mut self, placed: &[Placed], words: &[Word]) -> Option<Found> {
        let (columns, last_x, last_y) = (self.xs.len() - 1, self.xs.last()?, self.ys.last()?);
        let area = Area {
            left: *self.xs.first()?,
            top: *self.ys.first()?,
            right: *last_x,
            bottom: *last_y,
        };
        let mut inside: Vec<Vec<Placed>> = vec![Vec::new(); self.cells.len()];
        for word in placed {
            let x = f32::midpoint(word.area.left, word.area.right);
            let y = f32::midpoint(word.area.top, word.area.bottom);
            let (Some(row), Some(column)) = (slot(&self.ys, y), slot(&self.xs, x)) else {
                continue;
            };
            inside[self.owner[row * columns + column]].push(*word);
        }
        let filled = inside.iter().filter(|cell| !cell.is_empty()).count();
        let total: usize = inside.iter().map(Vec::len).sum();
        let most = inside.iter().map(Vec::len).max().unwrap_or(0);
        let sparse = filled * 6 < self.cells.len();
        if filled < 2 || sparse || (total > 60 && most * 10 > total * 7) {
            return None;
        }
        let inside = self.part_wide_cells(inside);
        let inside = self.part_tall_cells(inside);
        let strips = self.cut_columns(&inside);
        let bands = self.cut_bands(&inside, &strips, words);
        let cells = self.cells_of(&inside, &bands, &strips, words);
        table::tidy(cells, area, words)
    }

    /// Some tables draw verticals in the heading alone. A broad cell falls apart at the borders of the
    /// columns that lie in a gap of its text.
    fn part_wide_cells(&mut self, inside: Vec<Vec<Placed>>) -> Vec<Vec<Placed>> {
        let mut parted = Vec::with_capacity(inside.len());
        for (cell, words) in std::mem::take(&mut self.cells).into_iter().zip(inside) {
            let rows = rows::of(&words);
            let mut left = cell.left;
            for end in cell.left + 1..=cell.right {
                if end < cell.right && !is_in_a_gap(&rows, self.xs[end]) {
                    continue;
                }
                let (from, to) = (self.xs[left], self.xs[end]);
                let own = words.iter().copied().filter(|word| {
                    let x = f32::midpoint(word.area.left, word.area.right);
                    (x > from || left == cell.left) && (x <= to || end == cell.right)
                });
                parted.push(own.collect());
                self.cells.push(Extent { left, right: end, ..cell });
                left = end;
            }
        }
        parted
    }

    /// A tall cell beside cells of single bands falls apart at a border where its text leaves a gap.
    fn part_tall_cells(&mut self, inside: Vec<Vec<Placed>>) -> Vec<Vec<Placed>> {
        let mut parted = Vec::with_capacity(inside.len());
        for (cell, words) in std::mem::take(&mut self.cells).into_iter().zip(inside) {
            let rows = rows::of(&words);
            let is_free = |border: f32| {
                rows.windows(2).any(|pair| match pair {
                    [upper, lower] => {
                        lower.area.top - upper.area.bottom > 0.6 * upper.size()
                            && border > upper.area.bottom - 3.0
                            && border < lower.area.top + 3.0
                    }
                    _ => false,
                })
            };
            let mut top = cell.top;
            for end in cell.top + 1..=cell.bottom {
                if end < cell.bottom && !is_free(self.ys[end]) {
                    continue;
                }
                let (from, to) = (self.ys[top], self.ys[end]);
                let own = words.iter().copied().filter(|word| {
                    let y = f32::midpoint(word.area.top, word.area.bottom);
                    (y > from || top == cell.top) && (y <= to || end == cell.bottom)
                });
                parted.push(own.collect());
                self.cells.push(Extent { top, bottom: end, ..cell });
                top = end;
            }
        }
        parted
    }

    /// Where each band is cut into rows of text: the heights, from top to bottom. Whoever draws a line
    /// below each row means it, so only a band with a good part of all text is cut.
    fn cut_bands(
        &self,
        inside: &[Vec<Placed>],
        strips: &[Vec<f32>],
        text: &[Word],
    ) -> Vec<Vec<f32>> {
        let own = |band: usize| {
            self.cells.iter().zip(inside).filter(move |(cell, words)| {
                cell.top == band && cell.bottom == band + 1 && !words.is_empty()
            })
        };
        let bands: Vec<Vec<Row>> = (0..self.ys.len() - 1)
            .map(|band| {
                let words = own(band).flat_map(|(_, words)| words.iter().copied());
                rows::of(&words.collect::<Vec<_>>())
            })
            .collect();
        let all: usize = bands.iter().map(Vec::len).sum();
        bands
            .iter()
            .enumerate()
            .map(|(band, rows)| {
                let tall = own(band).filter(|(_, words)| rows::of(words).len() > 1).count();
                let cuttable = rows.len() * 3 >= all && tall >= 2;
                let is_cut = |upper: &Row, lower: &Row| {
                    if spans_differ(upper, lower, strips) {
                        return true;
                    }
                    if !cuttable {
                        return false;
                    }
                    let vote = |(cell, _): (&Extent, &Vec<Placed>)| {
                        let edges = (self.xs[cell.left], self.xs[cell.right]);
                        vote((upper, lower), edges, text)
                    };
                    let apart = lower.area.top - upper.area.bottom > 0.6 * upper.size();
                    apart || own(band).map(vote).sum::<i32>() > 0
                };
                let pairs = rows.windows(2).filter_map(|pair| match pair {
                    [upper, lower] if is_cut(upper, lower) => {
                        Some(f32::midpoint(upper.area.bottom, lower.area.top))
                    }
                    _ => None,
                });
                pairs.collect()
            })
            .collect()
    }

    /// Where each column is cut by gutters: the places, from left to right.
    fn cut_columns(&self, inside: &[Vec<Placed>]) -> Vec<Vec<f32>> {
        (0..self.xs.len() - 1)
            .map(|column| {
                let own: Vec<Placed> = self
                    .cells
                    .iter()
                    .zip(inside)
                    .filter(|(cell, _)| cell.left == column && cell.right == column + 1)
                    .flat_map(|(_, words)| words.iter().copied())
                    .collect();
                let rows = rows::of(&own);
                let rows: Vec<&Row> = rows.iter().collect();
                if rows.len() < 4 {
                    return Vec::new();
                }
                let found = gutters::find(&rows);
                found
                    .iter()
                    .filter(|gutter| is_deep(&rows, **gutter))
                    .map(|(a, b)| f32::midpoint(*a, *b))
                    .collect()
            })
            .collect()
    }

    fn cells_of(
        &self,
        inside: &[Vec<Placed>],
        bands: &[Vec<f32>],
        strips: &[Vec<f32>],
        text: &[Word],
    ) -> Vec<(FoundCell, Vec<Placed>)> {
        let row_at = starts(bands);
        let column_at = starts(strips);
        let mut cells = Vec::new();
        for (cell, words) in self.cells.iter().zip(inside) {
            let (row, column) = (row_at[cell.top], column_at[cell.left]);
            let (row_end, column_end) = (row_at[cell.bottom], column_at[cell.right]);
            let cut_rows = cell.bottom == cell.top + 1 && row_end > row + 1;
            let cut_columns = cell.right == cell.left + 1 && column_end > column + 1;
            let whole = FoundCell {
                row,
                column,
                row_span: row_end - row,
                column_span: column_end - column,
                words: Vec::new(),
            };
            if !cut_rows && !cut_columns {
                cells.push((whole, words.clone()));
                continue;
            }
            let bands = if cut_rows { bands[cell.top].as_slice() } else { &[] };
            let strips = if cut_columns { strips[cell.left].as_slice() } else { &[] };
            cells.extend(cut_cell(&whole, words, (bands, strips), text));
        }
        cells
    }
}

/// Cuts one cell's words at heights and places; a segment that lies across a place spans it.
fn cut_cell(
    whole: &FoundCell,
    words: &[Placed],
    (bands, strips): (&[f32], &[f32]),
    text: &[Word],
) -> Vec<(FoundCell, Vec<Placed>)> {
    let mut parts: std::collections::BTreeMap<(usize, usize, usize), Vec<Placed>> =
        std::collections::BTreeMap::new();
    let gutters: Vec<gutters::Gutter> = strips.iter().map(|x| (*x, *x)).collect();
    for row in rows::of(words) {
        let y = f32::midpoint(row.area.top, row.area.bottom);
        let band = bands.iter().filter(|cut| **cut < y).count();
        let segments = row.segments(gutters::SEGMENT_GAP);
        let pieces =
            segments.into_iter().flat_map(|segment| gutters::parted(segment, &gutters, None, text));
        for segment in pieces {
            let spans = gutters::crossed(segment, &gutters);
            let left = segment.first().map_or(0.0, |word| word.area.left);
            let right = segment.last().map_or(left, |word| word.area.right);
            let begin = if spans == 0 { f32::midpoint(left, right) } else { left };
            let strip = strips.iter().filter(|cut| **cut <= begin).count();
            parts.entry((band, strip, spans)).or_default().extend_from_slice(segment);
        }
    }
    parts
        .into_iter()
        .map(|((band, strip, spans), words)| {
            let cell = FoundCell {
                row: whole.row + band,
                column: whole.column + strip,
                row_span: if bands.is_empty() { whole.row_span } else { 1 },
                column_span: if strips.is_empty() { whole.column_span } else { spans + 1 },
                words: Vec::new(),
            };
            (cell, words)
        })
        .collect()
}

/// For parting two rows of text within one cell (positive) or against.
fn vote((upper, lower): (&Row, &Row), edges: (f32, f32), text: &[Word]) -> i32 {
    let of = |row: &Row| -> Vec<Placed> {
        let within = |word: &Placed| {
            let x = f32::midpoint(word.area.left, word.area.right);
            edges.0 < x && x <= edges.1
        };
        row.words.iter().copied().filter(within).collect()
    };
    let (above, below) = (of(upper), of(lower));
    if above.is_empty() || below.is_empty() {
        return 0;
    }
    if table::is_value(&above, text) && table::is_value(&below, text) {
        return 2;
    }
    // A cell has a little room of its own at both sides.
    if !table::ends_in_colon(&above, text)
        && table::was_wrapped(&above, &below, edges.0 + 4.0, edges.1 - 4.0)
    {
        -2
    } else {
        1
    }
}

/// No segment lies across, and some row has one on either side.
fn is_in_a_gap(rows: &[Row], x: f32) -> bool {
    let segments = |row: &Row| {
        let (mut before, mut after) = (false, false);
        for segment in row.segments(gutters::SEGMENT_GAP) {
            if gutters::crossed(segment, &[(x, x)]) > 0 {
                return None;
            }
            let is_before = segment.last().is_some_and(|word| word.area.right <= x);
            before |= is_before;
            after |= !is_before;
        }
        Some(before && after)
    };
    let sides: Option<Vec<bool>> = rows.iter().map(segments).collect();
    sides.is_some_and(|rows| rows.contains(&true))
}

/// A heading over two columns and the headings of these are two rows, whatever is drawn.
fn spans_differ(upper: &Row, lower: &Row, strips: &[Vec<f32>]) -> bool {
    strips.iter().flatten().any(|x| {
        let across = |row: &Row| {
            row.segments(gutters::SEGMENT_GAP)
                .iter()
                .any(|segment| gutters::crossed(segment, &[(*x, *x)]) > 0)
        };
        across(upper) && !across(lower) && has_both_sides(lower, *x)
    })
}

fn has_both_sides(row: &Row, x: f32) -> bool {
    let near = |word: &Placed| (word.area.left - x).abs().min((word.area.right - x).abs()) < 100.0;
    row.words.iter().any(|word| word.area.right <= x && near(word))
        && row.words.iter().any(|word| word.area.left >= x && near(word))
}

/// A gutter within a drawn column must be no accident: most rows have text on both sides.
fn is_deep(rows: &[&Row], gutter: gutters::Gutter) -> bool {
    let both = rows.iter().filter(|row| {
        row.words.iter().any(|word| word.area.right <= gutter.0 + 0.1)
            && row.words.iter().any(|word| word.area.left >= gutter.1 - 0.1)
    });
    both.count() * 10 >= rows.len() * 6
}

/// The number of the first row of each band, and one past the end.
fn starts(cuts: &[Vec<f32>]) -> Vec<usize> {
    let mut at = 0;
    let mut starts = vec![0];
    for cut in cuts {
        at += cut.len() + 1;
        starts.push(at);
    }
    starts
}
