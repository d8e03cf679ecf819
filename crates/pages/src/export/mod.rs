//! Exports pages as plain text, Markdown and JSON, whatever their file type.
//!
//! Plain text keeps the lines of the page. Markdown is flowing text: lines and hyphenated words are joined, and headers
//! and footers are omitted.

mod json;
mod markdown;
mod text;

pub use json::JsonWriter;
pub use markdown::markdown;
pub use text::text;

use crate::{Line, Page, Span, Table};

/// Whether the author ended the lines, and not the width of the page.
fn has_authored_lines(page: &Page) -> bool {
    page.size.is_none()
}

/// The lines without a block: all lines before the layout stage, and none after it.
fn lines_without_block(page: &Page) -> &[Line] {
    if page.blocks.is_empty() { &page.lines } else { &[] }
}

/// The cell at each position of the grid, row by row; a cell with a span is at all its positions.
///
/// The claimed size of a damaged table is not trusted.
fn grid(table: &Table) -> Vec<Vec<Option<usize>>> {
    const MAX_POSITIONS: usize = 1_000_000;
    let (rows, columns) = (table.rows as usize, table.columns as usize);
    if rows.saturating_mul(columns) > MAX_POSITIONS.max(table.cells.len().saturating_mul(64)) {
        return sparse_grid(table);
    }
    let mut grid = vec![vec![None; columns]; rows];
    for (index, cell) in table.cells.iter().enumerate() {
        let down = cell.row as usize..(cell.row.saturating_add(cell.row_span) as usize).min(rows);
        let right = cell.column as usize
            ..(cell.column.saturating_add(cell.column_span) as usize).min(columns);
        for row in grid.get_mut(down).unwrap_or_default() {
            row.get_mut(right.clone()).unwrap_or_default().fill(Some(index));
        }
    }
    grid
}

/// For a table that is nearly empty: its cells row by row, without the empty positions between.
fn sparse_grid(table: &Table) -> Vec<Vec<Option<usize>>> {
    let mut grid: Vec<Vec<Option<usize>>> = Vec::new();
    let mut row = None;
    for (index, cell) in table.cells.iter().enumerate() {
        if row != Some(cell.row) {
            row = Some(cell.row);
            grid.push(Vec::new());
        }
        if let Some(last) = grid.last_mut() {
            last.push(Some(index));
        }
    }
    let columns = grid.iter().map(Vec::len).max().unwrap_or(0);
    for row in &mut grid {
        row.resize(columns, None);
    }
    grid
}

/// The words of a cell.
fn cell_words(table: &Table, cell: Option<usize>) -> Span {
    cell.and_then(|index| table.cells.get(index)).map(|cell| cell.words).unwrap_or_default()
}
