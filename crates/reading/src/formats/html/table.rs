//! Data tables and layout tables: pages and emails use tables without data for their layout.

use pages::{BlockKind, Style};

use super::tree::{Content, Node};
use super::{Walk, is_left_out};
use crate::ReadError;
use crate::flow::{Grid, GridCell, Text};
use crate::formats::text;

/// The limit of a span, as in browsers.
const MAX_SPAN: u32 = 1_000;
const MAX_COLUMNS: usize = 10_000;
const MAX_ROWS: usize = 200_000;

impl Walk<'_, '_> {
    pub(super) fn table(&mut self, node: Node) -> Result<(), ReadError> {
        self.finish_block()?;
        let rows = rows(node);
        if is_layout(node, &rows) {
            for row in rows {
                for cell in cells(row) {
                    self.children(cell)?;
                    self.finish_block()?;
                }
            }
            return Ok(());
        }
        for caption in node.children().filter(|child| child.name() == Some("caption")) {
            let mut text = Text::default();
            collect(caption, Style::default(), &mut text);
            self.flow.block(BlockKind::Paragraph, &text)?;
        }
        self.flow.table(grid(&rows))
    }
}

/// The rows of the table, without those of nested tables.
fn rows(table: Node) -> Vec<Node> {
    let mut rows = Vec::new();
    for child in table.children().filter(|child| !is_left_out(*child)) {
        match child.name() {
            Some("tr") => rows.push(child),
            Some("thead" | "tbody" | "tfoot") => {
                let inner =
                    child.children().filter(|row| row.name() == Some("tr") && !is_left_out(*row));
                rows.extend(inner);
            }
            _ => {}
        }
    }
    rows
}

fn cells(row: Node) -> Vec<Node> {
    row.children()
        .filter(|cell| matches!(cell.name(), Some("td" | "th")) && !is_left_out(*cell))
        .collect()
}

/// Whether the table is used for layout only.
fn is_layout(table: Node, rows: &[Node]) -> bool {
    if matches!(table.attribute("role"), Some("presentation" | "none")) {
        return true;
    }
    let is_named = |node: &Node| matches!(node.name(), Some("th" | "caption" | "thead"));
    if table.children().any(|child| is_named(&child))
        || rows.iter().any(|row| cells(*row).iter().any(is_named))
    {
        return false;
    }
    let columns = rows.iter().map(|row| cells(*row).len()).max().unwrap_or(0);
    let holds_table = table.descendants().skip(1).any(|inner| inner.name() == Some("table"));
    holds_table || columns < 2
}

fn grid(rows: &[Node]) -> Grid {
    let mut grid = Grid::default();
    // The number of further rows that a cell above covers, by column.
    let mut covered: Vec<u32> = Vec::new();
    let mut still_header = true;
    let mut row = 0;
    for node in rows.iter().take(MAX_ROWS) {
        let cells = cells(*node);
        // No cell ends in this row, so browsers give it no height.
        let has_height = cells.is_empty() || cells.iter().any(|cell| span(*cell, "rowspan") == 1);
        still_header &= !cells.is_empty() && cells.iter().all(|cell| cell.name() == Some("th"));
        grid.header_rows += u32::from(still_header && has_height);
        let mut column = 0;
        let mut occupied = covered.clone();
        for rows in &mut covered {
            *rows = rows.saturating_sub(1);
        }
        for cell in cells {
            while occupied.get(column).is_some_and(|rows| *rows > 0) {
                column += 1;
            }
            let (row_span, column_span) = (span(cell, "rowspan"), span(cell, "colspan"));
            if column > MAX_COLUMNS {
                break;
            }
            let end = column + column_span as usize;
            if covered.len() < end {
                covered.resize(end, 0);
                occupied.resize(end, 0);
            }
            covered.get_mut(column..end).unwrap_or_default().fill(row_span - 1);
            let mut text = Text::default();
            collect(cell, Style { bold: cell.name() == Some("th"), ..Style::default() }, &mut text);
            let place = u32::try_from(column).unwrap_or(u32::MAX);
            let row_span = if has_height { row_span } else { row_span - 1 };
            grid.cells.push(GridCell { row, column: place, row_span, column_span, text });
            column = end;
        }
        row += u32::from(has_height);
    }
    let last = row;
    for cell in &mut grid.cells {
        cell.row_span = cell.row_span.min(last.saturating_sub(cell.row)).max(1);
    }
    grid
}

fn span(cell: Node, name: &str) -> u32 {
    let span = cell.attribute(name).and_then(|span| span.trim().parse::<u32>().ok());
    // Zero means: to the end.
    match span.unwrap_or(1) {
        0 => MAX_SPAN,
        span => span.min(MAX_SPAN),
    }
}

/// The text of a cell, a line per block.
fn collect(node: Node, style: Style, to: &mut Text) {
    for child in node.children() {
        match child.content() {
            Content::Text(characters) => {
                let characters = characters.replace(['\n', '\r'], " ");
                to.push(&text::visible(&characters), style);
            }
            Content::Element { .. } if is_left_out(child) => {}
            Content::Element { .. } => match child.name().unwrap_or_default() {
                "br" => to.push("\n", style),
                "img" => to.push(child.attribute("alt").unwrap_or_default(), style),
                "math" => to.push(&super::formula(child), style),
                "input" => to.push(&super::input(child), style),
                "b" | "strong" => collect(child, Style { bold: true, ..style }, to),
                "i" | "em" => collect(child, Style { italic: true, ..style }, to),
                name if super::is_inline(name) => collect(child, style, to),
                "td" | "th" => {
                    collect(child, style, to);
                    to.push(" ", style);
                }
                _ => {
                    to.push("\n", style);
                    collect(child, style, to);
                    to.push("\n", style);
                }
            },
            Content::Nothing => {}
        }
    }
}
