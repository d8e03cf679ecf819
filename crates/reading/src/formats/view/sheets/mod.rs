//! Spreadsheets: a tab for each sheet, with a grid of cells as a spreadsheet program shows it.
//!
//! Tabs need no script: they lead to a place in the view, and a sheet is shown while it is that place.

mod cells;
mod overlay;

use std::collections::{BTreeMap, HashMap, HashSet};

use self::cells::CellStyles;
use super::colour::Theme;
use super::images::Images;
use super::markup::Markup;
use super::style::Style;
use crate::formats::package::Package;
use crate::formats::xlsx::{self, Book};
use crate::formats::xml::{Children, Element};
use crate::{ReadError, Source};

/// Rows and columns of one sheet, and cells of all sheets, that are shown.
const MAX_ROWS: u32 = 2_000;
const MAX_COLUMNS: u32 = 100;
const MAX_CELLS: usize = 150_000;
const MAX_SHEETS: usize = 100;
/// Cells that lie under merged ones.
const MAX_COVERED: usize = 300_000;
/// Of the row with the letters, and of the column with the numbers; in points.
const HEAD_HEIGHT: f32 = 15.0;
const HEAD_WIDTH: f32 = 30.0;
/// A column is as wide as so many digits, which are so wide.
const DIGIT_WIDTH: f32 = 5.25;
const USUAL_WIDTH: f32 = 48.0;
const USUAL_HEIGHT: f32 = 15.0;

pub(super) fn render(
    source: &Source<'_>,
    images: &mut Images,
    markup: &mut Markup,
) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("xl/workbook.xml")?;
    let relations = package.relations(&main)?;
    let workbook = package.tree(&main)?;
    let nesting = source.limits.nesting;
    let book = Book::open(&package, &relations, &workbook, nesting)?;
    let theme = Theme::load(&package, &relations)?;
    let styles = relations.values().find(|relation| relation.kind == "styles");
    let styles = styles.map(|relation| package.tree(&relation.target)).transpose()?;
    let mut styles = CellStyles::new(&styles.unwrap_or_default(), &theme);
    let is_shown =
        |sheet: &&Element| !matches!(sheet.attribute("state"), Some("hidden" | "veryHidden"));
    let sheets: Vec<(&str, &str)> = workbook
        .child("sheets")
        .into_iter()
        .flat_map(|sheets| sheets.children("sheet"))
        .filter(is_shown)
        .filter_map(|sheet| {
            let relation = relations.get(sheet.attribute("id")?)?;
            let is_there = package.has(&relation.target);
            is_there.then(|| (sheet.attribute("name").unwrap_or_default(), &*relation.target))
        })
        .take(MAX_SHEETS)
        .collect();
    let mut room = MAX_CELLS;
    for (number, (name, member)) in (1_u32..).zip(&sheets) {
        if markup.is_full() {
            break;
        }
        markup.begin("section");
        markup.attribute("class", "dk-worksheet");
        markup.attribute("id", &format!("page-{number}"));
        markup.attribute("aria-label", name);
        markup.end();
        let grid = Grid::read(&package, member, &book, nesting, &mut room)?;
        grid.write(&mut styles, markup);
        let relations = package.relations(member)?;
        overlay::write(&package, &relations, &grid, &theme, images, markup)?;
        // The grid is open until what lies over it is written.
        markup.raw("</div>");
        grid.write_notes(markup);
        markup.close("section");
    }
    write_tabs(&sheets, markup);
    markup.sheet(&styles.rules());
    Ok(())
}

fn write_tabs(sheets: &[(&str, &str)], markup: &mut Markup) {
    markup.raw("<nav class=\"dk-tabs\" aria-label=\"Sheets\">");
    let mut rules = String::new();
    for (number, (name, _)) in (1..).zip(sheets) {
        markup.begin("a");
        markup.attribute("href", &format!("#page-{number}"));
        markup.end();
        markup.text(name);
        markup.close("a");
        let own = format!("body:has(#page-{number}:target) .dk-tabs a:nth-child({number})");
        rules.push_str(&own);
        rules.push_str("{background:#fff;font-weight:600}");
    }
    markup.raw("</nav>");
    markup.sheet(&rules);
}

