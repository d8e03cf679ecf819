//! Where words are on a page in relation to each other: visual rows, what is left of, right of and above a value, the
//! headers of its table cell, its key, and the heading of its section.
//!
//! A *visual row* contains every word at the same height, across columns. Pages without areas (text formats) have one row
//! for each line.

use pages::{Area, BlockKind, Page, Span};

/// The most rows that are searched upwards for a column header.
const HEADER_ROWS: usize = 12;

/// Words at the same height, from left to right.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Row {
    /// Indexes into the page's words.
    pub words: Vec<usize>,
    pub area: Option<Area>,
}

/// The headers of a value in a table.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CellHeaders {
    pub column: String,
    pub row: String,
}

/// A page with its visual rows.
#[derive(Debug)]
pub struct View<'p> {
    pub page: &'p Page,
    pub rows: Vec<Row>,
    /// For each word its row and its position in it.
    places: Vec<(usize, usize)>,
    /// For each word the index of its table and of its cell there.
    cells: Vec<Option<(u32, u32)>>,
    /// For each word the key-value whose value it is in.
    keys: Vec<Option<u32>>,
    /// For each row the words of the last heading above it.
    sections: Vec<Option<Span>>,
}

impl<'p> View<'p> {
    pub fn new(page: &'p Page) -> Self {
        let count = page.words.len();
        let rows = visual_rows(page);
        let mut places = vec![(usize::MAX, 0); count];
        for (row, found) in rows.iter().enumerate() {
            for (at, &word) in found.words.iter().enumerate() {
                places[word] = (row, at);
            }
        }
        let mut cells = vec![None; count];
        for (table, found) in (0_u32..).zip(&page.tables) {
            for (cell, place) in (0_u32..).zip(&found.cells) {
                set(&mut cells, place.words, (table, cell));
            }
        }
        let mut keys = vec![None; count];
        for (index, pair) in (0_u32..).zip(&page.key_values) {
            set(&mut keys, pair.value, index);
        }
        let sections = sections(page, &rows, &places);
        Self { page, rows, places, cells, keys, sections }
    }

    /// The row of a word, and its position there.
    pub fn place(&self, word: usize) -> Option<(usize, usize)> {
        self.places.get(word).copied().filter(|(row, _)| *row != usize::MAX)
    }

    /// The words of the same row to the left of a span, the nearest first.
    pub fn left_of(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let place = self.place(span.from as usize);
        let words = place.map_or(&[][..], |(row, at)| &self.rows[row].words[..at]);
        words.iter().rev().copied()
    }

