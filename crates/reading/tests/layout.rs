//! Laying out pages made of words with places, as OCR and text layers give them.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use pages::{Area, Block, BlockKind, KeyValue, Page, Size, Span, Style, Table, Word};
use reading::layout::{Layout, arrange};

/// A page of 600 by 800 points.
fn page(words: Vec<Word>) -> Page {
    Page { number: 1, size: Some(Size { width: 600.0, height: 800.0 }), words, ..Page::default() }
}

/// Words in letters of ten points, six wide, from this point on; `top` is that of the letters.
fn at(left: f32, top: f32, text: &str) -> Vec<Word> {
    let mut x = left;
    text.split(' ')
        .map(|text| {
            let width = 6.0 * f32::from(u16::try_from(text.chars().count()).unwrap());
            let area = Area { left: x, top, right: x + width, bottom: top + 10.0 };
            x += width + 3.0;
            Word { text: text.to_owned(), area: Some(area), ..Word::default() }
        })
        .collect()
}

fn styled(words: Vec<Word>, size: u16, bold: bool) -> Vec<Word> {
    let style = Style { bold, size, ..Style::default() };
    words.into_iter().map(|word| Word { style, ..word }).collect()
}

fn lines(page: &Page) -> Vec<String> {
    page.lines.iter().map(|line| page.text_of(line.words)).collect()
}

/// Rows of a table with `|` between the cells.
fn grid(page: &Page, table: &Table) -> Vec<String> {
    let mut rows = vec![vec![String::new(); table.columns as usize]; table.rows as usize];
    for cell in &table.cells {
        rows[cell.row as usize][cell.column as usize] = page.text_of(cell.words);
    }
    rows.iter().map(|row| row.join("|")).collect()
}

fn rule(left: f32, top: f32, right: f32, bottom: f32) -> Area {
    Area { left, top, right, bottom }
}

/// Every word is in one line and every line in one block.
fn check_spans(page: &Page) {
    let words: Vec<usize> = page.lines.iter().flat_map(|line| line.words.range()).collect();
    assert_eq!(words, (0..page.words.len()).collect::<Vec<_>>());
    let of_blocks = |block: &Block| block.lines.range();
    let lines: Vec<usize> = page.blocks.iter().flat_map(of_blocks).collect();
    assert_eq!(lines, (0..page.lines.len()).collect::<Vec<_>>());
}

fn prose(left: f32, top: f32, name: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for row in 0_u8..8 {
        let line = format!("{name}{row} words of a column that goes on");
        words.extend(at(left, top + 12.0 * f32::from(row), &line));
    }
    words
}

#[test]
fn two_columns_are_read_one_after_the_other_under_their_title() {
    let mut words = prose(320.0, 100.0, "right");
    words.extend(prose(40.0, 103.0, "left"));
    words.extend(at(
        40.0,
        60.0,
        "A title that runs over both of the columns and then somewhat further on",
    ));
    let mut page = page(words);
    arrange(&mut page);
    check_spans(&page);
    let lines = lines(&page);
    assert!(lines[0].starts_with("A title"));
    assert!(lines[1..9].iter().all(|line| line.starts_with("left")), "{lines:?}");
    assert!(lines[9..].iter().all(|line| line.starts_with("right")), "{lines:?}");
    assert!(page.tables.is_empty());
}

#[test]
fn a_drawn_grid_is_a_table_with_its_spans_and_wrapped_cells() {
    let mut words = at(230.0, 102.0, "Prices");
    words.extend(at(60.0, 122.0, "Item"));
    words.extend(at(210.0, 122.0, "Net"));
    words.extend(at(310.0, 122.0, "Gross"));
    words.extend(at(60.0, 142.0, "A chair that needs"));
    words.extend(at(60.0, 153.0, "two lines"));
    words.extend(at(210.0, 142.0, "100.00"));
    words.extend(at(310.0, 142.0, "119.00"));
    words.extend(at(40.0, 300.0, "Text below."));
    let mut page = page(words);
    for y in [100.0, 120.0, 140.0, 170.0] {
        page.rules.push(rule(50.0, y, 400.0, y));
    }
    for x in [50.0, 200.0, 400.0] {
        page.rules.push(rule(x, 100.0, x, 170.0));
    }
    page.rules.push(rule(300.0, 120.0, 300.0, 170.0));
    arrange(&mut page);
    check_spans(&page);
    let [table] = page.tables.as_slice() else { panic!("{:?}", page.tables) };
    assert_eq!(
        grid(&page, table),
        ["|Prices|", "Item|Net|Gross", "A chair that needs two lines|100.00|119.00"]
    );
    assert_eq!(table.cells[0].column_span, 2);
    assert_eq!(table.header_rows, 2);
    assert!(page.rules.is_empty(), "layout takes the rules away");
    assert!(matches!(page.blocks[0].kind, BlockKind::Table { table: 0 }));
}

