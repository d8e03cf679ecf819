//! Export as text, Markdown and JSON.

use domain::FileKind;
use pages::export::{JsonWriter, markdown, text};
use pages::{
    Attachment, Block, BlockKind, Cell, Head, Line, Page, Part, Size, Span, Table, Tail, Word,
};

/// A page with a size; each entry is a block of lines.
fn sized_page(blocks: &[(BlockKind, &[&str])]) -> Page {
    let mut page =
        Page { number: 1, size: Some(Size { width: 595.0, height: 842.0 }), ..Page::default() };
    for (kind, lines) in blocks {
        let first_line = page.lines.len();
        for line in *lines {
            let first = page.words.len();
            let words = line.split(' ').map(|text| Word { text: text.into(), ..Word::default() });
            page.words.extend(words);
            page.lines.push(Line { words: Span::new(first..page.words.len()), area: None });
        }
        let lines = Span::new(first_line..page.lines.len());
        page.blocks.push(Block { kind: *kind, lines, area: None });
    }
    page
}

fn as_markdown(page: &Page) -> String {
    let mut written = String::new();
    markdown(page, &mut written);
    written
}

#[test]
fn wrapped_lines_and_hyphenated_words_are_joined() {
    let page = sized_page(&[
        (BlockKind::Header, &["Page 1"]),
        (BlockKind::Paragraph, &["The docu-", "ment of the Haus-", "und Hofverwaltung A-", "Z"]),
        (BlockKind::Footer, &["1 of 2"]),
    ]);
    assert_eq!(as_markdown(&page), "The document of the Haus- und Hofverwaltung A- Z\n");
    let mut plain = String::new();
    text(&page, &mut plain);
    assert_eq!(
        plain,
        "Page 1\n\nThe docu-\nment of the Haus-\nund Hofverwaltung A-\nZ\n\n1 of 2\n\n"
    );
}

#[test]
fn markdown_characters_are_escaped() {
    let page = sized_page(&[
        (BlockKind::Paragraph, &["# not a heading"]),
        (BlockKind::Paragraph, &["2. not an item"]),
        (BlockKind::Paragraph, &["5 * 3 <script> snake_case _x"]),
    ]);
    assert_eq!(
        as_markdown(&page),
        "\\# not a heading\n\n2\\. not an item\n\n5 \\* 3 \\<script> snake_case \\_x\n"
    );
}

#[test]
fn code_with_fences_gets_a_longer_fence() {
    let page = sized_page(&[(BlockKind::Code, &["```", "x"])]);
    assert_eq!(as_markdown(&page), "````\n```\nx\n````\n");
}

#[test]
fn a_page_without_blocks_exports_its_lines() {
    let mut page = sized_page(&[(BlockKind::Paragraph, &["a", "b"])]);
    page.blocks.clear();
    assert_eq!(as_markdown(&page), "a b\n");
}

#[test]
fn references_out_of_bounds_are_ignored() {
    let mut page = sized_page(&[
        (BlockKind::Table { table: 7 }, &["a"]),
        (BlockKind::Table { table: 0 }, &["b"]),
    ]);
    let cell = Cell {
        row: 9,
        column: 9,
        row_span: u32::MAX,
        column_span: u32::MAX,
        words: Span { from: 5, to: 99 },
    };
    page.tables.push(Table {
        rows: u32::MAX,
        columns: u32::MAX,
        cells: vec![cell],
        ..Table::default()
    });
    page.tables.push(Table { rows: 2, columns: 2, cells: vec![cell], ..Table::default() });
    page.blocks[0].lines = Span { from: 70, to: 80 };
    page.blocks.push(Block {
        kind: BlockKind::Table { table: 1 },
        lines: Span::default(),
        area: None,
    });
    assert!(as_markdown(&page).contains("|  |  |"));
    text(&page, &mut String::new());
}

#[test]
fn a_detected_column_span_is_written_once() {
    let mut page = sized_page(&[(BlockKind::Table { table: 0 }, &["Name Rate Tax", "Pens 12"])]);
    let cell =
        |row, column, column_span, words| Cell { row, column, row_span: 1, column_span, words };
    let cells = vec![
        cell(0, 0, 1, Span { from: 0, to: 1 }),
        cell(0, 1, 2, Span { from: 1, to: 3 }),
        cell(1, 0, 1, Span { from: 3, to: 4 }),
        cell(1, 2, 1, Span { from: 4, to: 5 }),
    ];
    page.tables.push(Table { rows: 2, columns: 3, cells, ..Table::default() });
    assert_eq!(
        as_markdown(&page),
        "| Name | Rate Tax |  |\n| --- | --- | --- |\n| Pens |  | 12 |\n"
    );
}

#[test]
fn a_document_is_one_json_object() {
    let mut writer = JsonWriter::new(Vec::new());
    let head = Head { kind: FileKind::Eml, title: None, properties: [].into(), pages: None };
    writer.write(&Part::Head(head)).unwrap();
    writer.write(&Part::Page(sized_page(&[(BlockKind::Paragraph, &["a"])]))).unwrap();
    let attachment = Attachment { name: "a.pdf".into(), media_type: None, bytes: vec![1, 2] };
    writer.write(&Part::Attachment(attachment)).unwrap();
    writer.write(&Part::Page(Page::default())).unwrap();
    writer.write(&Part::Tail(Tail { pages: 2, remarks: Vec::new() })).unwrap();
    let value: serde_json::Value = serde_json::from_slice(&writer.into_inner()).unwrap();
    assert_eq!(value["pages"].as_array().unwrap().len(), 2);
    assert_eq!(value["pages"][0]["words"][0]["text"], "a");
    assert_eq!(value["attachments"][0]["bytes"], 2);
    assert_eq!(value["tail"]["pages"], 2);
}
