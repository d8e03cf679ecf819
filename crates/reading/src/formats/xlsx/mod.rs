//! Spreadsheets: one page per sheet, with its tables, charts and comments.
//!
//! The text of a cell is its last computed value in its number format. A sheet is read in chunks of [`CHUNK`] cells,
//! which bounds the memory.

mod dates;
mod drawing;
mod number_format;
mod regions;

use std::collections::HashMap;

use pages::BlockKind;

use self::regions::{SheetCell, regions};
use super::named_parts::NamedParts;
use super::package::{Package, Relations};
use super::xml::{Children, Element};
use crate::flow::{Flow, Grid, GridCell, Text};
use crate::{ReadError, Sink, Source};

const CHUNK: usize = 200_000;
/// The size limits of the format.
pub(super) const MAX_ROWS: u32 = 1_048_576;
pub(super) const MAX_COLUMNS: u32 = 16_384;
const MAX_MERGES: usize = 100_000;

/// The rows and columns that a merged cell covers, by its position.
pub(super) type Merges = HashMap<(u32, u32), (u32, u32)>;

pub fn read(source: &Source, sink: &mut dyn Sink) -> Result<(), ReadError> {
    let package = Package::open(source)?;
    let main = package.main_member("xl/workbook.xml")?;
    let relations = package.relations(&main)?;
    let workbook = package.tree(&main)?;
    let mut properties = package.properties();
    let title = properties.remove("title");
    let mut flow = Flow::begin(source, sink, title, properties)?;
    let book = Book::open(&package, &relations, &workbook, source.limits.nesting)?;
    let mut named = NamedParts::new("sheet");
    for sheet in workbook.child("sheets").into_iter().flat_map(|sheets| sheets.children("sheet")) {
        let name = sheet.attribute("name").unwrap_or_default();
        if matches!(sheet.attribute("state"), Some("hidden" | "veryHidden")) {
            flow.remark(format!("The hidden sheet «{name}» was left out."));
            continue;
        }
        let relation = sheet.attribute("id").and_then(|id| relations.get(id));
        let Some(relation) = relation.filter(|relation| package.has(&relation.target)) else {
            named.absent(&format!("«{name}»"), &mut flow);
            continue;
        };
        named.found();
        flow.begin_page(Some(name.to_owned()))?;
        book.sheet(&relation.target, &mut flow)?;
    }
    named.check(&mut flow)?;
    flow.finish()
}

/// The parts of a workbook that all sheets use.
pub(super) struct Book<'p> {
    package: &'p Package<'p>,
    strings: Vec<Box<str>>,
    /// Number format codes, by the style of a cell.
    formats: Vec<String>,
    from_1904: bool,
    authors: HashMap<String, String>,
}

impl<'p> Book<'p> {
    pub(super) fn open(
        package: &'p Package<'p>,
        relations: &Relations,
        workbook: &Element,
        nesting: u32,
    ) -> Result<Self, ReadError> {
        let member = |kind: &str| {
            relations
                .values()
                .find(|relation| relation.kind == kind)
                .map(|relation| relation.target.as_str())
        };
        let strings = member("sharedStrings")
            .map(|name| shared_strings(package, name, nesting))
            .transpose()?;
        let styles = member("styles").map(|name| package.tree(name)).transpose()?;
        let from_1904 =
            workbook.child("workbookPr").and_then(|properties| properties.attribute("date1904"));
        Ok(Self {
            package,
            strings: strings.unwrap_or_default(),
            formats: styles.as_ref().map(formats).unwrap_or_default(),
            from_1904: matches!(from_1904, Some("1" | "true")),
            authors: drawing::authors(package, relations)?,
        })
    }

    fn sheet(&self, member: &str, flow: &mut Flow) -> Result<(), ReadError> {
        let bytes = self.package.member(member)?.unwrap_or_default();
        let merges = merges(&bytes, flow.limits().nesting)?;
        let mut children = Children::new(&bytes, flow.limits().nesting);
        let mut cells = Vec::new();
        let mut next_row = 0;
        let around = |name: &str| matches!(name, "worksheet" | "sheetData");
        while let Some(element) = children.next(around)? {
            if &*element.name == "row" {
                next_row = self.row(&element, next_row, &merges, &mut cells);
            }
            if cells.len() >= CHUNK {
                tables(std::mem::take(&mut cells), flow)?;
            }
            if flow.is_full() {
                return Ok(());
            }
        }
        tables(cells, flow)?;
        let relations: Relations = self.package.relations(member)?;
        drawing::read(self.package, &relations, &self.authors, flow)
    }

    /// Adds the cells of a row; returns the number of the next row, for rows without a number.
    fn row(&self, row: &Element, next: u32, merges: &Merges, cells: &mut Vec<SheetCell>) -> u32 {
        let number = row.number("r").and_then(|number| number.checked_sub(1)).unwrap_or(next);
        let mut next_column = 0;
        for element in row.children("c") {
            let place = element.attribute("r").and_then(place);
            let (row, column) = place.unwrap_or((number, next_column));
            next_column = column + 1;
            if row >= MAX_ROWS || column >= MAX_COLUMNS {
                continue;
            }
            let text = self.shown(element);
            if !text.trim().is_empty() {
                let (row_span, column_span) = merges.get(&(row, column)).copied().unwrap_or((1, 1));
                cells.push(SheetCell { row, column, row_span, column_span, text });
            }
        }
        number.saturating_add(1)
    }

