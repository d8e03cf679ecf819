//! Builds pages from headings, paragraphs, tables and other blocks.
//!
//! A *flow document* (a letter, a web page, an email) has no fixed pages. A new page starts at a page break, a sheet or a
//! slide, or when a page is *long*: [`LONG_BLOCKS`] blocks or [`LONG_WORDS`] words. So only one page of limited size is in
//! memory.
//!
//! Content beyond [`Limits`] is dropped, and a remark in the tail says so.

mod text;

use std::collections::BTreeMap;

use domain::FileKind;
use pages::{
    Attachment, Block, BlockKind, Cell, Head, KeyValue, Line, Page, Part, Span, Table, Tail,
    TextSource, Word,
};

use crate::{Limits, ReadError, Sink, Source};

pub(crate) use self::text::Text;

const LONG_BLOCKS: usize = 200;
const LONG_WORDS: usize = 20_000;

/// A table that is not on a page yet.
#[derive(Clone, Debug, Default)]
pub(crate) struct Grid {
    pub(crate) header_rows: u32,
    pub(crate) cells: Vec<GridCell>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct GridCell {
    pub(crate) row: u32,
    pub(crate) column: u32,
    pub(crate) row_span: u32,
    pub(crate) column_span: u32,
    pub(crate) text: Text,
}

/// Builds the pages of a document.
pub(crate) struct Flow<'a> {
    sink: &'a mut dyn Sink,
    limits: Limits,
    page: Page,
    finished: u32,
    full: bool,
    remarks: Vec<String>,
}

