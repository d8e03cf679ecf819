//! Tests of chunk boundaries.

use super::*;

/// Imitates a tokenizer: six characters are one token.
fn count(text: &str) -> usize {
    text.split_whitespace().map(|word| word.chars().count().div_ceil(6)).sum()
}

fn block(kind: BlockKind, text: impl Into<String>) -> Block {
    let area = Area { page: 1, left: 0.0, top: 0.0, right: 10.0, bottom: 1.0 };
    Block { kind, text: text.into(), page: 1, areas: vec![area] }
}

fn heading(level: u8, text: &str) -> Block {
    block(BlockKind::Heading { level }, text)
}

fn paragraph(words: usize) -> Block {
    let text: Vec<String> = (0..words).map(|word| format!("w{word}")).collect();
    block(BlockKind::Paragraph, text.join(" "))
}

fn chunked(blocks: impl IntoIterator<Item = Block>) -> Vec<Chunk> {
    chunks(blocks.into_iter(), &count).collect()
}

fn tokens(blocks: impl IntoIterator<Item = Block>) -> Vec<u32> {
    chunked(blocks).iter().map(|chunk| chunk.tokens).collect()
}

#[test]
fn paragraphs_fill_a_chunk_and_stay_whole() {
    assert_eq!(tokens([paragraph(200), paragraph(200), paragraph(200), paragraph(50)]), [400, 250]);
    // A short paragraph joins the large one after it.
    assert_eq!(tokens([paragraph(50), paragraph(490)]), [540]);
    assert!(tokens([]).is_empty());
    assert!(tokens([block(BlockKind::Paragraph, " \n\t")]).is_empty());
}

#[test]
fn a_heading_begins_a_chunk_and_stays_with_its_text() {
    let found = chunked([
        heading(1, "Contract"),
        heading(2, "Payment"),
        paragraph(300),
        heading(2, "Term"),
        heading(3, "Notice"),
        paragraph(400),
        paragraph(300),
    ]);
    let starts: Vec<&str> =
        found.iter().map(|chunk| chunk.text.split(" w1 ").next().unwrap()).collect();
    assert_eq!(starts, ["Contract\n\nPayment\n\nw0", "Term\n\nNotice\n\nw0", "w0"]);
    assert_eq!(found[0].heading, ["Contract", "Payment"]);
    assert_eq!(found[1].heading, ["Contract", "Term", "Notice"]);
    assert!(found[1].embedding_text().starts_with("Contract\nTerm\n\nNotice\n\nw0"));
    assert!(found[2].embedding_text().starts_with("Contract\nTerm\nNotice\nw0 w1"));
}

#[test]
fn a_chunk_is_embedded_in_parts_that_fit_the_model() {
    let sentences = "Five words make a sentence. ".repeat(80);
    let chunk = Chunk {
        text: sentences.trim().to_owned(),
        heading: vec!["Terms".to_owned()],
        pages: 1..=1,
        places: Vec::new(),
        tokens: 400,
    };
    let parts = chunk.embedding_texts(128, &count);
    assert!(parts.len() >= 4);
    for part in &parts {
        assert!(part.starts_with("Terms\nFive words") && part.ends_with("sentence."), "{part}");
        assert!(count(part) <= 128);
    }
    let back: Vec<&str> = parts.iter().map(|part| part.strip_prefix("Terms\n").unwrap()).collect();
    assert_eq!(back.join(" "), chunk.text);
    assert_eq!(chunk.embedding_texts(1000, &count), [chunk.embedding_text()]);
    let titled = Chunk { heading: vec!["long ".repeat(100)], ..chunk };
    assert!(titled.embedding_texts(128, &count)[0].starts_with("Five"));
}

#[test]
fn a_chunk_does_not_end_with_a_heading() {
    let found = chunked([paragraph(170), heading(1, "A heading of some words"), paragraph(480)]);
    assert!(found.last().unwrap().text.starts_with("A heading"), "{found:?}");
    let long = (0..40).map(|word| format!("h{word}")).collect::<Vec<_>>().join(" ");
    for before in [100, 150, 174, 175, 200, 460] {
        for chunk in
            chunked([paragraph(before), heading(1, &long), heading(2, &long), paragraph(490)])
        {
            assert!(!chunk.text.ends_with("h39"), "after {before}");
            assert!(chunk.tokens <= 800);
        }
    }
}

#[test]
fn small_sections_share_a_chunk_with_their_common_headings() {
    let found = chunked([
        heading(1, "Terms"),
        heading(2, "One"),
        paragraph(30),
        heading(2, "Two"),
        paragraph(30),
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].heading, ["Terms"]);
    assert!(found[0].text.contains("\n\nTwo\n\n"));
}

#[test]
fn a_list_stays_together_when_it_fits() {
    let item = |words: usize| Block { kind: BlockKind::ListItem, ..paragraph(words) };
    let list = || (0..10).map(|_| item(30));
    let found = chunked([paragraph(300)].into_iter().chain(list()).chain([paragraph(20)]));
    assert_eq!(found.iter().map(|chunk| chunk.tokens).collect::<Vec<_>>(), [300, 320]);
    assert_eq!(
        found[1].text.matches("\n\n").count(),
        1,
        "the items of a list are separated by single line breaks"
    );
    let long = tokens((0..100).map(|_| item(30)));
    assert_eq!(long.iter().sum::<u32>(), 3000);
    let (_, full) = long.split_last().unwrap();
    assert!(full.iter().all(|tokens| (350..=500).contains(tokens)), "{long:?}");
}

