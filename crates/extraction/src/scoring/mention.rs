//! Candidates with the words around them, which stay when the page is gone.

use pages::Span;

use crate::candidates::{Found, currency};
use crate::fold::fold;
use crate::geometry::View;

/// How many words of each kind of neighbourhood are kept.
const LEFT: usize = 6;
const RIGHT: usize = 3;
const ABOVE: usize = 5;
const PREVIOUS: usize = 12;
const NEXT: usize = 4;
const HEADING: usize = 6;

/// The words around a value, folded and without punctuation. Numbers and currencies are left out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    /// Of the same row, the nearest first.
    pub left: Vec<String>,
    /// The number of other values between this one and the nearest word to its left.
    pub values_between: usize,
    pub right: Vec<String>,
    /// Of the nearest row above, where they overlap the value.
    pub above: Vec<String>,
    /// The header of the column.
    pub header: Vec<String>,
    /// The whole row above.
    pub previous: Vec<String>,
    /// The words of the row above at about the same position, counted in values: tables lose their columns in some files.
    pub aligned: Vec<String>,
    pub next: Vec<String>,
    pub section: Vec<String>,
    pub key: Vec<String>,
    pub column: Vec<String>,
    /// The first word of the row.
    pub first: Option<String>,
    /// The position among the values of the row, and their number.
    pub position: (usize, usize),
    /// In tenths of the page's height.
    pub band: Option<u8>,
    /// A time of day follows, as after the date of an execution.
    pub timed: bool,
    /// A place and a comma precede it, as before the date of a letter.
    pub after_place: bool,
}

/// A candidate with its context.
#[derive(Clone, Debug, PartialEq)]
pub struct Mention {
    pub found: Found,
    /// The number of the visual row in the document.
    pub row: usize,
    pub context: Context,
}

/// A word as contexts contain it; `None` for a number, a currency or punctuation.
pub fn context_word(text: &str) -> Option<String> {
    if text.len() > 60 || currency(text).is_some() {
        return None;
    }
    let word: String = fold(text).chars().filter(|c| c.is_alphanumeric()).collect();
    let digits = word.chars().filter(char::is_ascii_digit).count();
    (!word.is_empty() && digits * 2 < word.len()).then_some(word)
}

/// The words of a page as contexts contain them.
#[derive(Debug)]
pub struct PageWords {
    words: Vec<Option<String>>,
    /// For each word whether it is part of a value.
    values: Vec<bool>,
}

impl PageWords {
    pub fn new(view: &View<'_>, found: &[Found]) -> Self {
        let words = view.page.words.iter().map(|word| context_word(&word.text)).collect();
        let mut values = vec![false; view.page.words.len()];
        for found in found {
            if let Some(slots) = values.get_mut(found.words.range()) {
                slots.fill(true);
            }
        }
        Self { words, values }
    }

    fn of<'a>(
        &'a self,
        words: impl Iterator<Item = usize> + 'a,
    ) -> impl Iterator<Item = String> + 'a {
        words.filter(|&word| !self.values[word]).filter_map(|word| self.words[word].clone())
    }

    fn span(&self, span: Span) -> Vec<String> {
        let range = span.range();
        let range = range.start.min(self.words.len())..range.end.min(self.words.len());
        self.of(range).take(HEADING).collect()
    }

    pub fn row(&self, view: &View<'_>, row: usize) -> Vec<String> {
        self.of(view.rows[row].words.iter().copied()).collect()
    }
}

