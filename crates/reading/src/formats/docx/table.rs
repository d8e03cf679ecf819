//! Tables with merged cells. A table with one cell is treated as a frame around its content.

use super::Document;
use super::inline::{Anchored, Inline};
use crate::ReadError;
use crate::flow::{Grid, GridCell, Text};
use crate::formats::xml::Element;

/// The limit of columns; Word allows 63.
const MAX_COLUMNS: u32 = 1_000;

impl Document<'_, '_> {
    pub(super) fn table(&mut self, table: &Element) -> Result<(), ReadError> {
        let rows: Vec<&Element> = rows(table);
        if let [row] = rows.as_slice()
            && let [cell] = cells(row).as_slice()
        {
            return cell.elements().try_for_each(|child| self.block(child));
        }
        let mut grid = Grid { header_rows: header_rows(table, &rows), cells: Vec::new() };
        // The cell in each column that may continue in the next row.
        let mut above: Vec<Option<usize>> = Vec::new();
        for (row, element) in (0..).zip(&rows) {
            self.row(row, element, &mut grid, &mut above);
        }
        self.flow.table(grid)
    }

    fn row(
        &mut self,
        row: u32,
        element: &Element,
        grid: &mut Grid,
        above: &mut Vec<Option<usize>>,
    ) {
        let properties = element.child("trPr");
        let skipped = properties.and_then(|properties| properties.value("gridBefore"));
        let mut column: u32 = skipped.and_then(|skipped| skipped.parse().ok()).unwrap_or(0);
        for cell in cells(element) {
            let properties = cell.child("tcPr");
            let span = properties.and_then(|properties| properties.value("gridSpan"));
            let span = span.and_then(|span| span.parse::<u32>().ok()).unwrap_or(1);
            if column >= MAX_COLUMNS {
                return;
            }
            let span = span.clamp(1, MAX_COLUMNS);
            let at = column as usize;
            if above.len() <= at {
                above.resize(at + 1, None);
            }
            let merge = properties.and_then(|properties| properties.child("vMerge"));
            let goes_on = merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
            match above.get(at).copied().flatten().and_then(|open| grid.cells.get_mut(open)) {
                Some(open) if goes_on => open.row_span = row + 1 - open.row,
                _ => {
                    let text = self.cell_text(cell);
                    if let Some(open) = above.get_mut(at) {
                        *open = Some(grid.cells.len());
                    }
                    grid.cells.push(GridCell { row, column, row_span: 1, column_span: span, text });
                }
            }
            column += span;
        }
    }

    /// The text of a cell: a line per paragraph, and a line per row of a nested table.
    fn cell_text(&mut self, cell: &Element) -> Text {
        let mut text = Text::default();
        for element in cell.elements() {
            match &*element.name {
                "p" => self.cell_paragraph(element, &mut text),
                "tbl" => {
                    for row in rows(element) {
                        let mut line = Text::default();
                        for inner in cells(row) {
                            line.append(&self.cell_text(inner));
                            line.push(" ", pages::Style::default());
                        }
                        text.append_line(&line);
                    }
                }
                "tcPr" => {}
                _ => text.append_line(&self.cell_text(element)),
            }
        }
        text
    }

    fn cell_paragraph(&mut self, element: &Element, text: &mut Text) {
        let properties = element.child("pPr");
        let style = properties.and_then(|properties| properties.value("pStyle"));
        let inline = Inline::of(element, &self.styles, self.styles.characters(style));
        let (_, labelled) = self.kind(properties, style, &inline);
        text.append_line(&labelled);
        for one in &inline.anchored {
            if let Anchored::TextBox(content) = one {
                text.append_line(&self.cell_text(content));
            }
        }
        self.pending_notes.extend(inline.notes);
    }
}

pub(in crate::formats) fn rows(table: &Element) -> Vec<&Element> {
    unwrapped(table, "tr")
}

pub(in crate::formats) fn cells(row: &Element) -> Vec<&Element> {
    unwrapped(row, "tc")
}

/// The children with this name, including those in content controls.
fn unwrapped<'e>(parent: &'e Element, name: &str) -> Vec<&'e Element> {
    let mut found = Vec::new();
    let mut open: Vec<&Element> = parent.elements().rev().collect();
    while let Some(element) = open.pop() {
        if &*element.name == name {
            found.push(element);
        } else if matches!(&*element.name, "sdt" | "sdtContent" | "customXml" | "ins") {
            open.extend(element.elements().rev());
        }
    }
    found
}

fn header_rows(table: &Element, rows: &[&Element]) -> u32 {
    let marked = rows
        .iter()
        .take_while(|row| {
            row.child("trPr").is_some_and(|row| row.switch("tblHeader") == Some(true))
        })
        .count();
    let looks = table.path(&["tblPr", "tblLook"]);
    let first = looks.is_some_and(|looks| {
        let bits = looks.attribute("val").and_then(|bits| u32::from_str_radix(bits, 16).ok());
        looks.attribute("firstRow") == Some("1") || bits.is_some_and(|bits| bits & 0x20 != 0)
    });
    match u32::try_from(marked).unwrap_or(0) {
        0 => u32::from(first && rows.len() > 1),
        marked => marked,
    }
}
