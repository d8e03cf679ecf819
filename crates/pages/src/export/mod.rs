//! Pages as plain text, Markdown and JSON, whatever they were read from.
//!
//! Plain text keeps the lines of the page. Markdown is for programs and people who want the text to
//! flow: lines are joined, words that were parted at the end of a line are mended, and what stands in
//! the margins of every page is left out.

mod json;
mod markdown;
mod text;

pub use json::JsonWriter;
pub use markdown::markdown;
pub use text::text;

use crate::{Line, Page, Span, Table};

/// Whether its lines end where the author ended them, and not where the paper did.
fn lines_are_meant(page: &Page) -> bool {
    page.size.is_none()
}

/// The lines that no block refers to; all of them when nobody has looked for blocks.
fn lines_without_block(page: &Page) -> &[Line] {
    if page.blocks.is_empty() { &page.lines } else { &[] }
}

/// Which cell shows in each place, row by row; a cell that spans places shows in all of them.
///
/// What a broken table says about its size is not believed.
fn places(table: &Table) -> Vec<Vec<Option<usize>>> {
    const MAX_PLACES: usize = 1_000_000;
    let (rows, columns) = (table.rows as usize, table.columns as usize);
    if rows.saturating_mul(columns) > MAX_PLACES.max(table.cells.len().saturating_mul(64)) {
        return sparse_places(table);
    }
    let mut places = vec![vec![None; columns]; rows];
    for (index, cell) in table.cells.iter().enumerate() {
        let down = cell.row as usize..(cell.row.saturating_add(cell.row_span) as usize).min(rows);
        let right = cell.column as usize
            ..(cell.column.saturating_add(cell.column_span) as usize).min(columns);
        for row in places.get_mut(down).unwrap_or_default() {
            row.get_mut(right.clone()).unwrap_or_default().fill(Some(index));
        }
    }
    places
}

/// A table that is nearly all empty: its cells row by row, without the places between.
fn sparse_places(table: &Table) -> Vec<Vec<Option<usize>>> {
    let mut places: Vec<Vec<Option<usize>>> = Vec::new();
    let mut row = None;
    for (index, cell) in table.cells.iter().enumerate() {
        if row != Some(cell.row) {
            row = Some(cell.row);
            places.push(Vec::new());
        }
        if let Some(last) = places.last_mut() {
            last.push(Some(index));
        }
    }
    let columns = places.iter().map(Vec::len).max().unwrap_or(0);
    for row in &mut places {
        row.resize(columns, None);
    }
    places
}

/// The words of a cell.
fn cell_words(table: &Table, cell: Option<usize>) -> Span {
    cell.and_then(|index| table.cells.get(index)).map(|cell| cell.words).unwrap_or_default()
}
