//! Pictures of text become words.

pub mod consensus;
pub mod pp;
pub mod tesseract;

use crate::model::{Area, Word};

/// Rows from top to bottom, each from left to right. Stretches of text stand in one row when they share half
/// of their height.
pub(crate) fn reading_order(mut stretches: Vec<(Area, Vec<Word>)>) -> Vec<Word> {
    let middle = |area: &Area| (area.top + area.bottom) / 2.0;
    stretches.sort_by(|a, b| middle(&a.0).total_cmp(&middle(&b.0)));
    let mut rows: Vec<(Area, Vec<(f32, Vec<Word>)>)> = Vec::new();
    for (area, words) in stretches {
        let is_beside = |row: &Area| {
            let shared = row.bottom.min(area.bottom) - row.top.max(area.top);
            shared > 0.5 * row.height().min(area.height())
        };
        match rows.last_mut() {
            Some((row, members)) if is_beside(row) => members.push((area.left, words)),
            _ => rows.push((area, vec![(area.left, words)])),
        }
    }
    for (_, members) in &mut rows {
        members.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    rows.into_iter().flat_map(|(_, members)| members).flat_map(|(_, words)| words).collect()
}
