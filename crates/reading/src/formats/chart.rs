//! Charts: the title, and the data as a table.

use std::collections::BTreeMap;

use pages::BlockKind;

use super::xml::Element;
use crate::ReadError;
use crate::flow::{Flow, Grid, GridCell, Text};

/// The limit of points in one series.
const MAX_POINTS: usize = 10_000;

/// Adds the chart to the page: its title as a figure, its series as columns.
pub(super) fn read(tree: &Element, flow: &mut Flow) -> Result<(), ReadError> {
    let Some(chart) = tree.find("chart") else { return Ok(()) };
    flow.block(BlockKind::Figure, &Text::plain(caption(chart)))?;
    flow.table(grid(chart))
}

/// The title and the type of the chart, one line each.
pub(super) fn caption(chart: &Element) -> String {
    let title = chart.child("title").map(text_of).unwrap_or_default();
    let kind = chart
        .path(&["plotArea"])
        .and_then(|area| area.elements().find(|element| element.name.ends_with("Chart")))
        .map(|element| name_of(&element.name))
        .unwrap_or_default();
    let caption = [title, kind].into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>();
    caption.join("\n")
}

/// The series of the chart as columns.
pub(super) fn grid(chart: &Element) -> Grid {
    let mut grid = Grid { header_rows: 1, cells: Vec::new() };
    let mut cell = |row: usize, column: usize, text: String| {
        let place = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let (row, column) = (place(row), place(column));
        grid.cells.push(GridCell { row, column, text: Text::plain(text), ..GridCell::default() });
    };
    for (index, series) in chart.find_all("ser").into_iter().enumerate() {
        let name = series.child("tx").and_then(|name| name.find("v")).map(Element::all_text);
        cell(0, index + 1, name.unwrap_or_default());
        if index == 0 {
            let names = series.child("cat").or_else(|| series.child("xVal"));
            for (at, text) in names.map(points).unwrap_or_default() {
                cell(at + 1, 0, text);
            }
        }
        let values = series.child("val").or_else(|| series.child("yVal"));
        for (at, text) in values.map(points).unwrap_or_default() {
            cell(at + 1, index + 1, text);
        }
    }
    grid
}

/// The cached values of a series, by index.
fn points(values: &Element) -> BTreeMap<usize, String> {
    let mut points = BTreeMap::new();
    for point in values.find_all("pt").into_iter().take(MAX_POINTS) {
        let at = point.number("idx").unwrap_or(0) as usize;
        let value = point.child("v").map(Element::all_text).unwrap_or_default();
        if at < MAX_POINTS {
            points.insert(at, tidy(value));
        }
    }
    points
}

/// `4.2999999999999998` is how 4.3 is stored.
fn tidy(value: String) -> String {
    match value.parse::<f64>() {
        Ok(number) if value.len() > 8 => number.to_string(),
        _ => value,
    }
}

fn text_of(title: &Element) -> String {
    let words: Vec<_> = title.find_all("t").into_iter().map(Element::all_text).collect();
    words.concat().trim().to_owned()
}

/// `bar3DChart` is a bar chart.
fn name_of(element: &str) -> String {
    let kind = element.trim_end_matches("Chart").trim_end_matches("3D");
    let mut letters = kind.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{} chart", first.unwrap_or_default(), letters.as_str())
}
