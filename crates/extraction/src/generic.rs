//! The document type `generic`: the labelled values of the pages as fields, and the rows of the main table as lines.
//!
//! It has no list of fields. Their names follow from the labels on the page: `Due date:` becomes `due_date`, and the
//! columns of a table are named by its header. Layout found the labels and tables; nothing is scored here.
//!
//! Values without a label that say themselves what they are get the name of their kind: `date`, `amount`, `iban`, `isin`,
//! `vat_id`. The first heading is the `title`. So every document with words has a field.

use std::collections::{BTreeMap, BTreeSet};

use domain::{FieldKind, FieldSource};
use pages::{BlockKind, Page, Span, Table};

use crate::candidates::{Conventions, Found};
use crate::fold::folded_words;
use crate::geometry::View;
use crate::parsed::{Candidate, Parsed, ParsedField};

pub const DOCUMENT_TYPE: &str = "generic";

const MAX_FIELDS: usize = 1_000;
const MAX_ROWS: usize = 10_000;
const MAX_COLUMNS: u32 = 50;
/// The longest name of a field, and the longest value, in characters.
const MAX_NAME: usize = 60;
const MAX_VALUE: usize = 2_000;
/// Log-odds of a value that layout found beside a label, and of a cell.
const SCORE: f32 = 2.0;
/// Log-odds of a value without a label.
const UNLABELLED_SCORE: f32 = 1.0;
/// The most values of one kind without a label.
const MAX_UNLABELLED: usize = 20;
/// The longest title, in characters.
const MAX_TITLE: usize = 200;

/// Collects the fields of a document page by page.
#[derive(Debug, Default)]
pub struct Collector {
    fields: Vec<ParsedField>,
    /// The values of each name, so that a value that every page repeats is one field.
    values: BTreeMap<String, BTreeSet<String>>,
    /// The values of all fields: one without a label is not repeated.
    known: BTreeSet<String>,
    unlabelled: BTreeMap<&'static str, usize>,
    has_title: bool,
    main: Option<OpenTable>,
    /// The table that the last page ended with, which the next page may continue.
    last: Option<OpenTable>,
    conventions: Conventions,
    warnings: Vec<String>,
}

/// The rows of a table that may continue over pages.
#[derive(Clone, Debug)]
struct OpenTable {
    columns: Vec<String>,
    rows: Vec<Vec<ParsedField>>,
    cells: usize,
}

impl Collector {
    pub fn page(&mut self, view: &View<'_>, found: &[Found]) {
        self.conventions.observe(view.page.language.as_deref(), found);
        let typed = Typed::new(found, self.conventions);
        for pair in &view.page.key_values {
            let label = view.page.text_of(pair.key);
            if let Some(candidate) = typed.candidate(view, pair.value) {
                self.field(&label, candidate);
            }
        }
        for table in &view.page.tables {
            self.table(view, table, &typed);
        }
        let covered = covered(view.page);
        self.title(view, &covered);
        self.values_without_label(view, found, covered);
    }

    pub fn finish(mut self) -> Parsed {
        self.close_table();
        Parsed {
            document_type: DOCUMENT_TYPE.to_owned(),
            fields: self.fields,
            lines: self.main.map_or_else(Vec::new, |main| main.rows),
            warnings: self.warnings,
            ..Parsed::default()
        }
    }

    /// Different values with the same label get numbers: `name`, `name_2`.
    fn field(&mut self, label: &str, candidate: Candidate) {
        let Some(name) = name_of(label) else { return };
        if self.fields.len() >= MAX_FIELDS {
            self.warn(format!("Only the first {MAX_FIELDS} labelled values are fields."));
            return;
        }
        let values = self.values.entry(name.clone()).or_default();
        if !values.insert(candidate.value.clone()) {
            return;
        }
        let name = if values.len() == 1 { name } else { format!("{name}_{}", values.len()) };
        // `name_2` may also be a label.
        if self.fields.iter().all(|field| field.name != name) {
            self.known.insert(candidate.value.clone());
            self.fields.push(ParsedField::new(name, vec![candidate]));
        }
    }

