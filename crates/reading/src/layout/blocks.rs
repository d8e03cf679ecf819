//! Lines, paragraphs, headings and list items; and the page written down in its final order.

use pages::{Area, Block, BlockKind, Cell, Line, Page, Span, Table, Word};

use super::rows::{self, Row};
use super::table::Found;
use super::{Placed, Region, columns};

/// What layout has made of a page.
#[derive(Debug)]
pub(crate) struct Arranged {
    pub(crate) placed: Vec<Placed>,
    pub(crate) tables: Vec<Found>,
    /// In reading order.
    pub(crate) regions: Vec<Region>,
    /// Words that run across the others, such as those along an axis of a chart; they come last.
    pub(crate) asides: Vec<Placed>,
}

/// A page whose words have no places is one line of text after the other, as it came.
pub(crate) fn without_areas(page: &mut Page) {
    if page.words.is_empty() || !page.lines.is_empty() {
        return;
    }
    let words = Span::new(0..page.words.len());
    page.lines = vec![Line { words, area: None }];
    page.blocks = vec![Block { kind: BlockKind::Paragraph, lines: Span::new(0..1), area: None }];
}

/// Puts the words into order and writes lines, blocks and tables.
pub(crate) fn write(page: &mut Page, arranged: Arranged) {
    let Arranged { placed, tables, regions, asides } = arranged;
    let sizes = Sizes::of(&placed, &page.words);
    let mut writer = Writer {
        words: std::mem::take(&mut page.words).into_iter().map(Some).collect(),
        page,
        sizes,
    };
    for region in regions {
        writer.region(region, &tables);
    }
    writer.asides(&asides);
    writer.rest();
    set_depths(&mut page.blocks);
}

struct Writer<'a> {
    /// Each is taken once.
    words: Vec<Option<Word>>,
    page: &'a mut Page,
    sizes: Sizes,
}

