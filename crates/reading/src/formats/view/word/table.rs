//! Tables of Word files.

use super::styles::{Condition, Edge, ParagraphLook, TableStyle, fill_of, twentieths};
use super::{BlockContext, Word};
use crate::ReadError;
use crate::formats::docx::table::{cells, rows};
use crate::formats::view::colour::Colour;
use crate::formats::view::look::RunLook;
use crate::formats::view::markup::Markup;
use crate::formats::view::style::{Style, Unit};
use crate::formats::xml::Element;

/// Columns that a table may have: Word stops at 63.
const MAX_COLUMNS: u32 = 200;

/// Borders and margins of all cells of a table.
#[derive(Clone, Debug, Default)]
pub(super) struct TableLook {
    /// Top, right, bottom, left, and those between rows and between columns.
    edges: [Option<Edge>; 6],
    /// Top, right, bottom, left; in points.
    margins: [Option<f32>; 4],
    cell: CellLook,
}

/// One cell.
#[derive(Clone, Debug, Default)]
pub(super) struct CellLook {
    /// Top, right, bottom, left.
    edges: [Option<Edge>; 4],
    background: Option<Colour>,
    align: Option<&'static str>,
}

impl TableLook {
    pub(super) fn of(table: Option<&Element>, cell: Option<&Element>) -> Self {
        let borders = table.and_then(|table| table.child("tblBorders"));
        let edge = |names: &[&str]| names.iter().find_map(|name| Edge::of(borders?.child(name)?));
        Self {
            edges: [
                edge(&["top"]),
                edge(&["right", "end"]),
                edge(&["bottom"]),
                edge(&["left", "start"]),
                edge(&["insideH"]),
                edge(&["insideV"]),
            ],
            margins: margins_of(table.and_then(|table| table.child("tblCellMar"))),
            cell: CellLook::of(cell),
        }
    }

    #[must_use]
    pub(super) fn over(self, under: &Self) -> Self {
        let mut look = self;
        for (edge, under) in look.edges.iter_mut().zip(under.edges) {
            *edge = edge.or(under);
        }
        for (margin, under) in look.margins.iter_mut().zip(under.margins) {
            *margin = margin.or(under);
        }
        look.cell = look.cell.over(&under.cell);
        look
    }
}

fn margins_of(margins: Option<&Element>) -> [Option<f32>; 4] {
    [["top", "top"], ["right", "end"], ["bottom", "bottom"], ["left", "start"]].map(|names| {
        names.iter().find_map(|name| twentieths(margins?.child(name)?.attribute("w")?))
    })
}

impl CellLook {
    pub(super) fn of(properties: Option<&Element>) -> Self {
        let Some(properties) = properties else { return Self::default() };
        let borders = properties.child("tcBorders");
        let edge = |names: [&str; 2]| names.iter().find_map(|name| Edge::of(borders?.child(name)?));
        Self {
            edges: [["top", "top"], ["right", "end"], ["bottom", "bottom"], ["left", "start"]]
                .map(edge),
            background: fill_of(properties),
            align: properties.value("vAlign").and_then(|align| match align {
                "center" => Some("middle"),
                "bottom" => Some("bottom"),
                "top" => Some("top"),
                _ => None,
            }),
        }
    }

    #[must_use]
    pub(super) fn over(self, under: &Self) -> Self {
        let mut look = self;
        for (edge, under) in look.edges.iter_mut().zip(under.edges) {
            *edge = edge.or(under);
        }
        look.background = look.background.or(under.background);
        look.align = look.align.or(under.align);
        look
    }
}

/// A cell and the rows and columns that it covers.
struct Placed<'e> {
    cell: &'e Element,
    row: usize,
    column: u32,
    row_span: usize,
    column_span: u32,
}