#[test]
fn aligned_words_are_a_table_without_a_line() {
    let mut words = Vec::new();
    let rows = [
        ("Country", "1996", "1997"),
        ("Austria", "58.6", "79.0"),
        ("United Kingdom", "4.2", "1,120.5"),
        ("Spain", "32.1", "38.9"),
    ];
    let mut y = 200.0;
    for (name, first, second) in rows {
        words.extend(at(60.0, y, name));
        let right =
            |end: f32, text: &str| end - 6.0 * f32::from(u16::try_from(text.len()).unwrap());
        words.extend(at(right(280.0, first), y, first));
        words.extend(at(right(380.0, second), y, second));
        y += 14.0;
    }
    words.extend(at(
        60.0,
        300.0,
        "And then there is a sentence below that has nothing to do with it.",
    ));
    let mut page = page(words);
    arrange(&mut page);
    check_spans(&page);
    let [table] = page.tables.as_slice() else { panic!("{:?}", page.tables) };
    let expected =
        ["Country|1996|1997", "Austria|58.6|79.0", "United Kingdom|4.2|1,120.5", "Spain|32.1|38.9"];
    assert_eq!(grid(&page, table), expected);
    assert_eq!(table.header_rows, 1);
}

#[test]
fn text_that_runs_upwards_is_laid_out_as_if_it_were_upright() {
    // The page of `aligned_words…`, turned by a quarter against the clock.
    let mut words = Vec::new();
    for (row, y) in
        [("Name 12.50 13.00", 100.0), ("Other 7.25 14.00", 114.0), ("Third 8.00 1.00", 128.0)]
    {
        for (text, x) in row.split(' ').zip([60.0, 250.0, 400.0]) {
            words.extend(at(x, y, text));
        }
    }
    let turned = |word: Word| {
        let area = word.area.map(|area| Area {
            left: area.top,
            top: 800.0 - area.right,
            right: area.bottom,
            bottom: 800.0 - area.left,
        });
        Word { area, ..word }
    };
    let mut page = page(words.into_iter().map(turned).collect());
    arrange(&mut page);
    check_spans(&page);
    let [table] = page.tables.as_slice() else { panic!("{:?}", page.tables) };
    assert_eq!(grid(&page, table), ["Name|12.50|13.00", "Other|7.25|14.00", "Third|8.00|1.00"]);
}

#[test]
fn headings_lists_and_paragraphs_are_told_apart() {
    let mut words = styled(at(40.0, 40.0, "The report"), 180, true);
    words.extend(styled(
        at(40.0, 80.0, "It begins with a sentence that is long enough to be one."),
        100,
        false,
    ));
    words.extend(styled(
        at(40.0, 92.0, "And it goes on with another one, for a paragraph."),
        100,
        false,
    ));
    words.extend(styled(at(40.0, 120.0, "1. first thing"), 100, false));
    words.extend(styled(at(60.0, 134.0, "• deeper thing"), 100, false));
    words.extend(styled(at(40.0, 148.0, "2. second thing"), 100, false));
    let mut page = page(words);
    arrange(&mut page);
    check_spans(&page);
    let kinds: Vec<BlockKind> = page.blocks.iter().map(|block| block.kind).collect();
    assert_eq!(
        kinds,
        [
            BlockKind::Heading { level: 1 },
            BlockKind::Paragraph,
            BlockKind::ListItem { depth: 0, number: Some(1) },
            BlockKind::ListItem { depth: 1, number: None },
            BlockKind::ListItem { depth: 0, number: Some(2) },
        ]
    );
    assert_eq!(page.blocks[1].lines, Span { from: 1, to: 3 });
}

#[test]
fn what_comes_back_at_the_edge_of_each_page_is_a_header_or_footer() {
    let mut layout = Layout::default();
    let mut last = Page::default();
    for number in 1..=2 {
        let mut words = at(40.0, 20.0, "Quarterly report");
        words.extend(at(40.0, 300.0, "Some text in the middle."));
        words.extend(at(300.0, 780.0, &format!("Page {number} of 2")));
        last = page(words);
        layout.arrange(&mut last);
        let kinds: Vec<BlockKind> = last.blocks.iter().map(|block| block.kind).collect();
        let header = if number == 1 { BlockKind::Paragraph } else { BlockKind::Header };
        assert_eq!(kinds, [header, BlockKind::Paragraph, BlockKind::Footer]);
    }
    assert_eq!(lines(&last)[2], "Page 2 of 2");
}