    /// The words of the same row to the right of a span, the nearest first.
    pub fn right_of(&self, span: Span) -> impl Iterator<Item = usize> + '_ {
        let last = (span.to as usize).saturating_sub(1);
        let words = self.place(last).map_or(&[][..], |(row, at)| &self.rows[row].words[at + 1..]);
        words.iter().copied()
    }

    /// The words of the rows above that overlap a span horizontally, the nearest row first, from left to right in each.
    pub fn above(&self, span: Span, rows: usize) -> Vec<Vec<usize>> {
        let Some((row, _)) = self.place(span.from as usize) else { return Vec::new() };
        let Some(area) = self.area(span) else { return Vec::new() };
        let first = row.saturating_sub(rows);
        let overlapping = |row: &Row| -> Vec<usize> {
            row.words.iter().copied().filter(|&word| self.overlaps(word, &area)).collect()
        };
        self.rows[first..row].iter().rev().map(overlapping).filter(|w| !w.is_empty()).collect()
    }

    /// The nearest words with letters above a span: the header of its column. Words beside them that belong to the same
    /// header are included. Returns how many rows above it is.
    pub fn header_above(&self, span: Span) -> Option<(usize, Vec<usize>)> {
        let (row, _) = self.place(span.from as usize)?;
        let area = self.area(span)?;
        for distance in 1..=HEADER_ROWS.min(row) {
            let words = &self.rows[row - distance].words;
            let hit = words.iter().position(|&word| {
                self.overlaps(word, &area) && has_letters(&self.page.words[word].text)
            });
            let Some(hit) = hit else { continue };
            let (mut from, mut to) = (hit, hit + 1);
            while from > 0 && self.adjoin(words[from - 1], words[from]) {
                from -= 1;
            }
            while to < words.len() && self.adjoin(words[to - 1], words[to]) {
                to += 1;
            }
            return Some((distance, words[from..to].to_vec()));
        }
        None
    }

    /// The heading of the section that a word is in.
    pub fn section(&self, word: usize) -> Option<Span> {
        self.place(word).and_then(|(row, _)| self.sections[row])
    }

    /// The words of a value's key, when layout found the pair.
    pub fn key(&self, word: usize) -> Option<Span> {
        let index = (*self.keys.get(word)?)?;
        self.page.key_values.get(index as usize).map(|pair| pair.key)
    }

    /// The headers of the table cell that a word is in.
    pub fn cell_headers(&self, word: usize) -> Option<CellHeaders> {
        let (table, cell) = (*self.cells.get(word)?)?;
        let table = self.page.tables.get(table as usize)?;
        let own = table.cells.get(cell as usize)?;
        let mut headers = CellHeaders::default();
        for other in &table.cells {
            let spans_column =
                other.column <= own.column && own.column < other.column + other.column_span.max(1);
            if other.row < table.header_rows && spans_column && other.row != own.row {
                append(&mut headers.column, &self.page.text_of(other.words));
            }
            let spans_row = other.row <= own.row && own.row < other.row + other.row_span.max(1);
            if other.column == 0 && own.column > 0 && spans_row {
                append(&mut headers.row, &self.page.text_of(other.words));
            }
        }
        Some(headers)
    }

    /// The area around the words of a span.
    pub fn area(&self, span: Span) -> Option<Area> {
        span.of(&self.page.words)
            .iter()
            .filter_map(|word| word.area)
            .reduce(|all, area| all.around(&area))
    }

    pub fn text(&self, words: &[usize]) -> String {
        let mut text = String::new();
        for &word in words {
            append(&mut text, &self.page.words[word].text);
        }
        text
    }

    /// Whether two neighbours of a row are as close as words of one phrase.
    pub fn adjoin(&self, left: usize, right: usize) -> bool {
        let areas = (self.page.words[left].area, self.page.words[right].area);
        let (Some(left), Some(right)) = areas else { return true };
        right.left - left.right <= left.height().max(right.height()) * 0.9
    }

    fn overlaps(&self, word: usize, area: &Area) -> bool {
        self.page.words[word].area.is_some_and(|own| own.left < area.right && area.left < own.right)
    }
}

fn append(text: &mut String, more: &str) {
    if !text.is_empty() && !more.is_empty() {
        text.push(' ');
    }
    text.push_str(more);
}

fn has_letters(text: &str) -> bool {
    text.chars().filter(|c| c.is_alphabetic()).count() > 1
}

fn set<T: Copy>(list: &mut [Option<T>], span: Span, value: T) {
    if let Some(slots) = list.get_mut(span.range()) {
        slots.fill(Some(value));
    }
}

/// Merges the lines that are at the same height.
fn visual_rows(page: &Page) -> Vec<Row> {
    let mut covered = vec![false; page.words.len()];
    let mut pieces: Vec<Row> = Vec::new();
    for line in &page.lines {
        let range = line.words.range();
        if range.end > covered.len() || range.is_empty() {
            continue;
        }
        // A damaged page may name a word in two lines.
        let words: Vec<usize> =
            range.filter(|&word| !std::mem::replace(&mut covered[word], true)).collect();
        push_piece(page, &mut pieces, words);
    }
    for (word, covered) in covered.into_iter().enumerate() {
        if !covered {
            push_piece(page, &mut pieces, vec![word]);
        }
    }
    if pieces.iter().any(|piece| piece.area.is_none()) {
        return pieces;
    }
    let top = |row: &Row| row.area.map_or(0.0, |area| area.top);
    pieces.sort_by(|a, b| top(a).total_cmp(&top(b)));
    let mut rows: Vec<Row> = Vec::new();
    for piece in pieces {
        let recent = rows.len().saturating_sub(8);
        let same = rows[recent..].iter().position(|row| same_height(row, &piece));
        match same {
            Some(at) => {
                let row = &mut rows[recent + at];
                row.words.extend(piece.words);
                row.area = row.area.zip(piece.area).map(|(all, area)| all.around(&area));
            }
            None => rows.push(piece),
        }
    }
    let left = |word: &usize| page.words[*word].area.map_or(0.0, |area| area.left);
    for row in &mut rows {
        row.words.sort_by(|a, b| left(a).total_cmp(&left(b)));
    }
    rows
}

fn push_piece(page: &Page, pieces: &mut Vec<Row>, words: Vec<usize>) {
    if words.is_empty() {
        return;
    }
    let areas = words.iter().filter_map(|&word| page.words[word].area);
    let area = areas.reduce(|all, area| all.around(&area));
    pieces.push(Row { words, area });
}