    /// The first heading of the document, or its first line of text that is in no table and has no label.
    fn title(&mut self, view: &View<'_>, covered: &[bool]) {
        if self.has_title {
            return;
        }
        let page = view.page;
        let heading = page
            .blocks
            .iter()
            .filter(|block| matches!(block.kind, BlockKind::Heading { .. }))
            .find_map(|block| {
                let lines = block.lines.of(&page.lines);
                Some(Span { from: lines.first()?.words.from, to: lines.last()?.words.to })
            });
        let is_free = |words: &Span| {
            let is_covered = covered.get(words.range()).is_none_or(|own| own.contains(&true));
            !is_covered && page.text_of(*words).chars().any(char::is_alphabetic)
        };
        let line = || page.lines.iter().map(|line| line.words).find(is_free);
        let Some(words) = heading.filter(is_free).or_else(line) else { return };
        let title: String = page.text_of(words).trim().chars().take(MAX_TITLE).collect();
        self.has_title = true;
        self.field(
            "title",
            Candidate {
                value: title.clone(),
                raw: title,
                page: Some(page.number),
                area: view.area(words),
                source: FieldSource::Page,
                score: UNLABELLED_SCORE,
                currency: None,
            },
        );
    }

    /// Dates, amounts with a currency and codes with a checksum that have no label.
    fn values_without_label(&mut self, view: &View<'_>, found: &[Found], mut covered: Vec<bool>) {
        let of_page = || found.iter().filter(|found| found.source == FieldSource::Page);
        // `3 132,67` is also found as `132,67`.
        let (joined, single): (Vec<&Found>, Vec<&Found>) =
            of_page().partition(|found| found.joined);
        for found in joined.into_iter().chain(single) {
            let Some(name) = name_of_kind(found) else { continue };
            let count = self.unlabelled.get(name).copied().unwrap_or_default();
            let own = covered.get_mut(found.words.range());
            let Some(own) = own.filter(|own| !own.contains(&true)) else { continue };
            own.fill(true);
            let mut found = found.clone();
            let is_ambiguous = self.conventions.resolve(&mut found);
            let value = found.normalised();
            if count >= MAX_UNLABELLED || is_ambiguous || self.known.contains(&value) {
                continue;
            }
            self.unlabelled.insert(name, count + 1);
            let candidate = Candidate {
                value,
                raw: found.raw,
                page: Some(found.page),
                area: view.area(found.words),
                source: FieldSource::Page,
                score: UNLABELLED_SCORE,
                currency: found.currency,
            };
            self.field(name, candidate);
        }
    }

    fn table(&mut self, view: &View<'_>, table: &Table, typed: &Typed<'_>) {
        let header = columns(view.page, table);
        let continues = self.last.as_ref().is_some_and(|last| {
            header.as_ref().map_or(last.columns.len() == table.columns as usize, |header| {
                *header == last.columns
            })
        });
        if !continues {
            self.close_table();
            let Some(columns) = header else { return };
            self.last = Some(OpenTable { columns, rows: Vec::new(), cells: 0 });
        }
        let Some(open) = &mut self.last else { return };
        let mut rows: BTreeMap<u32, Vec<ParsedField>> = BTreeMap::new();
        for cell in table.cells.iter().filter(|cell| cell.row >= table.header_rows) {
            let Some(name) = open.columns.get(cell.column as usize) else { continue };
            let Some(candidate) = typed.candidate(view, cell.words) else { continue };
            let field = ParsedField::new(name, vec![candidate]);
            rows.entry(cell.row).or_default().push(field);
        }
        let room = MAX_ROWS.saturating_sub(open.rows.len());
        let is_full = rows.len() > room;
        let rows = rows.into_values().take(room);
        for row in rows {
            open.cells += row.len();
            open.rows.push(row);
        }
        if is_full {
            self.warn(format!("Only the first {MAX_ROWS} rows of the table are lines."));
        }
    }

    /// The table with the most cells is the main one.
    fn close_table(&mut self) {
        let Some(closed) = self.last.take() else { return };
        if self.main.as_ref().is_none_or(|main| closed.cells > main.cells) {
            self.main = Some(closed);
        }
    }

    fn warn(&mut self, sentence: String) {
        if !self.warnings.contains(&sentence) {
            self.warnings.push(sentence);
        }
    }
}

/// For each word whether it is part of a labelled value, its label, or a table.
fn covered(page: &Page) -> Vec<bool> {
    let mut covered = vec![false; page.words.len()];
    let pairs = page.key_values.iter().flat_map(|pair| [pair.key, pair.value]);
    let cells = page.tables.iter().flat_map(|table| &table.cells).map(|cell| cell.words);
    for span in pairs.chain(cells) {
        if let Some(words) = covered.get_mut(span.range()) {
            words.fill(true);
        }
    }
    covered
}

/// The name of a value without a label, when the value says itself what it is.
fn name_of_kind(found: &Found) -> Option<&'static str> {
    match found.kind {
        FieldKind::Date => Some("date"),
        FieldKind::Money if found.currency.is_some() => Some("amount"),
        FieldKind::Iban => Some("iban"),
        FieldKind::Isin => Some("isin"),
        FieldKind::VatId => Some("vat_id"),
        _ => None,
    }
}

