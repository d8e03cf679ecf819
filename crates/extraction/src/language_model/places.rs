//! Finding a claim on a page.

use std::ops::Range;

use chrono::NaiveDate;
use domain::{FieldKind, FieldSource};
use pages::{Area, Page, Span};
use rust_decimal::Decimal;

use super::claims::{Claim, Meaning, code};
use crate::candidates::{self, Conventions, Found, Value, currency};
use crate::fold::fold;
use crate::geometry::View;
use crate::invoice::country;
use crate::scoring::labels::{LabelIndex, Place as LabelPlace};
use crate::scoring::mention::{PageWords, context};
use crate::types::FieldSpec;

/// The most places of a claim that are kept.
const MAX_PLACES: usize = 40;
/// How far apart rows of a page without areas count as being, in points.
const ROW_HEIGHT: f32 = 12.0;

/// Where a claim is on a page.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) page: u32,
    /// The index of the first word.
    pub(super) word: usize,
    /// The distance from the top of the page, in points.
    pub(super) top: f32,
    pub(super) area: Option<Area>,
    pub(super) raw: String,
    pub(super) value: PlaceValue,
    /// The page prints what the model wrote, and not only the same value.
    pub(super) is_exact: bool,
    /// A label of the field is beside or above it.
    pub(super) is_labelled: bool,
}

#[derive(Clone, Debug)]
pub(super) enum PlaceValue {
    /// Its meaning may depend on the rest of the document.
    Typed(Box<Found>),
    Text(String),
}

/// A page that claims are searched on.
pub(super) struct SearchedPage<'p> {
    view: &'p View<'p>,
    found: Vec<Found>,
    words: PageWords,
    /// In reading order, and row by row across columns.
    orders: [PartOrder; 2],
}

/// The parts of words in one order. A part is a run of letters and digits: `Nr.:12` has two.
struct PartOrder {
    /// All parts, folded.
    folded: String,
    parts: Vec<Part>,
}

struct Part {
    /// In `folded`.
    at: Range<usize>,
    word: usize,
    /// In the text of the word.
    within: Range<usize>,
}

impl<'p> SearchedPage<'p> {
    pub(super) fn new(view: &'p View<'p>, found: Vec<Found>) -> Self {
        let words = PageWords::new(view, &found);
        let reading = PartOrder::new(view.page, 0..view.page.words.len());
        let rows = view.rows.iter().flat_map(|row| row.words.iter().copied());
        let orders = [reading, PartOrder::new(view.page, rows)];
        Self { view, found, words, orders }
    }

    pub(super) fn conventions(&self, conventions: &mut Conventions) {
        conventions.observe(self.view.page.language.as_deref(), &self.found);
    }

    /// Adds the places of a claim on this page.
    pub(super) fn find(&self, spec: &FieldSpec, claim: &mut Claim, labels: &mut LabelIndex) {
        let Some(meaning) = &claim.meaning else { return };
        let mut places = match meaning {
            Meaning::Numbers(numbers) => self.numbers(spec.kind, numbers, &claim.text),
            Meaning::Dates(dates) => self.dates(dates, &claim.text),
            Meaning::Code(wanted) => self.codes(spec.kind, wanted),
            Meaning::Currency(wanted) => self.currencies(wanted),
            Meaning::Country(wanted) => self.countries(wanted),
            Meaning::Choice(value, phrases) => {
                let found = phrases.iter().flat_map(|phrase| self.texts(phrase, ""));
                found
                    .map(|place| Place { value: PlaceValue::Text(value.clone()), ..place })
                    .collect()
            }
            Meaning::Text(folded) => self.texts(folded, &claim.text),
        };
        places.truncate(MAX_PLACES - claim.places.len().min(MAX_PLACES));
        for place in &mut places {
            // These words say themselves what they are.
            let is_plain = matches!(meaning, Meaning::Currency(_) | Meaning::Choice(..));
            place.is_labelled = is_plain || self.is_labelled(claim.field, place, labels);
        }
        claim.places.append(&mut places);
    }

    fn numbers(&self, kind: FieldKind, numbers: &[Decimal], text: &str) -> Vec<Place> {
        let is_percent = |found: &Found| found.kind == FieldKind::Percent;
        let fits = |found: &&Found| match kind {
            FieldKind::Percent => is_percent(found) || found.kind == FieldKind::Number,
            _ => !is_percent(found),
        };
        let matches = |found: &&Found| {
            let own = [Some(&found.value), found.other.as_ref()];
            own.into_iter().flatten().any(|value| match value {
                Value::Number(number) => numbers.contains(&number.abs().normalize()),
                _ => false,
            })
        };
        let found = self.found.iter().filter(fits).filter(matches);
        found.map(|found| self.typed(found, text)).collect()
    }