/// What is shown of a sheet.
pub(super) struct Grid {
    rows: BTreeMap<u32, Row>,
    /// In points; 0 when it is hidden.
    widths: HashMap<u32, f32>,
    usual_width: f32,
    usual_height: f32,
    columns: u32,
    merges: xlsx::Merges,
    comments: HashMap<(u32, u32), String>,
    has_lines: bool,
    is_cut: bool,
    /// What the file says about its last row.
    last_row: Option<u32>,
}

#[derive(Default)]
struct Row {
    height: Option<f32>,
    is_hidden: bool,
    cells: BTreeMap<u32, Cell>,
}

struct Cell {
    text: String,
    style: u32,
    kind: Kind,
}

/// The type of a value, which decides the default alignment.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Text,
    Number,
    Mark,
}

impl Grid {
    fn read(
        package: &Package,
        member: &str,
        book: &Book,
        nesting: u32,
        room: &mut usize,
    ) -> Result<Self, ReadError> {
        let bytes = package.member(member)?.unwrap_or_default();
        let mut grid = Self {
            rows: BTreeMap::new(),
            widths: HashMap::new(),
            usual_width: USUAL_WIDTH,
            usual_height: USUAL_HEIGHT,
            columns: 0,
            merges: xlsx::merges(&bytes, nesting)?,
            comments: overlay::comments(package, &package.relations(member)?)?,
            has_lines: true,
            is_cut: false,
            last_row: None,
        };
        let mut children = Children::new(&bytes, nesting);
        let mut next_row = 0;
        while let Some(element) = children.next(|name| matches!(name, "worksheet" | "sheetData"))? {
            match &*element.name {
                "row" => {
                    let number = element.number("r").and_then(|number| number.checked_sub(1));
                    let number = number.unwrap_or(next_row);
                    next_row = number.saturating_add(1);
                    if number >= MAX_ROWS || *room == 0 {
                        // Programs write rows without values, down to the last row that there can be.
                        if has_values(&element) {
                            grid.is_cut = true;
                            break;
                        }
                        continue;
                    }
                    let row = grid.row(&element, number, book, room);
                    grid.rows.insert(number, row);
                }
                "cols" => grid.set_widths(&element),
                "sheetFormatPr" => {
                    let number = |name| element.attribute(name)?.parse::<f32>().ok();
                    let height: Option<f32> = number("defaultRowHeight");
                    grid.usual_height = height.unwrap_or(USUAL_HEIGHT).clamp(4.0, 400.0);
                    if let Some(width) = number("defaultColWidth") {
                        grid.usual_width = (width * DIGIT_WIDTH).clamp(4.0, 1_000.0);
                    }
                }
                "sheetViews" => {
                    let view = element.child("sheetView");
                    let lines = view.and_then(|view| view.attribute("showGridLines"));
                    grid.has_lines = !matches!(lines, Some("0" | "false"));
                }
                "dimension" => {
                    let range = element.attribute("ref").unwrap_or_default();
                    let end = range.split_once(':').map_or(range, |(_, end)| end);
                    grid.last_row = xlsx::place(end).map(|(row, _)| row + 1);
                }
                _ => {}
            }
        }
        for ((row, column), (_, columns)) in &grid.merges {
            if *row < MAX_ROWS && *column < MAX_COLUMNS && grid.rows.contains_key(row) {
                let end = column.saturating_add(*columns).min(MAX_COLUMNS);
                grid.columns = grid.columns.max(end);
            }
        }
        Ok(grid)
    }

    fn set_widths(&mut self, columns: &Element) {
        for column in columns.children("col") {
            let (Some(from), Some(to)) = (column.number("min"), column.number("max")) else {
                continue;
            };
            let width = column.attribute("width").and_then(|width| width.parse::<f32>().ok());
            let is_hidden = matches!(column.attribute("hidden"), Some("1" | "true"));
            let width = width.map_or(self.usual_width, |width| width * DIGIT_WIDTH);
            let width = if is_hidden { 0.0 } else { width.clamp(0.0, 1_000.0) };
            for number in from.max(1)..=to.min(MAX_COLUMNS) {
                self.widths.insert(number - 1, width);
            }
        }
    }

