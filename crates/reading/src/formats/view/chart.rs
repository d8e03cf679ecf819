//! Charts: the title, and the figures as a table. They are not drawn.

use std::collections::BTreeMap;

use super::markup::Markup;
use super::style::Style;
use crate::formats::chart::{caption, grid};
use crate::formats::xml::Element;

/// Rows of figures that are shown.
const MAX_ROWS: u32 = 200;

pub(super) fn write(tree: &Element, markup: &mut Markup) {
    let Some(chart) = tree.find("chart") else { return };
    markup.open("div", "dk-chart", &Style::default());
    markup.raw("<div class=\"dk-caption\">");
    markup.text(&caption(chart));
    markup.raw("</div><table>");
    let mut rows: BTreeMap<u32, BTreeMap<u32, String>> = BTreeMap::new();
    let grid = grid(chart);
    let columns = grid.cells.iter().map(|cell| cell.column + 1).max().unwrap_or(0).min(50);
    for cell in grid.cells {
        rows.entry(cell.row).or_default().insert(cell.column, cell.text.as_str().to_owned());
    }
    for cells in rows.values().take(MAX_ROWS as usize) {
        markup.raw("<tr>");
        for column in 0..columns {
            markup.raw("<td>");
            markup.text(cells.get(&column).map_or("", String::as_str));
            markup.raw("</td>");
        }
        markup.raw("</tr>");
    }
    markup.raw("</table></div>");
}