    fn dates(&self, dates: &[NaiveDate], text: &str) -> Vec<Place> {
        let matches = |found: &&Found| {
            let own = [Some(&found.value), found.other.as_ref()];
            own.into_iter().flatten().any(|value| match value {
                Value::Date(date) => dates.contains(date),
                _ => false,
            })
        };
        self.found.iter().filter(matches).map(|found| self.typed(found, text)).collect()
    }

    fn codes(&self, kind: FieldKind, wanted: &str) -> Vec<Place> {
        let matches = |found: &&Found| found.kind == kind && code(&found.normalised()) == *wanted;
        self.found.iter().filter(matches).map(|found| self.typed(found, wanted)).collect()
    }

    fn typed(&self, found: &Found, text: &str) -> Place {
        let squeezed = |text: &str| text.split_whitespace().collect::<String>();
        let word = found.words.from as usize;
        Place {
            page: found.page,
            word,
            top: self.top(word, found.area),
            area: found.area,
            raw: found.raw.clone(),
            is_exact: squeezed(&found.raw) == squeezed(text),
            value: PlaceValue::Typed(Box::new(found.clone())),
            is_labelled: false,
        }
    }

    /// Words for the currency, then amounts in it.
    fn currencies(&self, wanted: &str) -> Vec<Place> {
        let words = self.view.page.words.iter().enumerate();
        let named = words.filter(|(_, word)| currency(&word.text) == Some(wanted));
        let named = named.map(|(at, word)| self.word(at, word.text.clone(), wanted));
        let amounts = self.found.iter().filter(|found| found.currency.as_deref() == Some(wanted));
        let amounts = amounts.map(|found| {
            let value = PlaceValue::Text(wanted.to_owned());
            Place { value, ..self.typed(found, wanted) }
        });
        named.chain(amounts).collect()
    }

    fn countries(&self, wanted: &str) -> Vec<Place> {
        let is_named = |text: &str| {
            let name = text.trim_matches(|c: char| !c.is_alphabetic());
            // `de` and `it` are words of some languages.
            let is_name =
                name.len() > 3 || (name.len() > 1 && name.chars().all(char::is_uppercase));
            is_name && country(name).as_deref() == Some(wanted)
        };
        let words = self.view.page.words.iter().enumerate();
        let named = words.filter(|(_, word)| is_named(&word.text));
        named.map(|(at, word)| self.word(at, word.text.clone(), wanted)).collect()
    }

    fn word(&self, at: usize, raw: String, value: &str) -> Place {
        let area = self.view.page.words[at].area;
        Place {
            page: self.view.page.number,
            word: at,
            top: self.top(at, area),
            area,
            is_exact: raw == value,
            raw,
            value: PlaceValue::Text(value.to_owned()),
            is_labelled: false,
        }
    }

    fn texts(&self, folded: &str, text: &str) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        for order in &self.orders {
            for parts in order.find(folded) {
                let raw = order.raw(self.view.page, parts.clone(), text);
                let words: Vec<usize> = order.parts[parts].iter().map(|part| part.word).collect();
                let Some(&word) = words.first() else { continue };
                if places.len() >= MAX_PLACES || places.iter().any(|place| place.word == word) {
                    continue;
                }
                let areas = words.iter().filter_map(|&word| self.view.page.words[word].area);
                let area = areas.reduce(|all, area| all.around(&area));
                let value = PlaceValue::Text(raw.clone());
                let is_exact = raw == text;
                places.push(Place { area, value, is_exact, ..self.word(word, raw, "") });
            }
        }
        places
    }

    fn top(&self, word: usize, area: Option<Area>) -> f32 {
        let row = self.view.place(word).map_or(0, |(row, _)| row);
        #[expect(clippy::cast_precision_loss, reason = "a distance to compare")]
        let counted = row as f32 * ROW_HEIGHT;
        area.map_or(counted, |area| area.top)
    }

    fn is_labelled(&self, field: usize, place: &Place, labels: &mut LabelIndex) -> bool {
        let words = match &place.value {
            PlaceValue::Typed(found) => found.words,
            PlaceValue::Text(_) => Span::new(place.word..place.word + 1),
        };
        let own = Found {
            kind: FieldKind::Text,
            value: Value::Code(String::new()),
            other: None,
            words,
            raw: String::new(),
            page: place.page,
            area: place.area,
            source: FieldSource::Page,
            currency: None,
            unit: None,
            entry: None,
            decimals: 0,
            joined: false,
        };
        let near = |place: LabelPlace| {
            use LabelPlace::{Above, Aligned, Header, Key, Left, Row};
            matches!(place, Left | Row | Above | Header | Aligned | Key)
        };
        let hits = labels.find(&context(self.view, &self.words, &own));
        hits.iter().any(|hit| hit.field == field && near(hit.place))
    }
}