/// The context of a value.
pub fn context(view: &View<'_>, words: &PageWords, found: &Found) -> Context {
    let span = found.words;
    let Some((row, _)) = view.place(span.from as usize) else { return Context::default() };
    let left: Vec<usize> = view.left_of(span).collect();
    let before = left.iter().take_while(|&&word| words.values[word] || words.words[word].is_none());
    let position = values_before(words, &view.rows[row].words, span);
    let above = view.above(span, 1).into_iter().next().unwrap_or_default();
    let header = view.header_above(span).filter(|(distance, _)| *distance > 1);
    let previous: Vec<String> = match row.checked_sub(1) {
        Some(above) => words.row(view, above).into_iter().take(PREVIOUS).collect(),
        None => Vec::new(),
    };
    let next = if row + 1 < view.rows.len() { words.row(view, row + 1) } else { Vec::new() };
    let band = view.page.size.zip(found.area).map(|(size, area)| {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let band = (area.top / size.height.max(1.0) * 10.0).clamp(0.0, 9.0) as u8;
        band
    });
    let cell = view.cell_headers(span.from as usize);
    let split = |text: &str| text.split(' ').filter_map(context_word).take(HEADING).collect();
    Context {
        values_between: before.filter(|&&word| words.values[word]).count(),
        left: words.of(left.iter().copied()).take(LEFT).collect(),
        right: words.of(view.right_of(span)).take(RIGHT).collect(),
        above: words.of(above.into_iter()).take(ABOVE).collect(),
        header: header
            .map_or_else(Vec::new, |(_, found)| words.of(found.into_iter()).take(ABOVE).collect()),
        aligned: aligned(&previous, position),
        previous,
        next: next.into_iter().take(NEXT).collect(),
        section: view.section(span.from as usize).map_or_else(Vec::new, |span| words.span(span)),
        key: view.key(span.from as usize).map_or_else(Vec::new, |span| words.span(span)),
        column: cell.map_or_else(Vec::new, |cell| split(&cell.column)),
        first: words.of(view.rows[row].words.iter().copied()).next(),
        position,
        band,
        timed: is_timed(view, found),
        after_place: is_after_place(view, &left),
    }
}

/// Whether a time of day touches a date or follows it, perhaps after `um` or a stroke.
fn is_timed(view: &View<'_>, found: &Found) -> bool {
    let after = view.right_of(found.words).take(3).map(|word| view.page.words[word].text.as_str());
    found.date().is_some() && (has_time(&found.raw) || after.into_iter().any(has_time))
}

/// Whether a word contains a time such as `9:05` or `21:11:58`.
fn has_time(text: &str) -> bool {
    let mut parts = text.split(':');
    let digits = |text: &str| text.bytes().take_while(u8::is_ascii_digit).count();
    let before =
        parts.next().map_or(0, |part| part.bytes().rev().take_while(u8::is_ascii_digit).count());
    (1..=2).contains(&before) && parts.next().is_some_and(|minutes| digits(minutes) == 2)
}

/// Whether the words before a value are a place and a comma: `Wien, 24. August 2011`, `Paris, le 3 mai 2021`.
fn is_after_place(view: &View<'_>, left: &[usize]) -> bool {
    let mut words = left.iter().map(|&word| view.page.words[word].text.as_str());
    let is_place =
        |word: &str| word.ends_with(',') && word.chars().next().is_some_and(char::is_uppercase);
    match words.next() {
        Some("den" | "le" | "li" | "a" | "il" | "am") => words.next().is_some_and(is_place),
        Some(word) => is_place(word),
        None => false,
    }
}

/// How many values of the row are before this one, and how many there are.
fn values_before(words: &PageWords, row: &[usize], span: Span) -> (usize, usize) {
    let mut before = 0;
    let mut count = 0;
    let mut inside = false;
    for &word in row {
        let value = words.values[word];
        if value && !inside {
            if word < span.from as usize {
                before += 1;
            }
            count += 1;
        }
        inside = value;
    }
    (before, count)
}

/// The two words of the row above that are as far along as the value.
fn aligned(previous: &[String], (position, count): (usize, usize)) -> Vec<String> {
    if previous.is_empty() || count == 0 {
        return Vec::new();
    }
    if position + 1 == count {
        return previous.iter().rev().take(2).cloned().collect();
    }
    let at = position * previous.len() / count;
    previous.iter().skip(at).take(2).cloned().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::{find, page_of_rows};

    fn context_of_first(row: &str) -> Context {
        let page = page_of_rows(&[row]);
        let view = View::new(&page);
        let found = find(&view);
        context(&view, &PageWords::new(&view, &found), &found[0])
    }

    #[test]
    fn a_time_of_day_beside_a_date_is_noticed() {
        for row in ["1 Jun 2023 20:37:32", "01.06.2023 / 9:05 Uhr", "2023-06-01T10:15:00"] {
            assert!(context_of_first(row).timed, "{row}");
        }
        for row in ["01.06.2023", "01.06.2023 Kurs: 12,30", "01.06.2023 Nr. 7:1"] {
            assert!(!context_of_first(row).timed, "{row}");
        }
    }

    #[test]
    fn the_date_of_a_letter_follows_a_place() {
        for row in ["Wien, 24. August 2011", "Paris, le 3 mai 2021", "Basel, den 01.01.2018"] {
            assert!(context_of_first(row).after_place, "{row}");
        }
        for row in ["Valuta 24. August 2011", "bis, 01.01.2018", "01.01.2018"] {
            assert!(!context_of_first(row).after_place, "{row}");
        }
    }
}