impl Writer<'_> {
    /// Text and tables from top to bottom.
    fn region(&mut self, mut region: Region, tables: &[Found]) {
        let mut rows = rows::of(&region.words).into_iter().peekable();
        region.tables.sort_by(|a, b| tables[*a].area.top.total_cmp(&tables[*b].area.top));
        for index in region.tables {
            let table = &tables[index];
            let middle = f32::midpoint(table.area.top, table.area.bottom);
            let mut above = Vec::new();
            while let Some(row) =
                rows.next_if(|row| f32::midpoint(row.area.top, row.area.bottom) < middle)
            {
                above.push(row);
            }
            self.text_blocks(&above);
            self.table(table);
        }
        self.text_blocks(&rows.collect::<Vec<_>>());
    }

    fn text_blocks(&mut self, rows: &[Row]) {
        // Most text has nothing beside it, which is quickly seen.
        let beside = |pair: &[Row]| match pair {
            [upper, lower] => lower.area.top < upper.area.bottom - 0.3 * upper.area.height(),
            _ => false,
        };
        if !rows.iter().any(Row::has_uneven_gap) && !rows.windows(2).any(beside) {
            self.text(rows);
            return;
        }
        let words: Vec<Placed> = rows.iter().flat_map(|row| row.words.iter().copied()).collect();
        for words in columns::side_by_side(&words) {
            self.text(&rows::of(&words));
        }
    }

    fn text(&mut self, rows: &[Row]) {
        let column = rows.iter().map(|row| row.area).reduce(|all, area| all.around(&area));
        let Some(column) = column else { return };
        let shapes: Vec<Shape> = rows.iter().map(|row| self.shape(row)).collect();
        let mut begin = 0;
        for at in 1..=rows.len() {
            let ends = at == rows.len()
                || begins_block(&rows[at - 1], &shapes[at - 1], &rows[at], &shapes[at], &column);
            if ends {
                self.block(&rows[begin..at], &shapes[begin..at]);
                begin = at;
            }
        }
    }

    fn block(&mut self, rows: &[Row], shapes: &[Shape]) {
        let from = self.page.lines.len();
        for row in rows {
            self.line(&row.words);
        }
        let kind = self.kind(rows, shapes);
        self.push_block(kind, from);
    }

    fn push_block(&mut self, kind: BlockKind, from: usize) {
        let to = self.page.lines.len();
        if to == from {
            return;
        }
        let area = around(self.page.lines[from..to].iter().filter_map(|line| line.area));
        self.page.blocks.push(Block { kind, lines: Span::new(from..to), area });
    }

    fn line(&mut self, words: &[Placed]) {
        let from = self.page.words.len();
        for word in rows::in_reading_order(words) {
            self.take(word);
        }
        let to = self.page.words.len();
        if to > from {
            let area = around(self.page.words[from..to].iter().filter_map(|word| word.area));
            self.page.lines.push(Line { words: Span::new(from..to), area });
        }
    }

    fn take(&mut self, word: usize) {
        let word = self.words.get_mut(word).and_then(Option::take);
        self.page.words.extend(word);
    }

    fn table(&mut self, found: &Found) {
        let from = self.page.lines.len();
        let mut cells = Vec::with_capacity(found.cells.len());
        let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        for cell in &found.cells {
            let begin = self.page.words.len();
            for word in &cell.words {
                self.take(*word);
            }
            let words = Span::new(begin..self.page.words.len());
            self.lines_of_cell(words);
            cells.push(Cell {
                row: number(cell.row),
                column: number(cell.column),
                row_span: number(cell.row_span),
                column_span: number(cell.column_span),
                words,
            });
        }
        let index = number(self.page.tables.len());
        self.push_block(BlockKind::Table { table: index }, from);
        let area = self.page.blocks.last().and_then(|block| block.area);
        self.page.tables.push(Table {
            area,
            rows: number(found.rows),
            columns: number(found.columns),
            header_rows: number(found.header_rows),
            cells,
        });
    }

    /// A cell's words are in the order of its lines: a new one begins where the next word goes back.
    fn lines_of_cell(&mut self, words: Span) {
        let range = words.range();
        let mut begin = range.start;
        for at in range.clone() {
            let goes_back = at > begin
                && match (self.page.words[at - 1].area, self.page.words[at].area) {
                    (Some(last), Some(next)) => {
                        next.top >= f32::midpoint(last.top, last.bottom) || next.right < last.left
                    }
                    _ => false,
                };
            if goes_back {
                self.push_line(begin..at);
                begin = at;
            }
        }
        self.push_line(begin..range.end);
    }

    fn push_line(&mut self, words: std::ops::Range<usize>) {
        if !words.is_empty() {
            let area = around(self.page.words[words.clone()].iter().filter_map(|word| word.area));
            self.page.lines.push(Line { words: Span::new(words), area });
        }
    }

    /// In the order of the file: a line as long as they stand over each other.
    fn asides(&mut self, asides: &[Placed]) {
        let over =
            |a: &Placed, b: &Placed| a.area.left < b.area.right && b.area.left < a.area.right;
        for line in asides.chunk_by(over) {
            let from = self.page.words.len();
            for placed in line {
                self.take(placed.word);
            }
            let first_line = self.page.lines.len();
            self.push_line(from..self.page.words.len());
            self.push_block(BlockKind::Paragraph, first_line);
        }
    }

    /// What has no place comes last, in its own order.
    fn rest(&mut self) {
        let from = self.page.words.len();
        let rest: Vec<Word> = self.words.iter_mut().filter_map(Option::take).collect();
        self.page.words.extend(rest);
        let to = self.page.words.len();
        let first_line = self.page.lines.len();
        self.push_line(from..to);
        self.push_block(BlockKind::Paragraph, first_line);
    }

    fn shape(&self, row: &Row) -> Shape {
        let words = || row.words.iter().filter_map(|placed| self.words.get(placed.word)?.as_ref());
        let first = words().next().map_or("", |word| word.text.as_str());
        Shape {
            size: row.size(),
            bold: words().all(|word| word.style.bold),
            marker: list_marker(first),
            starts_small: first.starts_with(char::is_lowercase),
            ends_sentence: words()
                .next_back()
                .is_some_and(|word| word.text.ends_with(['.', ':', ';', ',', '-'])),
        }
    }

    fn kind(&self, rows: &[Row], shapes: &[Shape]) -> BlockKind {
        let (Some(first), Some(row)) = (shapes.first(), rows.first()) else {
            return BlockKind::Paragraph;
        };
        let words: usize = rows.iter().map(|row| row.words.len()).sum();
        let short = rows.len() <= 3
            && words <= 25
            && !first.starts_small
            && !shapes.last().is_some_and(|shape| shape.ends_sentence);
        let larger = first.size / self.sizes.body.max(1.0);
        if short && larger >= 1.15 && self.sizes.is_rare(first.size) {
            let level = if larger >= 1.7 {
                1
            } else if larger >= 1.35 {
                2
            } else {
                3
            };
            return BlockKind::Heading { level };
        }
        if short && rows.len() <= 2 && first.bold && larger > 0.9 && words <= 16 {
            return BlockKind::Heading { level: 3 };
        }
        match first.marker {
            Some(marker) if row.words.len() > 1 => {
                BlockKind::ListItem { depth: 0, number: marker.number }
            }
            _ => BlockKind::Paragraph,
        }
    }
}

