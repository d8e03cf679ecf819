//! Headers and footers: text at the edge of the page that earlier pages had as well.
//!
//! Pages are processed one at a time, so on the first page only a page number is recognised. From the second page on, a
//! block near the edge is a header or footer when earlier pages had the same text at the same height, ignoring digits.

use std::collections::HashMap;

use pages::{BlockKind, Page};

/// The share of the page height for headers and footers.
const EDGE: f32 = 0.12;
/// The limit of remembered texts.
const MAX_TEXTS: usize = 2_000;

#[derive(Debug, Default)]
pub(crate) struct Repeated {
    /// How often a text was at the edge, by text and position.
    seen: HashMap<(String, Edge), u32>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Edge {
    Top,
    Bottom,
}

impl Repeated {
    /// Marks the page's headers and footers, and remembers its edges for the next.
    pub(crate) fn mark(&mut self, page: &mut Page) {
        let Some(size) = page.size else { return };
        for index in 0..page.blocks.len() {
            let block = &page.blocks[index];
            let text_block = !matches!(block.kind, BlockKind::Table { .. } | BlockKind::Figure);
            let (Some(area), true) = (block.area, text_block) else { continue };
            let edge = if area.bottom < EDGE * size.height {
                Edge::Top
            } else if area.top > (1.0 - EDGE) * size.height {
                Edge::Bottom
            } else {
                continue;
            };
            let text = without_digits(page, index);
            let is_number = is_page_number(&text);
            let known = self.seen.contains_key(&(text.clone(), edge));
            if self.seen.len() < MAX_TEXTS || known {
                *self.seen.entry((text, edge)).or_default() += 1;
            }
            if known || is_number {
                page.blocks[index].kind = match edge {
                    Edge::Top => BlockKind::Header,
                    Edge::Bottom => BlockKind::Footer,
                };
            }
        }
    }
}

/// The block's text with one `#` for each run of digits.
fn without_digits(page: &Page, block: usize) -> String {
    let mut text = String::new();
    for line in page.blocks[block].lines.of(&page.lines) {
        for char in page.text_of(line.words).chars() {
            match char {
                digit if digit.is_numeric() => {
                    if !text.ends_with('#') {
                        text.push('#');
                    }
                }
                other => text.extend(other.to_lowercase()),
            }
        }
        text.push(' ');
    }
    text.trim().to_owned()
}

/// `#`, `- # -`, `page # of #` and their like in other languages: a word or two around numbers.
fn is_page_number(text: &str) -> bool {
    let plain = |word: &str| {
        matches!(word.trim_matches(|char: char| char != '#'), "" | "#" | "#/#")
            && word.chars().all(|char| char.is_alphabetic() || "#-–/.|".contains(char))
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let numbers = words.iter().filter(|word| word.contains('#')).count();
    let letters = words.iter().filter(|word| word.contains(char::is_alphabetic)).count();
    (1..=2).contains(&numbers)
        && letters <= numbers
        && words.len() <= 5
        && words.iter().all(|word| plain(word))
}