/// The names of a table's columns; `None` when it has no header.
fn columns(page: &Page, table: &Table) -> Option<Vec<String>> {
    if table.header_rows == 0 || table.columns == 0 || table.columns > MAX_COLUMNS {
        return None;
    }
    let mut headers = vec![String::new(); table.columns as usize];
    for cell in table.cells.iter().filter(|cell| cell.row < table.header_rows) {
        let last = cell.column.saturating_add(cell.column_span.max(1)).min(table.columns);
        for column in cell.column..last {
            let Some(header) = headers.get_mut(column as usize) else { continue };
            header.push(' ');
            header.push_str(&page.text_of(cell.words));
        }
    }
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let named = headers.iter().zip(1..).map(|(header, number)| {
        let name = name_of(header).unwrap_or_else(|| format!("column_{number}"));
        let count = seen.entry(name.clone()).or_default();
        *count += 1;
        if *count == 1 { name } else { format!("{name}_{count}") }
    });
    Some(named.collect())
}

/// The name of a field, from its label: lower-case words with underscores. `None` when the label has no letters.
fn name_of(label: &str) -> Option<String> {
    if !label.chars().any(char::is_alphabetic) {
        return None;
    }
    let mut name = String::new();
    for word in folded_words(label) {
        if name.chars().count() + word.chars().count() >= MAX_NAME {
            break;
        }
        if !name.is_empty() {
            name.push('_');
        }
        name.push_str(&word);
    }
    (!name.is_empty()).then_some(name)
}

/// The typed values of a page, by the words they begin with.
struct Typed<'f> {
    by_word: BTreeMap<u32, Vec<&'f Found>>,
    conventions: Conventions,
}

impl<'f> Typed<'f> {
    fn new(found: &'f [Found], conventions: Conventions) -> Self {
        let mut by_word: BTreeMap<u32, Vec<&Found>> = BTreeMap::new();
        let of_page = found.iter().filter(|found| found.source == FieldSource::Page);
        for found in of_page {
            by_word.entry(found.words.from).or_default().push(found);
        }
        Self { by_word, conventions }
    }

    /// The value of some words: a date or an amount in normalised form, other values as they are written.
    fn candidate(&self, view: &View<'_>, words: Span) -> Option<Candidate> {
        let raw: String = view.page.text_of(words).chars().take(MAX_VALUE).collect();
        let text = raw.trim();
        if text.is_empty() {
            return None;
        }
        let typed = self.typed(words);
        let value = typed.as_ref().map_or_else(|| text.to_owned(), Found::normalised);
        Some(Candidate {
            value,
            raw: text.to_owned(),
            page: Some(view.page.number),
            area: view.area(words),
            source: FieldSource::Page,
            score: SCORE,
            currency: typed.and_then(|typed| typed.currency),
        })
    }

    /// The date or amount that the words consist of. A currency beside the amount belongs to it. Other numbers keep
    /// their form, because they may be identifiers: `01099`.
    fn typed(&self, words: Span) -> Option<Found> {
        let within = self.by_word.range(words.from..words.to).flat_map(|(_, found)| found);
        let mut typed = within.filter(|found| found.words.to <= words.to).filter(|found| {
            let is_amount =
                found.fits(FieldKind::Money) && (found.currency.is_some() || found.decimals == 2);
            let length = found.words.to - found.words.from;
            let beside = (words.to - words.from).saturating_sub(length);
            match found.kind {
                FieldKind::Date => beside == 0,
                _ => is_amount && beside <= u32::from(found.currency.is_some()),
            }
        });
        let mut only = (*typed.next()?).clone();
        if typed.next().is_some() {
            return None;
        }
        let is_ambiguous = self.conventions.resolve(&mut only);
        (!is_ambiguous).then_some(only)
    }
}

#[cfg(test)]
mod tests {
    use pages::{Cell, KeyValue};

    use super::*;
    use crate::candidates::{find, page_of_rows};

    fn span(from: usize, to: usize) -> Span {
        Span::new(from..to)
    }

    fn parsed(pages: &[Page]) -> Parsed {
        let mut collector = Collector::default();
        for page in pages {
            let view = View::new(page);
            collector.page(&view, &find(&view));
        }
        collector.finish()
    }

    fn values(fields: &[ParsedField]) -> Vec<String> {
        let shown = |field: &ParsedField| format!("{}={}", field.name, field.candidates[0].value);
        fields.iter().map(shown).collect()
    }