#[test]
fn labels_are_tied_to_their_values() {
    let mut words = at(40.0, 100.0, "Invoice no.: 4711");
    words.extend(at(300.0, 100.0, "Date: 1 May 2024"));
    words.extend(at(40.0, 140.0, "Amount due"));
    words.extend(at(300.0, 140.0, "EUR 12.50"));
    words.extend(at(40.0, 180.0, "Deliver to:"));
    words.extend(at(40.0, 192.0, "Rohstoff AG"));
    assert_eq!(
        pairs(words),
        [
            "Invoice no.: = 4711",
            "Date: = 1 May 2024",
            "Amount due = EUR 12.50",
            "Deliver to: = Rohstoff AG"
        ]
    );
}

/// What the labels of a page with these words are tied to.
fn pairs(words: Vec<Word>) -> Vec<String> {
    let mut page = page(words);
    arrange(&mut page);
    let shown =
        |pair: &KeyValue| format!("{} = {}", page.text_of(pair.key), page.text_of(pair.value));
    page.key_values.iter().map(shown).collect()
}

#[test]
fn a_row_of_labels_is_tied_to_the_row_below_and_never_to_itself() {
    let values = [("1 May 2024", "9 June", "AB-12"), ("Weber", "Otto Meier", "none")];
    for (number, (first, second, third)) in (0_u8..).zip(values) {
        let mut words = Vec::new();
        let top = 100.0 + f32::from(number);
        for (text, left) in [("Invoice Date:", 40.0), ("Due Date:", 220.0), ("Reference:", 400.0)] {
            words.extend(at(left, top, text));
        }
        for (text, left) in [(first, 40.0), (second, 220.0), (third, 400.0)] {
            words.extend(at(left, top + 14.0, text));
        }
        let expected = [
            format!("Invoice Date: = {first}"),
            format!("Due Date: = {second}"),
            format!("Reference: = {third}"),
        ];
        assert_eq!(pairs(words), expected);
    }
}

#[test]
fn a_number_between_two_labels_is_the_value_of_the_first() {
    let words = at(40.0, 100.0, "Fee: 8.50 % Value added tax: 0.19 Total : 8.69");
    let expected = ["Fee: = 8.50 %", "Value added tax: = 0.19", "Total : = 8.69"];
    assert_eq!(pairs(words), expected);
}

#[test]
fn labels_with_nothing_right_below_them_have_no_value() {
    let mut words = Vec::new();
    for (text, left) in [("Invoice Date:", 40.0), ("Due Date:", 220.0), ("Reference:", 400.0)] {
        words.extend(at(left, 100.0, text));
        words.extend(at(left, 114.0, "Further Label:"));
    }
    words.extend(at(40.0, 300.0, "Far below"));
    assert_eq!(pairs(words), [""; 0]);
}

#[test]
fn a_line_from_right_to_left_begins_at_the_right() {
    let mut words = at(100.0, 100.0, "עולם");
    words.extend(at(140.0, 100.0, "שלום"));
    let mut page = page(words);
    arrange(&mut page);
    assert_eq!(lines(&page), ["שלום עולם"]);
}

#[test]
fn words_at_impossible_places_lose_nothing() {
    let mut words = at(40.0, 100.0, "One two");
    words.push(Word { text: "nowhere".into(), ..Word::default() });
    let broken = Area { left: f32::NAN, top: 0.0, right: f32::INFINITY, bottom: 5.0 };
    words.push(Word { text: "broken".into(), area: Some(broken), ..Word::default() });
    let far = Area { left: -1e9, top: 1e9, right: 1e9, bottom: 1e9 };
    words.push(Word { text: "far".into(), area: Some(far), ..Word::default() });
    let mut page = page(words);
    arrange(&mut page);
    check_spans(&page);
    assert_eq!(page.words.len(), 5);
}

#[test]
fn many_words_at_random_places_take_no_time_and_lose_nothing() {
    let mut seed = 7_u32;
    let mut random = |below: u16| {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        f32::from(u16::try_from((seed >> 16) % u32::from(below)).unwrap())
    };
    let mut words = Vec::new();
    for _ in 0..5_000 {
        let (left, top) = (random(600), random(800));
        words.extend(at(left, top, "word"));
    }
    let mut page = page(words);
    for _ in 0..2_000 {
        let (x, y) = (random(600), random(800));
        page.rules.push(rule(x, y, x + random(300), y));
        page.rules.push(rule(x, y, x, y + random(300)));
    }
    arrange(&mut page);
    check_spans(&page);
    assert_eq!(page.words.len(), 5_000);
}
