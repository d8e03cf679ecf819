//! Every typed value on a page (*candidates*): where it is, how it is written, and what it means.
//!
//! A number is found once, with what is written beside it (currency, unit, percent sign, debit or credit); which fields it
//! may fill follows from that ([`Found::fits`]). What cannot be decided from one page alone stays open: a value that may be
//! read in two ways has [`Found::other`], and [`Conventions`] decide for the whole document.
//!
//! For an uncertain word of OCR both readings give candidates; those of the alternative have the source
//! [`FieldSource::OcrAlternative`].

mod codes;
mod conventions;
mod currencies;
mod dates;
mod ids;
mod numbers;
mod products;

use chrono::NaiveDate;
use domain::{FieldKind, FieldSource};
use pages::{Area, Span};
use rust_decimal::Decimal;

pub use conventions::Conventions;
pub use currencies::currency;
pub use dates::month_of;
pub use numbers::parse_number;
pub use products::Products;

use crate::geometry::View;

/// The most candidates of a page. A page of a contract note has about a hundred.
pub const MAX_PER_PAGE: usize = 20_000;
/// The longest word that is examined, in bytes. Longer ones have no typed value.
const MAX_WORD: usize = 80;

/// A normalised value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    Date(NaiveDate),
    /// With its sign.
    Number(Decimal),
    /// A code or identifier, without spaces.
    Code(String),
}

/// Whether an amount is marked as a debit or a credit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Debit,
    Credit,
}

/// A typed value on a page.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// Date, Money, Quantity, Percent, Number, or the kind of a code.
    pub kind: FieldKind,
    pub value: Value,
    /// The other meaning: day and month exchanged, or the separator read as the other one.
    pub other: Option<Value>,
    /// The words of the value, without the currency or unit beside it.
    pub words: Span,
    pub raw: String,
    pub page: u32,
    pub area: Option<Area>,
    pub source: FieldSource,
    /// ISO 4217.
    pub currency: Option<String>,
    /// The word for the unit beside a quantity: `STK`, `shares`.
    pub unit: Option<String>,
    pub entry: Option<Entry>,
    /// Digits after the decimal separator.
    pub decimals: u8,
    /// Several words were joined into one number: `3 132,67`.
    pub joined: bool,
}

impl Found {
    /// Whether a field of this kind may have this value.
    pub fn fits(&self, kind: FieldKind) -> bool {
        match kind {
            FieldKind::Money => {
                self.kind == FieldKind::Money
                    || (self.kind == FieldKind::Number && self.decimals >= 1)
            }
            FieldKind::Quantity => {
                matches!(self.kind, FieldKind::Quantity | FieldKind::Number)
                    || (self.kind == FieldKind::Money && self.decimals <= 8)
            }
            FieldKind::Number => {
                matches!(self.kind, FieldKind::Quantity | FieldKind::Number | FieldKind::Money)
            }
            kind => self.kind == kind,
        }
    }

    pub fn number(&self) -> Option<Decimal> {
        self.value.number()
    }

    pub fn date(&self) -> Option<NaiveDate> {
        if let Value::Date(date) = self.value { Some(date) } else { None }
    }

    /// Whether two meanings are possible.
    pub fn is_ambiguous(&self) -> bool {
        self.other.is_some()
    }

    /// The value as results contain it: a decimal string, an ISO date or a code.
    pub fn normalised(&self) -> String {
        self.value.to_string()
    }
}

impl Found {
    /// Takes the other meaning as the only one.
    fn exchange(&mut self) {
        let Some(other) = self.other.take() else { return };
        if let Value::Number(number) = &other {
            self.decimals = u8::try_from(number.scale()).unwrap_or(u8::MAX);
        }
        self.value = other;
    }
}

impl Value {
    fn number(&self) -> Option<Decimal> {
        if let Self::Number(number) = self { Some(*number) } else { None }
    }
}

impl std::fmt::Display for Value {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Date(date) => write!(f, "{date}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Code(code) => f.write_str(code),
        }
    }
}

/// A word of a row as the finders read it.
#[derive(Clone, Copy, Debug)]
struct Token<'p> {
    /// The index into the page's words.
    word: usize,
    text: &'p str,
}