impl PartOrder {
    fn new(page: &Page, words: impl Iterator<Item = usize>) -> Self {
        let mut order = Self { folded: String::new(), parts: Vec::new() };
        for word in words {
            let text = &page.words[word].text;
            let mut from = None;
            let ends = text.char_indices().chain([(text.len(), ' ')]);
            for (at, letter) in ends {
                match (from, letter.is_alphanumeric()) {
                    (None, true) => from = Some(at),
                    (Some(start), false) => {
                        let begin = order.folded.len();
                        order.folded.push_str(&fold(&text[start..at]));
                        let end = order.folded.len();
                        order.parts.push(Part { at: begin..end, word, within: start..at });
                        from = None;
                    }
                    _ => {}
                }
            }
        }
        order
    }

    /// The runs of parts that spell this folded text.
    fn find<'a>(&'a self, folded: &'a str) -> impl Iterator<Item = Range<usize>> + 'a {
        (0..self.parts.len()).filter_map(move |first| {
            let from = self.parts[first].at.start;
            if folded.is_empty() || !self.folded[from..].starts_with(folded) {
                return None;
            }
            let end = from + folded.len();
            let last = self.parts[first..].iter().position(|part| part.at.end >= end)? + first;
            (self.parts[last].at.end == end).then_some(first..last + 1)
        })
    }

    /// As the page prints it, with the signs at its end that `text` has too.
    fn raw(&self, page: &Page, parts: Range<usize>, text: &str) -> String {
        let parts = &self.parts[parts];
        let (Some(first), Some(last)) = (parts.first(), parts.last()) else { return String::new() };
        let end_of_last = &page.words[last.word].text[last.within.end..];
        let ending: String = text.chars().rev().take_while(|c| !c.is_alphanumeric()).collect();
        let ending: String = ending.chars().rev().collect();
        let kept =
            if !ending.is_empty() && end_of_last.starts_with(&ending) { ending.len() } else { 0 };
        let end = last.within.end + kept;
        if first.word == last.word {
            return page.words[first.word].text[first.within.start..end].to_owned();
        }
        let mut raw = page.words[first.word].text[first.within.start..].to_owned();
        let mut before = first.word;
        for part in parts.iter().filter(|part| part.word != last.word) {
            if part.word != before {
                raw.push(' ');
                raw.push_str(&page.words[part.word].text);
                before = part.word;
            }
        }
        raw.push(' ');
        raw.push_str(&page.words[last.word].text[..end]);
        raw
    }
}

impl Place {
    /// The normalised value, once the conventions of the document are known; `None` when the document means another value.
    pub(super) fn value(&self, meaning: &Meaning, conventions: &Conventions) -> Option<String> {
        let found = match &self.value {
            PlaceValue::Text(value) => return Some(value.clone()),
            PlaceValue::Typed(found) => found,
        };
        let mut found = found.clone();
        conventions.resolve(&mut found);
        let is_meant = |value: &Value| match (value, meaning) {
            (Value::Number(number), Meaning::Numbers(numbers)) => {
                numbers.contains(&number.abs().normalize())
            }
            (Value::Date(date), Meaning::Dates(dates)) => dates.contains(date),
            (Value::Code(_), Meaning::Code(_)) => true,
            _ => false,
        };
        if is_meant(&found.value) || self.is_exact {
            return Some(found.value.to_string());
        }
        // It stays ambiguous, and the model says what it means.
        found.other.filter(is_meant).map(|other| other.to_string())
    }

    pub(super) fn source(&self) -> FieldSource {
        match &self.value {
            PlaceValue::Typed(found) if found.source == FieldSource::OcrAlternative => found.source,
            _ => FieldSource::LanguageModel,
        }
    }

    /// The currency beside an amount.
    pub(super) fn currency(&self) -> Option<String> {
        match &self.value {
            PlaceValue::Typed(found) => found.currency.clone(),
            PlaceValue::Text(_) => None,
        }
    }
}

/// The typed values of a page.
pub(super) fn found_on(view: &View<'_>) -> Vec<Found> {
    candidates::find(view)
}