    /// The text that a cell shows.
    pub(super) fn shown(&self, cell: &Element) -> String {
        let value = cell.child("v").map(Element::all_text).unwrap_or_default();
        match cell.attribute("t").unwrap_or("n") {
            "s" => {
                let index: usize = value.trim().parse().unwrap_or(usize::MAX);
                self.strings.get(index).map(ToString::to_string).unwrap_or_default()
            }
            "inlineStr" => cell.child("is").map(rich_text).unwrap_or_default(),
            "b" => if value.trim() == "1" { "TRUE" } else { "FALSE" }.to_owned(),
            "str" | "e" | "d" => value,
            _ => match value.trim().parse::<f64>() {
                Ok(number) => {
                    let style = cell.number("s").unwrap_or(0) as usize;
                    let code = self.formats.get(style).map_or("General", String::as_str);
                    number_format::shown(number, code, self.from_1904)
                }
                Err(_) => value,
            },
        }
    }
}

/// Adds a chunk of cells as tables and single lines.
fn tables(cells: Vec<SheetCell>, flow: &mut Flow) -> Result<(), ReadError> {
    for mut region in regions(cells) {
        region.sort_by_key(|cell| (cell.row, cell.column));
        while let Some(title) = title_of(&region) {
            flow.paragraph(&title)?;
            region.remove(0);
        }
        let (Some(top), Some(left)) =
            (region.first().map(|cell| cell.row), region.iter().map(|cell| cell.column).min())
        else {
            continue;
        };
        if let [only] = region.as_slice() {
            flow.paragraph(&only.text)?;
            continue;
        }
        let first_row = region.iter().take_while(|cell| cell.row == top);
        let names_columns = first_row.clone().all(|cell| cell.text.parse::<f64>().is_err());
        let more = region.last().is_some_and(|cell| cell.row > top);
        let cells = region
            .iter()
            .map(|cell| GridCell {
                row: cell.row - top,
                column: cell.column - left,
                row_span: cell.row_span,
                column_span: cell.column_span,
                text: Text::plain(cell.text.clone()),
            })
            .collect();
        flow.table(Grid { header_rows: u32::from(names_columns && more), cells })?;
    }
    Ok(())
}

/// The title of a table: a single cell in its row, with more than one cell in the next row.
fn title_of(region: &[SheetCell]) -> Option<String> {
    let [first, second, third, ..] = region else { return None };
    let alone = second.row > first.row && third.row == second.row;
    alone.then(|| first.text.clone())
}

fn shared_strings(
    package: &Package,
    member: &str,
    nesting: u32,
) -> Result<Vec<Box<str>>, ReadError> {
    let bytes = package.member(member)?.unwrap_or_default();
    let mut children = Children::new(&bytes, nesting);
    let mut strings = Vec::new();
    while let Some(element) = children.next(|name| name == "sst")? {
        strings.push(rich_text(&element).into());
    }
    Ok(strings)
}

/// The text without the phonetic guides of Japanese characters.
pub(super) fn rich_text(element: &Element) -> String {
    let mut text = String::new();
    for child in element.elements() {
        match &*child.name {
            "t" => text.push_str(&child.all_text()),
            "r" => child.children("t").for_each(|part| text.push_str(&part.all_text())),
            _ => {}
        }
    }
    text
}

/// The number format code of each cell style.
fn formats(styles: &Element) -> Vec<String> {
    let own: HashMap<u32, &str> = styles
        .child("numFmts")
        .into_iter()
        .flat_map(|formats| formats.children("numFmt"))
        .filter_map(|format| Some((format.number("numFmtId")?, format.attribute("formatCode")?)))
        .collect();
    let code = |style: &Element| {
        let id = style.number("numFmtId").unwrap_or(0);
        own.get(&id).map_or_else(|| number_format::built_in(id), |code| *code).to_owned()
    };
    styles.child("cellXfs").into_iter().flat_map(|styles| styles.children("xf")).map(code).collect()
}

/// The merged cells of a sheet.
pub(super) fn merges(bytes: &[u8], nesting: u32) -> Result<Merges, ReadError> {
    let mut merges = HashMap::new();
    // The file stores them after the cells, but they are needed first.
    let cells_end = bytes.windows(10).rposition(|window| window == b"sheetData>").unwrap_or(0);
    let rest = bytes.get(cells_end..).unwrap_or_default();
    let Some(at) = rest.windows(10).position(|window| window == b"mergeCells") else {
        return Ok(merges);
    };
    let before = rest.get(..at).unwrap_or_default();
    let from = cells_end + before.iter().rposition(|byte| *byte == b'<').unwrap_or(at);
    let mut children = Children::new(bytes.get(from..).unwrap_or_default(), nesting);
    while let Some(element) = children.next(|name| name == "mergeCells")? {
        if &*element.name != "mergeCell" || merges.len() >= MAX_MERGES {
            break;
        }
        let range = element.attribute("ref").and_then(|range| range.split_once(':'));
        if let Some((from, to)) = range.and_then(|(from, to)| Some((place(from)?, place(to)?))) {
            let span = |from: u32, to: u32| to.saturating_sub(from) + 1;
            merges.insert(from, (span(from.0, to.0), span(from.1, to.1)));
        }
    }
    Ok(merges)
}

/// The row and column of a reference such as `C12`, counted from 0.
pub(super) fn place(name: &str) -> Option<(u32, u32)> {
    let name = name.replace('$', "");
    let letters = name.find(|c: char| c.is_ascii_digit())?;
    let (letters, digits) = name.split_at_checked(letters)?;
    let mut column: u32 = 0;
    for letter in letters.bytes() {
        let value = u32::from(letter.to_ascii_uppercase().checked_sub(b'A')?) + 1;
        column = column.checked_mul(26)?.checked_add(value)?;
    }
    Some((digits.parse::<u32>().ok()?.checked_sub(1)?, column.checked_sub(1)?))
}

/// Adds a comment.
fn quote(flow: &mut Flow, text: &str) -> Result<(), ReadError> {
    flow.block(BlockKind::Quote, &Text::plain(text))
}