    fn row(&mut self, element: &Element, number: u32, book: &Book, room: &mut usize) -> Row {
        let height = element.attribute("ht").and_then(|height| height.parse::<f32>().ok());
        let mut row = Row {
            height: height.map(|height| height.clamp(0.0, 600.0)),
            is_hidden: matches!(element.attribute("hidden"), Some("1" | "true")),
            cells: BTreeMap::new(),
        };
        let mut next_column = 0;
        for cell in element.children("c") {
            let place = cell.attribute("r").and_then(xlsx::place);
            let column = place.map_or(next_column, |(_, column)| column);
            next_column = column.saturating_add(1);
            if column >= MAX_COLUMNS {
                self.is_cut = true;
                break;
            }
            let Some(left) = room.checked_sub(1) else { break };
            *room = left;
            let kind = match cell.attribute("t").unwrap_or("n") {
                "n" | "d" => Kind::Number,
                "b" | "e" => Kind::Mark,
                _ => Kind::Text,
            };
            let (text, style) = (book.shown(cell), cell.number("s").unwrap_or(0));
            // Empty cells may have a colour or a border, which do not make the sheet larger.
            let is_seen = !text.is_empty() || self.comments.contains_key(&(number, column));
            if is_seen {
                self.columns = self.columns.max(column + 1);
            }
            row.cells.insert(column, Cell { text, style, kind });
        }
        row
    }

    fn width(&self, column: u32) -> f32 {
        self.widths.get(&column).copied().unwrap_or(self.usual_width)
    }

    fn height(&self, row: u32) -> f32 {
        match self.rows.get(&row) {
            Some(row) if row.is_hidden => 0.0,
            Some(row) => row.height.unwrap_or(self.usual_height),
            None => self.usual_height,
        }
    }

    /// From the corner of the grid to the corner of a cell, in points.
    fn corner(&self, row: u32, column: u32) -> (f32, f32) {
        let left: f32 = (0..column.min(MAX_COLUMNS)).map(|column| self.width(column)).sum();
        let top: f32 = (0..row.min(MAX_ROWS)).map(|row| self.height(row)).sum();
        (HEAD_WIDTH + left, HEAD_HEIGHT + top)
    }

    /// Shows some empty cells beside and below what there is, as spreadsheet programs do.
    fn shown_columns(&self) -> u32 {
        (self.columns + 2).clamp(8, MAX_COLUMNS)
    }

    /// Opens the grid, which whoever calls it closes.
    fn write(&self, styles: &mut CellStyles, markup: &mut Markup) {
        let columns = self.shown_columns();
        markup.raw("<div class=\"dk-grid\">");
        let mut table = Style::default();
        let width: f32 = (0..columns).map(|column| self.width(column)).sum();
        table.length("width", width + HEAD_WIDTH).extend(&styles.usual());
        let class = if self.has_lines { "dk-cells dk-lines" } else { "dk-cells" };
        markup.open("table", class, &table);
        markup.raw("<colgroup>");
        write_width(HEAD_WIDTH, markup);
        for column in 0..columns {
            write_width(self.width(column), markup);
        }
        markup.raw("</colgroup><thead><tr><th></th>");
        for column in 0..columns {
            markup.raw("<th>");
            markup.text(&letters(column));
            markup.raw("</th>");
        }
        markup.raw("</tr></thead><tbody>");
        let filled = |row: &Row| row.cells.values().any(|cell| !cell.text.is_empty());
        let last = self.rows.iter().rev().find(|(_, row)| filled(row)).map_or(0, |(at, _)| at + 1);
        let end = if self.is_cut { last } else { (last + 3).clamp(12, MAX_ROWS) };
        let covered = self.covered(end, columns);
        for number in 0..end {
            if markup.is_full() {
                break;
            }
            self.write_row(number, (end, columns), &covered, styles, markup);
        }
        markup.raw("</tbody></table>");
    }