    #[test]
    fn labels_become_names_and_dates_and_amounts_are_normalised() {
        let rows = [
            "Vertragsbeginn: 13.03.2031",
            "PLZ: 01099",
            "Monatliche Miete: 1.234,50 EUR",
            "PLZ: 01099",
            "PLZ: 80331",
        ];
        let mut page = page_of_rows(&rows);
        let pairs = [(0, 1, 2), (2, 3, 4), (4, 6, 8), (8, 9, 10), (10, 11, 12)];
        page.key_values = pairs
            .map(|(from, middle, to)| KeyValue { key: span(from, middle), value: span(middle, to) })
            .to_vec();
        let parsed = parsed(&[page]);
        assert_eq!(parsed.document_type, "generic");
        assert_eq!(
            values(&parsed.fields),
            ["vertragsbeginn=2031-03-13", "plz=01099", "monatliche_miete=1234.50", "plz_2=80331"]
        );
        let rent = &parsed.fields[2].candidates[0];
        assert_eq!((rent.raw.as_str(), rent.currency.as_deref()), ("1.234,50 EUR", Some("EUR")));
        assert!(rent.area.is_some() && rent.page == Some(1));
    }

    #[test]
    fn values_without_a_label_have_the_name_of_their_kind() {
        let rows = [
            "Sehr geehrte Frau Muster,",
            "am 13.03.2031 überweisen wir 1 234,50 EUR",
            "auf das Konto DE89370400440532013000.",
            "Am 13.03.2031 endet der Vertrag, am 14.03.2031 beginnt er.",
        ];
        let parsed = parsed(&[page_of_rows(&rows)]);
        assert_eq!(
            values(&parsed.fields),
            [
                "title=Sehr geehrte Frau Muster,",
                "amount=1234.50",
                "date=2031-03-13",
                "iban=DE89370400440532013000",
                "date_2=2031-03-14"
            ]
        );
        assert!(parsed.fields.iter().all(|field| field.candidates[0].area.is_some()));
    }

    #[test]
    fn a_heading_is_the_title_of_the_document() {
        let mut page = page_of_rows(&["Seite 1", "Bericht über Bäume", "Eichen sind alt."]);
        let kind = BlockKind::Heading { level: 1 };
        page.blocks = vec![pages::Block { kind, lines: span(1, 2), ..pages::Block::default() }];
        assert_eq!(values(&parsed(&[page]).fields), ["title=Bericht über Bäume"]);
    }

    /// A page with a table of two columns.
    fn table_page(number: u32, rows: &[&str], header_rows: u32) -> Page {
        let mut page = page_of_rows(rows);
        page.number = number;
        let cells = (0..page.words.len()).map(|at| {
            let place = u32::try_from(at).unwrap();
            Cell {
                row: place / 2,
                column: place % 2,
                row_span: 1,
                column_span: 1,
                words: span(at, at + 1),
            }
        });
        let (cells, rows) = (cells.collect(), u32::try_from(rows.len()).unwrap());
        page.tables = vec![Table { area: None, rows, columns: 2, header_rows, cells }];
        page
    }

    #[test]
    fn the_largest_table_becomes_lines_and_continues_over_pages() {
        let pages = [
            table_page(1, &["Ort  Jahr", "Kiel  1901"], 1),
            table_page(2, &["Name  Gewicht", "Eiche  12,50", "Buche  9,75"], 1),
            table_page(3, &["Esche  8,00"], 0),
            table_page(4, &["Name  Gewicht", "Ulme  7,00"], 1),
        ];
        let parsed = parsed(&pages);
        let lines: Vec<String> = parsed.lines.iter().map(|line| values(line).join(" ")).collect();
        assert_eq!(
            lines,
            [
                "name=Eiche gewicht=12.50",
                "name=Buche gewicht=9.75",
                "name=Esche gewicht=8.00",
                "name=Ulme gewicht=7.00"
            ]
        );
        assert_eq!(parsed.lines[2][0].candidates[0].page, Some(3));
    }

    #[test]
    fn damaged_tables_and_empty_pages_give_nothing() {
        assert_eq!(values(&parsed(&[Page::default()]).fields), Vec::<String>::new());
        let mut page = table_page(1, &["a  b", "c  d"], 1);
        page.tables[0].columns = u32::MAX;
        page.tables[0].cells[0].column_span = u32::MAX;
        page.tables[0].cells[3].words = span(100, 200);
        page.key_values = vec![KeyValue { key: span(7, 3), value: span(90, 91) }];
        assert!(parsed(&[page]).lines.is_empty());
    }
}