/// Which of the conditions of its style a table uses, by their names.
struct Conditions(Vec<&'static str>);

impl Conditions {
    fn of(table: &Element) -> Self {
        let look = table.path(&["tblPr", "tblLook"]);
        let bits = look.and_then(|look| u32::from_str_radix(look.attribute("val")?, 16).ok());
        let is = |name: &str, bit: u32| {
            let named = look.and_then(|look| look.attribute(name));
            named.map_or(bits.is_some_and(|bits| bits & bit != 0), |on| matches!(on, "1" | "true"))
        };
        let all = [
            ("firstRow", is("firstRow", 0x20)),
            ("lastRow", is("lastRow", 0x40)),
            ("firstCol", is("firstColumn", 0x80)),
            ("lastCol", is("lastColumn", 0x100)),
            ("bands", look.is_some() && !is("noHBand", 0x200)),
        ];
        Self(all.into_iter().filter(|(_, is_used)| *is_used).map(|(name, _)| name).collect())
    }

    /// Those that hold for a cell, the strongest first.
    fn of_cell(&self, placed: &Placed, rows: usize, columns: u32) -> Vec<&'static str> {
        let has = |name: &str| self.0.contains(&name);
        let (first, last) = (placed.row == 0, placed.row + placed.row_span >= rows);
        let (left, right) = (placed.column == 0, placed.column + placed.column_span >= columns);
        let band = placed.row.saturating_sub(usize::from(has("firstRow"))) % 2;
        let is_in_band = has("bands") && !(first && has("firstRow")) && !(last && has("lastRow"));
        let all = [
            ("firstRow", first && has("firstRow")),
            ("lastRow", last && has("lastRow")),
            ("firstCol", left && has("firstCol")),
            ("lastCol", right && has("lastCol")),
            ("band1Horz", is_in_band && band == 0),
            ("band2Horz", is_in_band && band == 1),
        ];
        all.into_iter().filter(|(_, holds)| *holds).map(|(name, _)| name).collect()
    }
}

impl Word<'_> {
    pub(super) fn table(
        &mut self,
        table: &Element,
        around: &BlockContext,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        let properties = table.child("tblPr");
        let style = properties.and_then(|properties| properties.value("tblStyle"));
        let style = self.styles.table(style);
        let look = TableLook::of(properties, None).over(&style.look);
        let rows = rows(table);
        let placed = placed(&rows);
        let columns = placed.iter().map(|cell| cell.column + cell.column_span).max().unwrap_or(0);
        let widths: Vec<f32> = table
            .child("tblGrid")
            .into_iter()
            .flat_map(|grid| grid.children("gridCol"))
            .filter_map(|column| twentieths(column.attribute("w")?))
            .take(MAX_COLUMNS as usize)
            .collect();
        markup.open("table", "dk-table", &table_style(properties, &widths));
        if u32::try_from(widths.len()).is_ok_and(|count| count == columns) {
            markup.raw("<colgroup>");
            for width in &widths {
                let mut style = Style::default();
                style.length("width", *width);
                markup.open("col", "", &style);
            }
            markup.raw("</colgroup>");
        }
        let conditions = Conditions::of(table);
        let mut next = placed.iter().peekable();
        for (row, element) in rows.iter().enumerate() {
            let height = element.path(&["trPr", "trHeight"]);
            let height = height.and_then(|height| twentieths(height.attribute("val")?));
            let mut row_style = Style::default();
            if let Some(height) = height {
                row_style.length("height", height.min(800.0));
            }
            markup.open("tr", "", &row_style);
            while let Some(cell) = next.next_if(|cell| cell.row == row) {
                let names = conditions.of_cell(cell, rows.len(), columns);
                let position = (cell, rows.len(), columns);
                self.cell(position, &names, &look, &style, around, markup)?;
            }
            markup.close("tr");
        }
        markup.close("table");
        Ok(())
    }

    fn cell(
        &mut self,
        (placed, rows, columns): (&Placed, usize, u32),
        names: &[&'static str],
        look: &TableLook,
        style: &TableStyle,
        around: &BlockContext,
        markup: &mut Markup,
    ) -> Result<(), ReadError> {
        let conditions: Vec<&Condition> =
            names.iter().filter_map(|name| style.conditions.get(*name)).collect();
        let mut cell = CellLook::of(placed.cell.child("tcPr"));
        let mut run = RunLook::default();
        let mut paragraph = ParagraphLook::default();
        for condition in conditions {
            cell = cell.over(&condition.cell);
            run = run.over(&condition.run);
            paragraph = paragraph.over(&condition.paragraph);
        }
        let cell = cell.over(&look.cell);
        let outer = [
            placed.row == 0,
            placed.column + placed.column_span >= columns,
            placed.row + placed.row_span >= rows,
            placed.column == 0,
        ];
        let mut css = Style::default();
        let sides = ["border-top", "border-right", "border-bottom", "border-left"];
        for (at, property) in sides.into_iter().enumerate() {
            let inside = if at % 2 == 0 { 4 } else { 5 };
            let is_outer = outer.get(at).copied().unwrap_or(true);
            let table = look.edges.get(if is_outer { at } else { inside }).copied().flatten();
            let own = cell.edges.get(at).copied().flatten();
            if let Some(edge) = own.or(table) {
                edge.write(property, &mut css);
            }
        }
        let own = margins_of(placed.cell.path(&["tcPr", "tcMar"]));
        let paddings = ["padding-top", "padding-right", "padding-bottom", "padding-left"];
        for ((property, own), table) in paddings.into_iter().zip(own).zip(look.margins) {
            if let Some(margin) = own.or(table) {
                css.length(property, margin.clamp(0.0, 200.0));
            }
        }
        if let Some(colour) = cell.background {
            css.colour("background-color", colour);
        }
        if let Some(align) = cell.align {
            css.keyword("vertical-align", align);
        }
        let run = run.over(&style.run);
        css.extend(&run.style(Unit::Points));
        markup.begin("td");
        span(markup, "colspan", u64::from(placed.column_span));
        span(markup, "rowspan", placed.row_span as u64);
        markup.style(&css);
        markup.end();
        let paragraph = paragraph.over(&style.paragraph).over(&around.table_paragraph);
        let context = BlockContext { table_paragraph: paragraph, is_cell: true };
        let mut spacing = super::Spacing::default();
        for child in placed.cell.elements() {
            self.block(child, &context, &mut spacing, markup)?;
        }
        markup.close("td");
        Ok(())
    }
}

