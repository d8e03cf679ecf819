//! Converts pages into the input of chunking: blocks of text in reading order.

use pages::{Area, Block, BlockKind, Line, Page, Span, Table};
use retrieval::chunk;

/// The blocks of a page. A page without layout is one paragraph.
pub(super) fn blocks_of(page: &Page) -> Vec<chunk::Block> {
    if page.blocks.is_empty() {
        let all = Span::new(0..page.words.len());
        return paragraph(page, all).into_iter().collect();
    }
    page.blocks.iter().filter_map(|block| block_of(page, block)).collect()
}

fn paragraph(page: &Page, words: Span) -> Option<chunk::Block> {
    let text = page.text_of(words);
    let block = chunk::Block {
        kind: chunk::BlockKind::Paragraph,
        text,
        page: page.number,
        areas: area_of(page, words).map(|area| on_page(page, area)).into_iter().collect(),
    };
    (!block.text.is_empty()).then_some(block)
}

fn block_of(page: &Page, block: &Block) -> Option<chunk::Block> {
    let lines = block.lines.of(&page.lines);
    let (kind, text) = match block.kind {
        BlockKind::Heading { level } => {
            (chunk::BlockKind::Heading { level }, joined(page, lines, " "))
        }
        BlockKind::Table { table } => {
            let table = page.tables.get(table as usize)?;
            let header_rows = table.header_rows as usize;
            (chunk::BlockKind::Table { header_rows }, rows(page, table))
        }
        BlockKind::ListItem { .. } => (chunk::BlockKind::ListItem, joined(page, lines, " ")),
        BlockKind::Figure => (chunk::BlockKind::Figure, joined(page, lines, " ")),
        BlockKind::Header => (chunk::BlockKind::Header, joined(page, lines, " ")),
        BlockKind::Footer => (chunk::BlockKind::Footer, joined(page, lines, " ")),
        BlockKind::Code => (chunk::BlockKind::Paragraph, joined(page, lines, "\n")),
        BlockKind::Paragraph | BlockKind::Quote => {
            (chunk::BlockKind::Paragraph, joined(page, lines, " "))
        }
    };
    let area = block.area.or_else(|| {
        let places = lines.iter().filter_map(|line| area_of(page, line.words));
        places.reduce(|all, more| all.around(&more))
    });
    let areas = area.map(|area| on_page(page, area)).into_iter().collect();
    (!text.trim().is_empty()).then_some(chunk::Block { kind, text, page: page.number, areas })
}

fn joined(page: &Page, lines: &[Line], between: &str) -> String {
    let lines: Vec<String> = lines.iter().map(|line| page.text_of(line.words)).collect();
    lines.join(between)
}

/// One line for each row, with a bar between cells.
fn rows(page: &Page, table: &Table) -> String {
    let mut rows: Vec<String> = Vec::new();
    let mut last = None;
    for cell in &table.cells {
        let text = page.text_of(cell.words);
        match rows.last_mut() {
            Some(row) if last == Some(cell.row) => {
                row.push_str(" | ");
                row.push_str(&text);
            }
            _ => rows.push(text),
        }
        last = Some(cell.row);
    }
    rows.join("\n")
}

fn area_of(page: &Page, words: Span) -> Option<Area> {
    let areas = words.of(&page.words).iter().filter_map(|word| word.area);
    areas.reduce(|all, more| all.around(&more))
}

fn on_page(page: &Page, area: Area) -> chunk::Area {
    let Area { left, top, right, bottom } = area;
    chunk::Area { page: page.number, left, top, right, bottom }
}

#[cfg(test)]
mod tests {
    use pages::{Cell, Word};

    use super::*;

    fn words(texts: &[&str]) -> Vec<Word> {
        let place = |left: f32| Area { left, top: 10.0, right: left + 5.0, bottom: 20.0 };
        let word = |(at, text): (u16, &&str)| Word {
            text: (*text).to_owned(),
            area: Some(place(f32::from(at) * 10.0)),
            ..Word::default()
        };
        (0..).zip(texts).map(word).collect()
    }

    #[test]
    fn a_table_becomes_one_line_per_row_with_its_header_rows_counted() {
        let cell = |row, column, at: usize| Cell {
            row,
            column,
            row_span: 1,
            column_span: 1,
            words: Span::new(at..at + 1),
        };
        let table = Table {
            rows: 2,
            columns: 2,
            header_rows: 1,
            cells: vec![cell(0, 0, 0), cell(0, 1, 1), cell(1, 0, 2), cell(1, 1, 3)],
            ..Table::default()
        };
        let block =
            Block { kind: BlockKind::Table { table: 0 }, lines: Span::new(0..1), area: None };
        let page = Page {
            number: 3,
            words: words(&["Item", "Price", "Chair", "12.50"]),
            lines: vec![Line { words: Span::new(0..4), area: None }],
            blocks: vec![block],
            tables: vec![table],
            ..Page::default()
        };
        let blocks = blocks_of(&page);
        assert_eq!(blocks[0].text, "Item | Price\nChair | 12.50");
        assert_eq!(blocks[0].kind, chunk::BlockKind::Table { header_rows: 1 });
        let area = blocks[0].areas[0];
        assert_eq!((area.page, area.left, area.right), (3, 0.0, 35.0));
    }

    #[test]
    fn a_page_without_blocks_is_one_paragraph_and_an_empty_page_has_none() {
        let page = Page { number: 1, words: words(&["Just", "words"]), ..Page::default() };
        assert_eq!(blocks_of(&page)[0].text, "Just words");
        assert!(blocks_of(&Page::default()).is_empty());
    }
}
