//! Rows: words at the same height. Wide gaps divide a row into *segments*.

use pages::Area;

use super::Placed;

#[derive(Clone, Debug)]
pub(crate) struct Row {
    /// From left to right.
    pub(crate) words: Vec<Placed>,
    pub(crate) area: Area,
}

impl Row {
    /// The segments, whose words are closer than `gap` letter sizes.
    pub(crate) fn segments(&self, gap: f32) -> Vec<&[Placed]> {
        let wide = |a: &Placed, b: &Placed| b.area.left - a.area.right <= gap * a.size.max(b.size);
        self.words.chunk_by(wide).collect()
    }

    /// Whether there is more than one segment.
    pub(crate) fn has_gap(&self, gap: f32) -> bool {
        self.words.windows(2).any(|pair| match pair {
            [a, b] => b.area.left - a.area.right > gap * a.size.max(b.size),
            _ => false,
        })
    }

    /// Are there words far apart that do not stand on one line?
    pub(crate) fn has_uneven_gap(&self) -> bool {
        self.words.windows(2).any(|pair| match pair {
            [a, b] => {
                b.area.left - a.area.right > 1.5 * a.size
                    && (b.area.bottom - a.area.bottom).abs() > 0.2 * a.size
            }
            _ => false,
        })
    }

    pub(crate) fn size(&self) -> f32 {
        median(self.words.iter().map(|placed| placed.size))
    }
}

pub(crate) fn of(words: &[Placed]) -> Vec<Row> {
    let mut sorted = words.to_vec();
    sorted.sort_by(|a, b| middle(&a.area).total_cmp(&middle(&b.area)));
    let mut rows: Vec<(Area, Row)> = Vec::new();
    for placed in sorted {
        // The first words define the height, so that a row does not follow a slanted line.
        match rows.last_mut() {
            Some((core, row)) if share_a_line(core, &placed.area) => {
                row.area = row.area.around(&placed.area);
                if placed.area.height() > core.height() {
                    *core = placed.area;
                }
                row.words.push(placed);
            }
            _ => {
                let mut words = Vec::with_capacity(16);
                words.push(placed);
                rows.push((placed.area, Row { words, area: placed.area }));
            }
        }
    }
    let mut rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    for row in &mut rows {
        row.words.sort_by(|a, b| a.area.left.total_cmp(&b.area.left));
    }
    rows
}

fn share_a_line(a: &Area, b: &Area) -> bool {
    let (low, high) = (a.height().min(b.height()), a.height().max(b.height()));
    let shared = a.bottom.min(b.bottom) - a.top.max(b.top);
    // A drop cap overlaps lines that it does not belong to.
    shared > 0.5 * low && high < 2.5 * low
}

/// The indexes of a row's words as they are read.
pub(crate) fn in_reading_order(row: &[Placed]) -> Vec<usize> {
    let mut words: Vec<usize> = row.iter().map(|placed| placed.word).collect();
    if row.iter().filter(|placed| placed.rtl).count() * 2 > row.len() {
        words.reverse();
    }
    words
}

fn middle(area: &Area) -> f32 {
    f32::midpoint(area.top, area.bottom)
}

pub(crate) fn around(words: &[Placed]) -> Area {
    let mut areas = words.iter().map(|placed| placed.area);
    let first = areas.next().unwrap_or_default();
    areas.fold(first, |all, area| all.around(&area))
}

/// The middle value; 0 of nothing.
pub(crate) fn median(values: impl Iterator<Item = f32>) -> f32 {
    let mut values: Vec<f32> = values.collect();
    if values.is_empty() {
        return 0.0;
    }
    let middle = values.len() / 2;
    *values.select_nth_unstable_by(middle, f32::total_cmp).1
}