fn span(markup: &mut Markup, name: &'static str, span: u64) {
    if span > 1 {
        markup.attribute(name, &span.min(1_000).to_string());
    }
}

fn table_style(properties: Option<&Element>, widths: &[f32]) -> Style {
    let mut style = Style::default();
    let width = properties.and_then(|properties| properties.child("tblW"));
    let number: Option<f32> = width.and_then(|width| width.attribute("w")?.parse().ok());
    match (width.and_then(|width| width.attribute("type")), number) {
        (Some("dxa"), Some(twentieths)) if twentieths > 0.0 => {
            style.length("width", twentieths / 20.0);
        }
        (Some("pct"), Some(share)) if share > 0.0 => {
            style.percent("width", (share / 50.0).clamp(1.0, 100.0));
        }
        _ if !widths.is_empty() => {
            style.length("width", widths.iter().sum());
        }
        _ => {}
    }
    match properties.and_then(|properties| properties.value("jc")) {
        Some("center") => {
            style.keyword("margin-left", "auto").keyword("margin-right", "auto");
        }
        Some("right" | "end") => {
            style.keyword("margin-left", "auto");
        }
        _ => {
            let indent = properties.and_then(|properties| properties.child("tblInd"));
            if let Some(indent) = indent.and_then(|indent| twentieths(indent.attribute("w")?)) {
                style.length("margin-left", indent.clamp(-50.0, 400.0));
            }
        }
    }
    style
}

/// Where each cell is. A cell that goes on in the row below is there once.
fn placed<'e>(rows: &[&'e Element]) -> Vec<Placed<'e>> {
    let mut placed: Vec<Placed> = Vec::new();
    // The cell that is open downwards in each column.
    let mut open: Vec<Option<usize>> = Vec::new();
    for (row, element) in rows.iter().enumerate() {
        let properties = element.child("trPr");
        let skipped = properties.and_then(|properties| properties.value("gridBefore"));
        let mut column: u32 = skipped.and_then(|count| count.parse().ok()).unwrap_or(0);
        for cell in cells(element) {
            if column >= MAX_COLUMNS {
                break;
            }
            let properties = cell.child("tcPr");
            let span = properties.and_then(|properties| properties.value("gridSpan"));
            let span = span.and_then(|span| span.parse::<u32>().ok()).unwrap_or(1);
            let column_span = span.clamp(1, MAX_COLUMNS);
            let at = column as usize;
            if open.len() <= at {
                open.resize(at + 1, None);
            }
            let merge = properties.and_then(|properties| properties.child("vMerge"));
            let goes_on = merge.is_some_and(|merge| merge.attribute("val") != Some("restart"));
            let above = open.get(at).copied().flatten();
            match above.and_then(|above| placed.get_mut(above)) {
                Some(above) if goes_on => above.row_span = row + 1 - above.row,
                _ => {
                    if let Some(open) = open.get_mut(at) {
                        *open = Some(placed.len());
                    }
                    placed.push(Placed { cell, row, column, row_span: 1, column_span });
                }
            }
            column += column_span;
        }
    }
    placed
}