/// Items further in are deeper.
fn set_depths(blocks: &mut [Block]) {
    let mut lefts: Vec<f32> = Vec::new();
    for block in blocks {
        match (&mut block.kind, block.area) {
            (BlockKind::ListItem { depth, .. }, Some(area)) => {
                while lefts.last().is_some_and(|left| area.left < left - 3.0) {
                    lefts.pop();
                }
                if lefts.last().is_none_or(|left| area.left > left + 3.0) && lefts.len() < 16 {
                    lefts.push(area.left);
                }
                *depth = u8::try_from(lefts.len().saturating_sub(1)).unwrap_or(0);
            }
            (BlockKind::Heading { .. } | BlockKind::Table { .. }, _) => lefts.clear(),
            _ => {}
        }
    }
}

/// What decides how a row is joined with others.
#[derive(Debug)]
struct Shape {
    size: f32,
    bold: bool,
    marker: Option<Marker>,
    ends_sentence: bool,
    starts_small: bool,
}

fn begins_block(upper: &Row, above: &Shape, lower: &Row, below: &Shape, column: &Area) -> bool {
    let size = above.size.max(below.size);
    let other_type = (above.size - below.size).abs() > 0.12 * size || above.bold != below.bold;
    let apart = lower.area.top - upper.area.bottom > 0.55 * size;
    let short_line = column.right - upper.area.right > 0.25 * column.width();
    let indented = lower.area.left - upper.area.left > 0.8 * size && short_line;
    other_type || apart || below.marker.is_some() && lower.words.len() > 1 || indented
}

/// What a list item begins with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Marker {
    pub(crate) number: Option<u32>,
}

pub(crate) fn list_marker(word: &str) -> Option<Marker> {
    const BULLETS: &[char] =
        &['•', '◦', '▪', '■', '●', '○', '–', '—', '-', '*', '·', '‣', '➢', '\u{f0b7}', '\u{f0a7}'];
    let mut chars = word.chars();
    if let (Some(first), None) = (chars.next(), chars.next())
        && BULLETS.contains(&first)
    {
        return Some(Marker { number: None });
    }
    let inner = word.strip_prefix('(').unwrap_or(word);
    let inner = inner.strip_suffix(['.', ')'])?;
    if let Ok(number) = inner.parse::<u32>() {
        return (inner.len() <= 3).then_some(Marker { number: Some(number) });
    }
    let letter = inner.len() == 1 && inner.bytes().all(|byte| byte.is_ascii_alphabetic());
    let roman =
        inner.len() <= 4 && !inner.is_empty() && inner.bytes().all(|byte| b"ivx".contains(&byte));
    (letter || roman).then_some(Marker { number: None })
}

/// The sizes of a page's letters.
#[derive(Debug)]
struct Sizes {
    /// The size that most letters have.
    body: f32,
    /// How many letters have each size, in half points.
    counts: std::collections::BTreeMap<u32, usize>,
}

impl Sizes {
    fn of(placed: &[Placed], words: &[Word]) -> Self {
        let mut counts = std::collections::BTreeMap::new();
        for placed in placed {
            let letters = words.get(placed.word).map_or(0, |word| word.text.len());
            *counts.entry(half_points(placed.size)).or_default() += letters;
        }
        let most = counts.iter().max_by_key(|(size, letters)| (**letters, **size));
        #[expect(clippy::cast_precision_loss, reason = "sizes are small")]
        let body = most.map_or(0.0, |(size, _)| *size as f32 / 2.0);
        Self { body, counts }
    }

    /// Text of this size or larger is less than a quarter of the page: it stands out.
    fn is_rare(&self, size: f32) -> bool {
        let all: usize = self.counts.values().sum();
        let large: usize = self
            .counts
            .range(half_points(size).saturating_sub(1)..)
            .map(|(_, letters)| letters)
            .sum();
        large * 4 < all || all < 200
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are small")]
fn half_points(size: f32) -> u32 {
    (size * 2.0).round() as u32
}

fn around(areas: impl Iterator<Item = Area>) -> Option<Area> {
    areas.reduce(|all, area| all.around(&area))
}
