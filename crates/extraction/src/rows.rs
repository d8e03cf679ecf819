//! The visual rows of pages: the words that are on one height, from left to right.
//!
//! Lines of the page model follow the reading order, so a row of a table may be several of them. Invoices and receipts
//! are read by rows instead. Rows here are narrower than those of [`crate::geometry`]: a large word beside small ones does not
//! join the rows that it touches, which tables of photographed receipts need. A *token* is a word or a part of one (`Nr.:47` is two tokens), a *segment* is a run of
//! tokens of a row without a wide gap.

use std::cmp::Ordering;

use pages::{Area, Page};
use unicode_normalization::UnicodeNormalization;

/// Documents with more tokens are truncated: the work stays bounded.
const MAX_TOKENS: usize = 100_000;
/// A gap wider than this many heights of the text separates two segments.
const WIDE_GAP: f32 = 0.85;
/// The size of a character of text without coordinates.
const CHARACTER: (f32, f32) = (6.0, 12.0);

#[derive(Clone, Debug)]
pub(crate) struct Token {
    pub(crate) text: String,
    /// Lower case without accents and punctuation, for comparisons.
    pub(crate) key: String,
    pub(crate) area: Area,
    /// The other OCR reading.
    pub(crate) other: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Row {
    pub(crate) page: u32,
    pub(crate) area: Area,
    pub(crate) tokens: Vec<Token>,
}

/// The rows of a document, from top to bottom.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub(crate) list: Vec<Row>,
    /// Width and height of each page, by number.
    pub(crate) sizes: std::collections::BTreeMap<u32, (f32, f32)>,
    /// Whether coordinates were made up for text without them.
    is_typed: bool,
    tokens: usize,
}

/// Tokens of one row that follow each other without a wide gap.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    /// The index of the row.
    pub(crate) row: usize,
    pub(crate) tokens: &'a [Token],
}

impl Segment<'_> {
    pub(crate) fn area(&self) -> Area {
        around(self.tokens)
    }

    pub(crate) fn text(&self) -> String {
        text_of(self.tokens)
    }
}

impl Row {
    pub(crate) fn height(&self) -> f32 {
        self.area.height().max(1.0)
    }

    /// The ranges of tokens between wide gaps.
    pub(crate) fn ranges(&self) -> Vec<std::ops::Range<usize>> {
        let mut ranges = Vec::new();
        let mut start = 0;
        for index in 1..self.tokens.len() {
            let (left, right) = (&self.tokens[index - 1], &self.tokens[index]);
            let height = left.area.height().min(right.area.height()).max(1.0);
            if right.area.left - left.area.right > WIDE_GAP * height {
                ranges.push(start..index);
                start = index;
            }
        }
        if start < self.tokens.len() {
            ranges.push(start..self.tokens.len());
        }
        ranges
    }
}

impl Rows {
    #[cfg(test)]
    fn of<'a>(pages: impl IntoIterator<Item = &'a Page>) -> Self {
        let mut rows = Self::default();
        for page in pages {
            rows.add(page);
        }
        rows
    }

    /// Adds the rows of a page. Returns whether there was room for it.
    pub(crate) fn add(&mut self, page: &Page) -> bool {
        let left = MAX_TOKENS - self.tokens.min(MAX_TOKENS);
        if left == 0 {
            return false;
        }
        let is_placed = page.words.iter().any(|word| word.area.is_some());
        let mut tokens =
            if is_placed { placed_tokens(page, left) } else { typed_tokens(page, left) };
        self.is_typed |= !is_placed && !tokens.is_empty();
        self.tokens += tokens.len();
        let size = page.size.map_or_else(
            || {
                let around = around(&tokens);
                (around.right.max(1.0), around.bottom.max(1.0))
            },
            |size| (size.width.max(1.0), size.height.max(1.0)),
        );
        self.sizes.insert(page.number, size);
        group(page.number, &mut tokens, &mut self.list);
        true
    }

    /// Whether the words have coordinates on the page.
    pub(crate) fn placed(&self) -> bool {
        !self.is_typed
    }

    pub(crate) fn segments(&self) -> impl Iterator<Item = Segment<'_>> {
        self.list.iter().enumerate().flat_map(|(index, row)| {
            row.ranges()
                .into_iter()
                .map(move |range| Segment { row: index, tokens: &row.tokens[range] })
        })
    }

    pub(crate) fn size(&self, page: u32) -> (f32, f32) {
        self.sizes.get(&page).copied().unwrap_or((595.0, 842.0))
    }
}