/// Whether a piece overlaps a row by more than half of the lower one's height.
fn same_height(row: &Row, piece: &Row) -> bool {
    let (Some(row), Some(piece)) = (row.area, piece.area) else { return false };
    let shared = row.bottom.min(piece.bottom) - row.top.max(piece.top);
    shared > row.height().min(piece.height()) * 0.5
}

/// For each row the last heading above it, in reading order.
fn sections(page: &Page, rows: &[Row], places: &[(usize, usize)]) -> Vec<Option<Span>> {
    let mut headings: Vec<Option<Span>> = vec![None; rows.len()];
    for block in &page.blocks {
        if !matches!(block.kind, BlockKind::Heading { .. }) {
            continue;
        }
        let lines = block.lines.of(&page.lines);
        let (Some(first), Some(last)) = (lines.first(), lines.last()) else { continue };
        let words = Span { from: first.words.from, to: last.words.to };
        if let Some(&(row, _)) = places.get(first.words.from as usize)
            && let Some(slot) = headings.get_mut(row)
        {
            *slot = Some(words);
        }
    }
    let mut current = None;
    for heading in &mut headings {
        let above = current;
        current = heading.or(current);
        *heading = above;
    }
    headings
}

#[cfg(test)]
mod tests {
    use pages::{Block, Cell, KeyValue, Line, Table, Word};

    use super::*;
    use crate::candidates::page_of_rows;

    fn texts(view: &View<'_>, words: impl Iterator<Item = usize>) -> Vec<String> {
        words.map(|word| view.page.words[word].text.clone()).collect()
    }

    fn span(from: usize) -> Span {
        Span::new(from..from + 1)
    }

    #[test]
    fn words_at_the_same_height_are_one_row_across_columns() {
        let mut page = page_of_rows(&["Kurswert          100,00", "Provision           9,90"]);
        // Reading order goes down the first column, then down the second.
        page.words.swap(1, 2);
        page.lines = (0..4).map(|at| Line { words: span(at), area: page.words[at].area }).collect();
        let view = View::new(&page);
        assert_eq!(view.rows.len(), 2);
        assert_eq!(texts(&view, view.left_of(span(2))), ["Kurswert"]);
        assert_eq!(texts(&view, view.right_of(span(1))), ["9,90"]);
    }

    #[test]
    fn a_column_header_is_found_with_the_words_beside_it() {
        let page = page_of_rows(&["Stück      Ihr Preis", "5          17,00", "6          18,00"]);
        let view = View::new(&page);
        let last = span(page.words.len() - 1);
        let (distance, header) = view.header_above(last).unwrap();
        assert_eq!((distance, view.text(&header).as_str()), (2, "Ihr Preis"));
        assert_eq!(view.above(last, 1).len(), 1);
        assert_eq!(texts(&view, view.above(last, 1)[0].iter().copied()), ["17,00"]);
    }

    #[test]
    fn cells_keys_and_sections_come_from_the_layout() {
        let mut page = page_of_rows(&["Verkauf", "Preis", "17,00"]);
        page.blocks = vec![Block {
            kind: BlockKind::Heading { level: 1 },
            lines: Span::new(0..1),
            area: None,
        }];
        let cell = |row, at| Cell { row, column: 0, row_span: 1, column_span: 1, words: span(at) };
        page.tables = vec![Table {
            rows: 2,
            columns: 1,
            header_rows: 1,
            cells: vec![cell(0, 1), cell(1, 2)],
            area: None,
        }];
        page.key_values = vec![KeyValue { key: span(1), value: span(2) }];
        let view = View::new(&page);
        assert_eq!(view.section(2), Some(span(0)));
        assert_eq!(view.section(0), None);
        assert_eq!(view.key(2), Some(span(1)));
        assert_eq!(view.cell_headers(2).unwrap().column, "Preis");
        assert_eq!(view.cell_headers(0), None);
    }

    #[test]
    fn a_page_without_areas_has_a_row_for_each_line() {
        let mut page = page_of_rows(&["Summe 5", "Steuer 1"]);
        for word in &mut page.words {
            word.area = None;
        }
        for line in &mut page.lines {
            line.area = None;
        }
        page.words.push(Word { text: "Ende".into(), ..Word::default() });
        let view = View::new(&page);
        assert_eq!(view.rows.len(), 3);
        assert_eq!(texts(&view, view.left_of(span(3))), ["Steuer"]);
        assert!(view.header_above(span(3)).is_none());
    }
}