impl<'a> Flow<'a> {
    pub(crate) fn begin(
        source: &Source,
        sink: &'a mut dyn Sink,
        title: Option<String>,
        properties: BTreeMap<String, String>,
    ) -> Result<Self, ReadError> {
        let kind: FileKind = source.kind;
        sink.take(Part::Head(Head { kind, title, properties, pages: None }))?;
        let mut flow = Self {
            sink,
            limits: source.limits,
            page: Page::default(),
            finished: 0,
            full: false,
            remarks: Vec::new(),
        };
        flow.page = flow.empty_page(None);
        Ok(flow)
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether a limit was reached; further content is dropped.
    pub(crate) fn is_full(&self) -> bool {
        self.full
    }

    pub(crate) fn remark(&mut self, sentence: impl Into<String>) {
        let sentence = sentence.into();
        if !self.remarks.contains(&sentence) {
            self.remarks.push(sentence);
        }
    }

    pub(crate) fn attach(&mut self, attachment: Attachment) -> Result<(), ReadError> {
        self.sink.take(Part::Attachment(attachment))
    }

    /// Starts a page with this name, even if it stays empty.
    pub(crate) fn begin_page(&mut self, label: Option<String>) -> Result<(), ReadError> {
        if !self.page.blocks.is_empty() || self.page.label.is_some() {
            self.finish_page()?;
        }
        self.page = self.empty_page(label);
        Ok(())
    }

    /// Starts a new page, unless the current one is empty.
    pub(crate) fn break_page(&mut self) -> Result<(), ReadError> {
        if self.page.blocks.is_empty() {
            return Ok(());
        }
        self.finish_page()
    }

    /// Starts a new page when the current one is long.
    fn make_room(&mut self) -> Result<(), ReadError> {
        if self.page.blocks.len() >= LONG_BLOCKS || self.page.words.len() >= self.most_words() {
            self.finish_page()?;
        }
        Ok(())
    }

    fn empty_page(&self, label: Option<String>) -> Page {
        Page { number: self.finished + 1, label, text: TextSource::Blank, ..Page::default() }
    }

    fn finish_page(&mut self) -> Result<(), ReadError> {
        let next =
            Page { number: self.page.number + 1, ..self.empty_page(self.page.label.clone()) };
        let page = std::mem::replace(&mut self.page, next);
        if self.finished >= self.limits.pages {
            self.full = true;
            let pages = self.limits.pages;
            self.remark(format!("Only the first {pages} pages were read."));
            return Ok(());
        }
        self.finished += 1;
        self.sink.take(Part::Page(page))
    }

    /// Adds a block of text. A block that is too long for a page continues on the next one.
    pub(crate) fn block(&mut self, kind: BlockKind, text: &Text) -> Result<(), ReadError> {
        if self.full || (text.is_blank() && kind != BlockKind::Figure) {
            return Ok(());
        }
        self.make_room()?;
        let mut open = self.page.lines.len();
        if text.is_blank() {
            self.end_block(kind, open);
            return Ok(());
        }
        for (begins, line) in text.lines() {
            let words: Box<dyn Iterator<Item = Word>> = if kind == BlockKind::Code {
                Box::new(text.words_as_typed(line))
            } else {
                Box::new(text.words(begins, line))
            };
            let mut words = words.peekable();
            // Empty lines are kept only in code.
            let mut wanted = kind == BlockKind::Code || words.peek().is_some();
            while wanted {
                let is_full = self.line(&mut words, self.most_words());
                wanted = words.peek().is_some();
                if is_full && wanted {
                    self.end_block(kind, open);
                    self.finish_page()?;
                    open = 0;
                }
                if self.full {
                    return Ok(());
                }
            }
        }
        self.end_block(kind, open);
        Ok(())
    }

    fn end_block(&mut self, kind: BlockKind, first_line: usize) {
        let lines = Span::new(first_line..self.page.lines.len());
        if !lines.range().is_empty() || kind == BlockKind::Figure {
            self.page.blocks.push(Block { kind, lines, area: None });
        }
    }

    pub(crate) fn paragraph(&mut self, text: &str) -> Result<(), ReadError> {
        self.block(BlockKind::Paragraph, &Text::plain(text))
    }

    /// Adds lines of labels with their values.
    pub(crate) fn key_values(&mut self, pairs: &[(&str, &str)]) -> Result<(), ReadError> {
        let mut first_line = None;
        for (label, value) in pairs {
            if self.full {
                return Ok(());
            }
            if self.page.words.len() >= self.most_words() {
                if let Some(first) = first_line.take() {
                    self.end_block(BlockKind::Paragraph, first);
                }
                self.finish_page()?;
            }
            first_line.get_or_insert(self.page.lines.len());
            let label = Text::plain(format!("{label}:"));
            let value = Text::plain(*value);
            let from = self.page.words.len();
            let key_words = label.words(0, label.as_str()).count();
            let mut words = label.words(0, label.as_str()).chain(value.words(0, value.as_str()));
            self.line(&mut words, 2 * self.most_words());
            let (middle, to) = (from + key_words, self.page.words.len());
            let (key, value) = (Span::new(from..middle), Span::new(middle..to));
            self.page.key_values.push(KeyValue { key, value });
        }
        if let Some(first) = first_line {
            self.end_block(BlockKind::Paragraph, first);
        }
        Ok(())
    }

    /// Adds words to the page as one line, up to `most` words on the page; returns whether the page is full.
    fn line(&mut self, words: &mut dyn Iterator<Item = Word>, most: usize) -> bool {
        let from = self.page.words.len();
        self.page.words.extend(words.take(most.saturating_sub(from)));
        let to = self.page.words.len();
        self.page.text = TextSource::Layer;
        self.page.lines.push(Line { words: Span::new(from..to), area: None });
        to >= most
    }

    fn most_words(&self) -> usize {
        LONG_WORDS.min(self.limits.words as usize).max(1)
    }

    /// Adds a table. A table that is too long for a page continues on the next one.
    pub(crate) fn table(&mut self, mut grid: Grid) -> Result<(), ReadError> {
        grid.cells.retain(|cell| !cell.text.is_blank());
        grid.cells.sort_by_key(|cell| (cell.row, cell.column));
        let mut cells = grid.cells.into_iter().peekable();
        let mut header_rows = grid.header_rows;
        while let Some(first_row) = cells.peek().map(|cell| cell.row) {
            if self.full {
                return Ok(());
            }
            self.make_room()?;
            let mut table = Table { header_rows, ..Table::default() };
            let first_line = self.page.lines.len();
            let mut row = first_row;
            while let Some(cell) = cells.next_if(|cell| {
                cell.row == row
                    || self.page.words.len() < LONG_WORDS.min(self.limits.words as usize)
            }) {
                row = cell.row;
                table.cells.push(self.cell(&cell, if header_rows > 0 { 0 } else { first_row }));
            }
            table.rows = table.cells.iter().map(|cell| cell.row + cell.row_span).max().unwrap_or(0);
            table.columns =
                table.cells.iter().map(|cell| cell.column + cell.column_span).max().unwrap_or(0);
            let kind = BlockKind::Table { table: Span::new(self.page.tables.len()..0).from };
            self.page.tables.push(table);
            let lines = Span::new(first_line..self.page.lines.len());
            self.page.blocks.push(Block { kind, lines, area: None });
            header_rows = 0;
        }
        Ok(())
    }

    fn cell(&mut self, cell: &GridCell, first_row: u32) -> Cell {
        let from = self.page.words.len();
        for (begins, line) in cell.text.lines() {
            let mut words = cell.text.words(begins, line).peekable();
            if words.peek().is_some() {
                // A cell is never split, but a table is limited to the words of two pages.
                self.line(&mut words, 2 * self.most_words());
            }
            if words.next().is_some() {
                self.remark(format!(
                    "A table on page {} is cut off: it is too wide.",
                    self.page.number
                ));
            }
        }
        Cell {
            row: cell.row.saturating_sub(first_row),
            column: cell.column,
            row_span: cell.row_span.max(1),
            column_span: cell.column_span.max(1),
            words: Span::new(from..self.page.words.len()),
        }
    }

    pub(crate) fn finish(mut self) -> Result<(), ReadError> {
        if !self.page.blocks.is_empty() || self.page.label.is_some() || self.finished == 0 {
            self.finish_page()?;
        }
        self.sink.take(Part::Tail(Tail { pages: self.finished, remarks: self.remarks }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pages::Style;

    const BOLD: Style = Style { bold: true, italic: false, size: 0 };

    fn source(limits: Limits) -> Source<'static> {
        Source { bytes: b"", kind: FileKind::Txt, file_name: "a.txt", password: None, limits }
    }

    fn built(limits: Limits, build: impl FnOnce(&mut Flow) -> Result<(), ReadError>) -> Vec<Part> {
        let mut parts = Vec::new();
        let mut sink = |part: Part| {
            parts.push(part);
            Ok(())
        };
        let mut flow = Flow::begin(&source(limits), &mut sink, None, BTreeMap::new()).unwrap();
        build(&mut flow).unwrap();
        flow.finish().unwrap();
        parts
    }

    fn pages(parts: &[Part]) -> Vec<&Page> {
        parts
            .iter()
            .filter_map(|part| if let Part::Page(page) = part { Some(page) } else { None })
            .collect()
    }

    #[test]
    fn a_word_keeps_the_style_it_begins_with() {
        let mut text = Text::plain("plain ");
        text.push("bo", BOLD);
        text.push("ld x", Style::default());
        let parts = built(Limits::default(), |flow| flow.block(BlockKind::Paragraph, &text));
        let words: Vec<_> = pages(&parts)[0]
            .words
            .iter()
            .map(|word| (word.text.as_str(), word.style.bold))
            .collect();
        assert_eq!(words, [("plain", false), ("bold", true), ("x", false)]);
    }

    #[test]
    fn code_keeps_its_indentation() {
        let text = Text::plain("if x:\n    y  = 1");
        let parts = built(Limits::default(), |flow| flow.block(BlockKind::Code, &text));
        let words: Vec<_> = pages(&parts)[0].words.iter().map(|word| word.text.as_str()).collect();
        assert_eq!(words, ["if", "x:", "    y", " =", "1"]);
    }

    #[test]
    fn a_long_document_comes_in_several_pages() {
        let parts = built(Limits::default(), |flow| {
            (0..450).try_for_each(|n| flow.paragraph(&format!("paragraph {n}")))
        });
        let blocks: Vec<_> = pages(&parts).iter().map(|page| page.blocks.len()).collect();
        assert_eq!(blocks, [200, 200, 50]);
        assert_eq!(pages(&parts)[2].number, 3);
    }

    #[test]
    fn pages_beyond_the_limit_are_left_out_and_the_tail_says_so() {
        let limits = Limits { pages: 1, ..Limits::default() };
        let parts = built(limits, |flow| {
            (0..450).try_for_each(|n| flow.paragraph(&format!("paragraph {n}")))
        });
        assert_eq!(pages(&parts).len(), 1);
        let Some(Part::Tail(tail)) = parts.last() else { panic!("no tail") };
        assert_eq!(tail.remarks, ["Only the first 1 pages were read."]);
    }

    #[test]
    fn a_long_table_goes_on_on_the_next_page() {
        let limits = Limits { words: 10, ..Limits::default() };
        let cell = |row, column| GridCell {
            row,
            column,
            text: Text::plain("one two"),
            ..GridCell::default()
        };
        let cells = (0..9).flat_map(|row| [cell(row, 0), cell(row, 1)]).collect();
        let parts = built(limits, |flow| flow.table(Grid { header_rows: 1, cells }));
        let rows: Vec<_> = pages(&parts).iter().map(|page| page.tables[0].rows).collect();
        assert_eq!(rows.iter().sum::<u32>(), 9);
        assert!(rows.len() > 1);
        assert!(pages(&parts).iter().all(|page| page.words.len() <= 12));
    }

    #[test]
    fn a_paragraph_longer_than_a_page_goes_on_on_the_next() {
        let limits = Limits { words: 10, ..Limits::default() };
        let parts = built(limits, |flow| flow.paragraph(&"word ".repeat(25)));
        let words: Vec<_> = pages(&parts).iter().map(|page| page.words.len()).collect();
        assert_eq!(words, [10, 10, 5]);
        assert!(pages(&parts).iter().all(|page| page.blocks.len() == 1));
    }

    #[test]
    fn a_cell_that_would_fill_pages_is_cut_off_and_the_tail_says_so() {
        let limits = Limits { words: 10, ..Limits::default() };
        let cell = GridCell { text: Text::plain("word ".repeat(90)), ..GridCell::default() };
        let parts = built(limits, |flow| flow.table(Grid { header_rows: 0, cells: vec![cell] }));
        assert_eq!(pages(&parts)[0].words.len(), 20);
        let Some(Part::Tail(tail)) = parts.last() else { panic!("no tail") };
        assert_eq!(tail.remarks, ["A table on page 1 is cut off: it is too wide."]);
    }

    #[test]
    fn an_empty_document_has_one_blank_page() {
        let parts = built(Limits::default(), |_| Ok(()));
        assert_eq!(pages(&parts).len(), 1);
        assert_eq!(pages(&parts)[0].text, TextSource::Blank);
    }
}