pub(crate) fn around(tokens: &[Token]) -> Area {
    tokens.iter().map(|token| token.area).reduce(|all, area| all.around(&area)).unwrap_or_default()
}

pub(crate) fn text_of(tokens: &[Token]) -> String {
    let mut text = String::new();
    let mut last: Option<&Token> = None;
    for token in tokens {
        // Parts of one word have no space between them.
        if last.is_some_and(|last| (token.area.left - last.area.right).abs() > 0.01) {
            text.push(' ');
        }
        text.push_str(&token.text);
        last = Some(token);
    }
    text
}

/// Lower case, without accents and punctuation. The words and signs for *number* become `no`.
pub(crate) fn key(text: &str) -> String {
    let mut key = String::with_capacity(text.len());
    for char in text.nfd() {
        match char {
            'ß' | 'ẞ' => key.push_str("ss"),
            'æ' | 'Æ' => key.push_str("ae"),
            'ø' | 'Ø' => key.push('o'),
            '#' | '№' => key.push_str("no"),
            char if char.is_alphanumeric() => key.extend(char.to_lowercase()),
            _ => {}
        }
    }
    match key.as_str() {
        "nr" | "n" | "num" | "nummer" | "number" | "numero" | "nro" | "nbr" => "no".to_owned(),
        _ => key,
    }
}

fn token(text: &str, area: Area, other: Option<String>) -> Token {
    Token { text: text.to_owned(), key: key(text), area, other }
}

fn placed_tokens(page: &Page, limit: usize) -> Vec<Token> {
    let mut tokens = Vec::new();
    for word in &page.words {
        let Some(area) = word.area else { continue };
        let finite = [area.left, area.top, area.right, area.bottom].iter().all(|at| at.is_finite());
        let characters = word.text.chars().count();
        // Vertical text is no part of any row.
        let vertical = characters >= 4 && area.height() > 1.2 * area.width();
        if !finite || vertical || word.text.trim().is_empty() {
            continue;
        }
        split(&word.text, area, word.other.as_ref().map(|other| other.text.as_str()), &mut tokens);
        if tokens.len() >= limit {
            tokens.truncate(limit);
            break;
        }
    }
    tokens
}

/// Text without coordinates, as if each line were typed on a row of its own.
fn typed_tokens(page: &Page, limit: usize) -> Vec<Token> {
    let (width, height) = CHARACTER;
    let mut tokens = Vec::new();
    let mut top = 0.0;
    for line in &page.lines {
        let mut left = 0.0;
        for word in line.words.of(&page.words) {
            #[expect(clippy::cast_precision_loss, reason = "words are short")]
            let right = left + width * word.text.chars().count() as f32;
            let area = Area { left, top, right, bottom: top + height };
            split(&word.text, area, None, &mut tokens);
            left = right + 0.5 * width;
        }
        top += height;
        if tokens.len() >= limit {
            tokens.truncate(limit);
            break;
        }
    }
    tokens
}

/// Splits a label from the value that is attached to it: `Nr.:47`, `:47`, `n°562`, `#12`, and a postcode from its city.
fn split(text: &str, area: Area, other: Option<&str>, tokens: &mut Vec<Token>) {
    match boundary(text) {
        Some(at) if at > 0 && at < text.len() => {
            #[expect(clippy::cast_precision_loss, reason = "words are short")]
            let part = at as f32 / text.len() as f32;
            let middle = area.left + part * area.width();
            let (first, second) = text.split_at(at);
            tokens.push(token(first, Area { right: middle, ..area }, None));
            tokens.push(token(second, Area { left: middle, ..area }, None));
        }
        _ => tokens.push(token(text, area, other.map(str::to_owned))),
    }
}