    fn write_row(
        &self,
        number: u32,
        (end, columns): (u32, u32),
        covered: &HashSet<(u32, u32)>,
        styles: &mut CellStyles,
        markup: &mut Markup,
    ) {
        let row = self.rows.get(&number);
        if row.is_some_and(|row| row.is_hidden) {
            return;
        }
        let mut style = Style::default();
        style.length("height", self.height(number));
        markup.open("tr", "", &style);
        markup.raw("<th>");
        markup.number(number + 1);
        markup.raw("</th>");
        for column in (0..columns).filter(|column| !covered.contains(&(number, *column))) {
            let cell = row.and_then(|row| row.cells.get(&column));
            let merge = self.merges.get(&(number, column));
            let comment = self.comments.get(&(number, column));
            if cell.is_none() && merge.is_none() && comment.is_none() {
                markup.raw("<td></td>");
                continue;
            }
            markup.begin("td");
            let mut class = String::new();
            if let Some(cell) = cell {
                class.push_str(&styles.class(cell.style));
                let beside = row.and_then(|row| row.cells.get(&(column + 1)));
                if beside.is_some_and(|beside| !beside.text.is_empty()) || merge.is_some() {
                    class.push_str(" dk-clip");
                }
                class.push_str(match cell.kind {
                    Kind::Number => " dk-right",
                    Kind::Mark => " dk-centre",
                    Kind::Text => "",
                });
            }
            if comment.is_some() {
                class.push_str(" dk-remark");
            }
            markup.attribute("class", class.trim());
            if let Some((rows, across)) = merge {
                let rows = (*rows).min(end - number).max(1);
                let across = (*across).min(columns - column).max(1);
                markup.attribute("rowspan", &rows.to_string());
                markup.attribute("colspan", &across.to_string());
            }
            if let Some(comment) = comment {
                markup.attribute("title", comment);
            }
            markup.end();
            markup.text(cell.map_or("", |cell| cell.text.as_str()));
            markup.close("td");
        }
        markup.close("tr");
    }

    /// The cells that merged ones cover.
    fn covered(&self, rows: u32, columns: u32) -> HashSet<(u32, u32)> {
        let mut covered = HashSet::new();
        for ((row, column), (down, across)) in &self.merges {
            for under in *row..row.saturating_add(*down).min(rows) {
                for beside in *column..column.saturating_add(*across).min(columns) {
                    if (under, beside) != (*row, *column) {
                        covered.insert((under, beside));
                    }
                    if covered.len() >= MAX_COVERED {
                        return covered;
                    }
                }
            }
        }
        covered
    }

    fn write_notes(&self, markup: &mut Markup) {
        if !self.is_cut {
            return;
        }
        let shown = self.rows.last_key_value().map_or(0, |(row, _)| row + 1);
        markup.raw("<p class=\"dk-note\">Only the first ");
        markup.number(shown);
        markup.raw(" rows");
        if let Some(last) = self.last_row.filter(|last| *last > shown) {
            markup.raw(" of ");
            markup.number(last);
        }
        markup.raw(" and at most ");
        markup.number(MAX_COLUMNS);
        markup.raw(" columns are shown here. Download the original to see all of them.</p>");
    }
}

fn has_values(row: &Element) -> bool {
    row.children("c").any(|cell| cell.child("v").is_some() || cell.child("is").is_some())
}

fn write_width(points: f32, markup: &mut Markup) {
    let mut style = Style::default();
    style.length("width", points);
    markup.open("col", "", &style);
}

/// A, B … Z, AA, AB …
fn letters(column: u32) -> String {
    let mut letters = String::new();
    let mut rest = column + 1;
    while rest > 0 {
        let letter = u8::try_from((rest - 1) % 26).unwrap_or(0);
        letters.insert(0, char::from(b'A' + letter));
        rest = (rest - 1) / 26;
    }
    letters
}

#[cfg(test)]
mod tests {
    use super::letters;

    #[test]
    fn columns_are_called_by_letters() {
        assert_eq!(
            [0, 25, 26, 51, 52, 701, 702].map(letters),
            ["A", "Z", "AA", "AZ", "BA", "ZZ", "AAA"]
        );
    }
}
