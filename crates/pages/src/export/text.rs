//! Plain text.

use super::{cell_words, grid, lines_without_block};
use crate::{BlockKind, Line, Page, Table};

/// Appends the page's text: one line for each line, an empty line between blocks, a tab between cells.
pub fn text(page: &Page, to: &mut String) {
    for block in &page.blocks {
        match block.kind {
            BlockKind::Table { table } => match page.tables.get(table as usize) {
                Some(table) => table_text(page, table, to),
                None => lines_text(page, block.lines.of(&page.lines), "", to),
            },
            BlockKind::ListItem { depth, number } => {
                to.push_str(&"  ".repeat(usize::from(depth.min(20))));
                match number {
                    Some(number) => to.extend([&number.to_string(), ". "]),
                    None => to.push_str("• "),
                }
                lines_text(page, block.lines.of(&page.lines), "", to);
            }
            _ => lines_text(page, block.lines.of(&page.lines), "", to),
        }
        if !to.is_empty()
            && !to.ends_with("\n\n")
            && !matches!(block.kind, BlockKind::ListItem { .. })
        {
            to.push('\n');
        }
    }
    lines_text(page, lines_without_block(page), "", to);
}

fn lines_text(page: &Page, lines: &[Line], indent: &str, to: &mut String) {
    for line in lines {
        to.push_str(indent);
        to.push_str(&page.text_of(line.words));
        to.push('\n');
    }
}

fn table_text(page: &Page, table: &Table, to: &mut String) {
    for row in grid(table) {
        let mut previous = None;
        for (at, cell) in row.iter().enumerate() {
            if at > 0 {
                to.push('\t');
            }
            // A cell that spans columns is written once.
            if cell.is_some() && *cell != previous {
                to.push_str(&page.text_of(cell_words(table, *cell)));
            }
            previous = *cell;
        }
        to.push('\n');
    }
}