/// A value in a row: the tokens it covers, and what was found.
#[derive(Debug)]
struct Hit {
    from: usize,
    to: usize,
    kind: FieldKind,
    value: Value,
    other: Option<Value>,
    currency: Option<String>,
    unit: Option<String>,
    entry: Option<Entry>,
    decimals: u8,
}

impl Hit {
    fn new(range: std::ops::Range<usize>, kind: FieldKind, value: Value) -> Self {
        Self {
            from: range.start,
            to: range.end,
            kind,
            value,
            other: None,
            currency: None,
            unit: None,
            entry: None,
            decimals: 0,
        }
    }

    fn code(range: std::ops::Range<usize>, kind: FieldKind, code: impl Into<String>) -> Self {
        Self::new(range, kind, Value::Code(code.into()))
    }
}

/// Finds every typed value of a page, row by row.
pub fn find(view: &View<'_>) -> Vec<Found> {
    let mut found = Vec::new();
    for row in 0..view.rows.len() {
        let words = &view.rows[row].words;
        let tokens: Vec<Token<'_>> = words.iter().map(|&word| token(view, word, false)).collect();
        for hit in hits(view, row, &tokens) {
            found.push(evidence(view, &tokens, hit, FieldSource::Page));
        }
        for (at, &word) in words.iter().enumerate() {
            if view.page.words[word].other.is_some() {
                alternative(view, row, at, &tokens, &mut found);
            }
        }
        if found.len() >= MAX_PER_PAGE {
            found.truncate(MAX_PER_PAGE);
            break;
        }
    }
    found
}

/// Finds the values that contain the other reading of one word.
fn alternative(
    view: &View<'_>,
    row: usize,
    at: usize,
    tokens: &[Token<'_>],
    found: &mut Vec<Found>,
) {
    let from = at.saturating_sub(6);
    let to = (at + 7).min(tokens.len());
    let mut part: Vec<Token<'_>> = tokens[from..to].to_vec();
    part[at - from] = token(view, tokens[at].word, true);
    for hit in hits(view, row, &part) {
        if (hit.from..hit.to).contains(&(at - from)) {
            found.push(evidence(view, &part, hit, FieldSource::OcrAlternative));
        }
    }
}

fn token<'p>(view: &View<'p>, word: usize, other: bool) -> Token<'p> {
    let found = &view.page.words[word];
    let text = match &found.other {
        Some(reading) if other => &reading.text,
        _ => &found.text,
    };
    // Long words have no typed value, but they separate others.
    Token { word, text: if text.len() > MAX_WORD { "" } else { text } }
}

fn hits(view: &View<'_>, row: usize, tokens: &[Token<'_>]) -> Vec<Hit> {
    let mut hits = Vec::new();
    dates::find(tokens, &mut hits);
    let dated = covered(&hits, tokens.len());
    codes::find(view, row, tokens, &mut hits);
    ids::find(view, row, tokens, &dated, &mut hits);
    numbers::find(view, tokens, &dated, &mut hits);
    hits
}

fn covered(hits: &[Hit], tokens: usize) -> Vec<bool> {
    let mut covered = vec![false; tokens];
    for hit in hits {
        covered[hit.from..hit.to].fill(true);
    }
    covered
}

fn evidence(view: &View<'_>, tokens: &[Token<'_>], hit: Hit, source: FieldSource) -> Found {
    let own = &tokens[hit.from..hit.to];
    let mut raw = String::new();
    for token in own {
        if !raw.is_empty() {
            raw.push(' ');
        }
        raw.push_str(token.text);
    }
    let areas = own.iter().filter_map(|token| view.page.words[token.word].area);
    let first = own.iter().map(|token| token.word).min().unwrap_or_default();
    let last = own.iter().map(|token| token.word).max().unwrap_or_default();
    // Words of one row need not follow each other in reading order.
    let last = if last - first < own.len() { last } else { first };
    Found {
        kind: hit.kind,
        value: hit.value,
        other: hit.other,
        words: Span::new(first..last + 1),
        raw,
        page: view.page.number,
        area: areas.reduce(|all, area| all.around(&area)),
        source,
        currency: hit.currency,
        unit: hit.unit,
        entry: hit.entry,
        decimals: hit.decimals,
        joined: own.len() > 1,
    }
}

#[cfg(test)]
mod tests;
#[cfg(test)]
pub(crate) use tests::page as page_of_rows;