#[test]
fn the_parts_of_a_table_repeat_its_header() {
    let rows: Vec<String> = (0..200).map(|row| format!("item{row} | {row} | 1.00")).collect();
    let text = format!("name | count | price\n{}", rows.join("\n"));
    let table = block(BlockKind::Table { header_rows: 1 }, text);
    let found = chunked([table]);
    assert!(found.len() >= 2);
    for chunk in &found {
        assert!(chunk.text.starts_with("name | count | price\nitem"), "{}", chunk.text);
        assert!(chunk.tokens <= 500);
    }
    let all: Vec<&str> = found.iter().flat_map(|chunk| chunk.text.lines().skip(1)).collect();
    assert_eq!(all, rows);
}

#[test]
fn running_headers_and_footers_are_omitted() {
    let found = chunked([
        block(BlockKind::Header, "Secret"),
        paragraph(3),
        block(BlockKind::Footer, "page 1"),
    ]);
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].text, "w0 w1 w2");
}

#[test]
fn a_chunk_knows_its_pages_and_places() {
    let on = |page: u32| {
        let area = Area { page, left: 1.0, top: 2.0, right: 3.0, bottom: 4.0 };
        Block { page, areas: vec![area], ..paragraph(100) }
    };
    let found = chunked([on(2), on(3), on(3)]);
    assert_eq!(found[0].pages, 2..=3);
    assert_eq!(found[0].places.iter().map(|place| place.area.page).collect::<Vec<_>>(), [2, 3]);
}

#[test]
fn chunks_are_yielded_before_all_blocks_are_read() {
    let read = std::cell::Cell::new(0);
    let endless = std::iter::repeat_with(|| {
        read.set(read.get() + 1);
        paragraph(100)
    });
    assert_eq!(chunks(endless, &count).take(3).count(), 3);
    assert!(read.get() < 20);
}

/// Numbers from a seed (splitmix64).
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        usize::try_from((mixed ^ (mixed >> 31)) % limit).unwrap()
    }

    fn text(&mut self) -> String {
        let separators = [" ", " ", " ", " ", "\n", ". ", "! ", "\n\n", "\u{a0}", "。"];
        let length = [1, 5, 40, 40, 300, 1500][self.below(6)];
        let mut text = String::new();
        for _ in 0..=self.below(length) {
            let letters = if self.below(400) == 0 { 20_000 } else { 9 };
            for _ in 0..self.below(letters) {
                text.push(['a', 'b', 'Z', 'é', '漢', '7', '.', '😀'][self.below(8)]);
            }
            text.push_str(separators[self.below(10)]);
        }
        text
    }

    fn block(&mut self) -> Block {
        let kind = match self.below(12) {
            0 | 1 => BlockKind::Heading { level: u8::try_from(self.below(4)).unwrap() },
            2 | 3 => BlockKind::ListItem,
            4 => BlockKind::Table { header_rows: self.below(3) },
            5 => BlockKind::Figure,
            6 => BlockKind::Header,
            7 => BlockKind::Footer,
            _ => BlockKind::Paragraph,
        };
        Block { page: u32::try_from(self.below(50)).unwrap(), ..block(kind, self.text()) }
    }
}

fn letters(text: &str) -> impl Iterator<Item = char> {
    text.chars().filter(|letter| !letter.is_whitespace())
}

#[test]
fn random_blocks_lose_nothing_and_no_chunk_is_empty_or_too_large() {
    for seed in 0..150 {
        let mut numbers = Numbers(seed);
        let blocks: Vec<Block> = (0..numbers.below(30)).map(|_| numbers.block()).collect();
        let found = chunked(blocks.clone());
        assert_eq!(found, chunked(blocks.clone()), "seed {seed}");
        for chunk in &found {
            assert!(!chunk.text.trim().is_empty(), "seed {seed}");
            assert!(chunk.tokens as usize <= MAX_TOKENS, "seed {seed}: {} tokens", chunk.tokens);
            assert!(chunk.text.chars().count() <= MAX_TOKENS * 8, "seed {seed}");
            assert!(chunk.places.len() <= 16 && !chunk.places.is_empty(), "seed {seed}");
        }
        let kept = |block: &&Block| !matches!(block.kind, BlockKind::Header | BlockKind::Footer);
        let tables = blocks.iter().any(|block| matches!(block.kind, BlockKind::Table { .. }));
        let expected: Vec<char> =
            blocks.iter().filter(kept).flat_map(|block| letters(&block.text)).collect();
        let mut given = found.iter().flat_map(|chunk| letters(&chunk.text));
        if tables {
            // Table headers are repeated, but everything is present in order.
            assert!(
                expected.iter().all(|letter| given.any(|found| found == *letter)),
                "seed {seed}"
            );
        } else {
            assert!(given.eq(expected), "seed {seed}");
        }
    }
}