fn boundary(text: &str) -> Option<usize> {
    let letters = |part: &str| part.chars().any(char::is_alphabetic);
    if let Some(colon) = text.find(':') {
        let (label, value) = (&text[..colon], &text[colon + 1..]);
        let is_label = label.is_empty() || letters(label);
        return (is_label && !value.is_empty() && !value.starts_with('/')).then_some(colon + 1);
    }
    for sign in ["N°", "n°", "Nº", "nº", "#", "№"] {
        if let Some(value) = text.strip_prefix(sign) {
            return value.chars().any(|char| char.is_ascii_digit()).then_some(sign.len());
        }
    }
    let digits = text.chars().take_while(char::is_ascii_digit).count();
    let rest = &text[digits..];
    let city = (4..=5).contains(&digits)
        && rest.chars().count() >= 3
        && rest.chars().all(|char| char.is_alphabetic() || char == '-')
        && rest.chars().next().is_some_and(char::is_uppercase)
        && rest.chars().nth(1).is_some_and(char::is_lowercase);
    city.then_some(digits)
}

/// Groups the tokens of a page into rows.
fn group(page: u32, tokens: &mut Vec<Token>, rows: &mut Vec<Row>) {
    let middle = |area: &Area| f32::midpoint(area.top, area.bottom);
    tokens.sort_by(|a, b| middle(&a.area).total_cmp(&middle(&b.area)));
    let first = rows.len();
    // The mean middle and height of each row.
    let mut means: Vec<(f32, f32, f32)> = Vec::new();
    for token in tokens.drain(..) {
        let (at, height) = (middle(&token.area), token.area.height().max(1.0));
        let near = (first..rows.len()).rev().take(4).find(|row| {
            let (mean, mean_height, _) = means[row - first];
            (at - mean).abs() <= 0.45 * height.min(mean_height)
        });
        if let Some(row) = near {
            let (mean, mean_height, count) = &mut means[row - first];
            *mean = (*mean * *count + at) / (*count + 1.0);
            *mean_height = (*mean_height * *count + height) / (*count + 1.0);
            *count += 1.0;
            rows[row].area = rows[row].area.around(&token.area);
            rows[row].tokens.push(token);
        } else {
            means.push((at, height, 1.0));
            rows.push(Row { page, area: token.area, tokens: vec![token] });
        }
    }
    for row in &mut rows[first..] {
        row.tokens.sort_by(|a, b| {
            let order = a.area.left.total_cmp(&b.area.left);
            if order == Ordering::Equal { a.area.right.total_cmp(&b.area.right) } else { order }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pages::Word;

    fn page(words: &[(&str, f32, f32)]) -> Page {
        let words = words
            .iter()
            .map(|(text, left, top)| Word {
                text: (*text).to_owned(),
                area: Some(Area {
                    left: *left,
                    top: *top,
                    right: left + 5.0 * f32::from(u16::try_from(text.len()).unwrap()),
                    bottom: top + 10.0,
                }),
                ..Word::default()
            })
            .collect();
        Page { number: 1, words, ..Page::default() }
    }

    #[test]
    fn words_of_one_height_are_a_row_from_left_to_right() {
        let page = page(&[("9,00", 300.0, 101.0), ("below", 10.0, 115.0), ("Stahl", 10.0, 100.0)]);
        let rows = Rows::of([&page]);
        let texts: Vec<String> = rows.list.iter().map(|row| text_of(&row.tokens)).collect();
        assert_eq!(texts, ["Stahl 9,00", "below"]);
        assert_eq!(rows.segments().count(), 3, "a wide gap separates the amount");
    }

    #[test]
    fn a_label_is_split_from_its_value() {
        let page = page(&[
            ("Nr.:47", 0.0, 0.0),
            ("n°562", 50.0, 0.0),
            ("88802Kreis", 90.0, 0.0),
            ("12:30", 150.0, 0.0),
        ]);
        let texts: Vec<String> =
            Rows::of([&page]).list[0].tokens.iter().map(|token| token.text.clone()).collect();
        assert_eq!(texts, ["Nr.:", "47", "n°", "562", "88802", "Kreis", "12:30"]);
    }

    #[test]
    fn keys_ignore_accents_case_and_the_sign_for_number() {
        assert_eq!(key("Empfänger:"), "empfanger");
        assert_eq!(key("N°"), "no");
        assert_eq!(key("Straße"), "strasse");
    }
}
