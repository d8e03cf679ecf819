//! Claims: the values that a model returned, and what each of them means.

use std::collections::BTreeSet;

use chrono::NaiveDate;
use domain::FieldKind;
use pages::{Line, Page, Span, Word};
use rust_decimal::Decimal;

use super::places::Place;
use super::reply::{Reply, Values};
use crate::candidates::{self, Found, Value, currency};
use crate::fold::{fold, folded_words};
use crate::geometry::View;
use crate::invoice::country;
use crate::types::{DocumentType, FieldSpec};

/// A value that a model returned for a field, and where it was found.
#[derive(Debug)]
pub(super) struct Claim {
    /// The index of the field in the document type.
    pub(super) field: usize,
    /// As the model wrote it.
    pub(super) text: String,
    /// `None` when the text cannot be a value of the field.
    pub(super) meaning: Option<Meaning>,
    pub(super) places: Vec<Place>,
}

/// What is searched for on the pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Meaning {
    /// Several when the text can be read in two ways.
    Numbers(Vec<Decimal>),
    Dates(Vec<NaiveDate>),
    /// Without spaces, in capitals.
    Code(String),
    /// ISO 4217.
    Currency(String),
    /// ISO 3166-1 alpha-2.
    Country(String),
    /// One of the values of the document type, and the folded phrases that express it.
    Choice(String, Vec<String>),
    /// Folded, without spaces and signs.
    Text(String),
}

/// The claims of one answer.
#[derive(Debug)]
pub(super) struct Claims {
    /// The pages that the model has read.
    pub(super) pages: BTreeSet<u32>,
    pub(super) header: Vec<Claim>,
    /// The name of the group, and the claims of one trade or line.
    pub(super) items: Vec<(&'static str, Vec<Claim>)>,
}

impl Claims {
    pub(super) fn new(document_type: &DocumentType, pages: BTreeSet<u32>, reply: Reply) -> Self {
        let claims = |values: Values| -> Vec<Claim> {
            let claim = |(field, text): (usize, String)| {
                let meaning = meaning(&document_type.fields[field], &text);
                Claim { field, text, meaning, places: Vec::new() }
            };
            let texts = values
                .into_iter()
                .flat_map(|(field, texts)| texts.into_iter().map(move |text| (field, text)));
            texts.map(claim).collect()
        };
        let groups = reply.groups.into_iter();
        let items = groups.flat_map(|(group, items)| {
            items.into_iter().map(|values| (group, claims(values))).collect::<Vec<_>>()
        });
        let items = items.collect();
        Self { pages, header: claims(reply.header), items }
    }

    pub(super) fn all_mut(&mut self) -> impl Iterator<Item = &mut Claim> {
        let items = self.items.iter_mut().flat_map(|(_, claims)| claims);
        self.header.iter_mut().chain(items)
    }
}

fn meaning(spec: &FieldSpec, text: &str) -> Option<Meaning> {
    Some(match spec.kind {
        FieldKind::Money | FieldKind::Quantity | FieldKind::Percent | FieldKind::Number => {
            // Of `3 132,67` the whole number.
            let longest = typed(text).into_iter().filter(|found| found.number().is_some());
            let number =
                longest.max_by_key(|found| (found.words.range().len(), found.raw.len()))?;
            let number_of = |value: &Value| match value {
                Value::Number(number) => Some(number.abs().normalize()),
                _ => None,
            };
            let other = number.other.as_ref().and_then(number_of);
            Meaning::Numbers(number_of(&number.value).into_iter().chain(other).collect())
        }
        FieldKind::Date => {
            let found = typed(text).into_iter().find(|found| found.date().is_some())?;
            let date_of = |value: &Value| match value {
                Value::Date(date) => Some(*date),
                _ => None,
            };
            let other = found.other.as_ref().and_then(date_of);
            Meaning::Dates(date_of(&found.value).into_iter().chain(other).collect())
        }
        FieldKind::Isin | FieldKind::Wkn | FieldKind::Iban | FieldKind::Bic | FieldKind::VatId => {
            Meaning::Code(code(text)).filled()?
        }
        FieldKind::Currency => {
            let mut words = std::iter::once(text).chain(text.split(' '));
            Meaning::Currency(words.find_map(currency)?.to_owned())
        }
        FieldKind::Country => Meaning::Country(country(text)?),
        FieldKind::Choice => {
            let phrases = spec.choices.get(text)?;
            let phrases = phrases.iter().map(String::as_str).chain([text]);
            let folded = phrases.map(|phrase| folded_words(phrase).concat());
            Meaning::Choice(text.to_owned(), folded.filter(|phrase| !phrase.is_empty()).collect())
        }
        FieldKind::Id | FieldKind::Party | FieldKind::Address | FieldKind::Text => {
            Meaning::Text(folded_words(text).concat()).filled()?
        }
    })
}

impl Meaning {
    fn filled(self) -> Option<Self> {
        match &self {
            Self::Code(text) | Self::Text(text) => (!text.is_empty()).then_some(self),
            _ => Some(self),
        }
    }
}

/// A code without spaces and signs, in capitals.
pub(super) fn code(text: &str) -> String {
    text.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_uppercase).collect()
}

/// Reads a text like a row of a page.
fn typed(text: &str) -> Vec<Found> {
    let words: Vec<Word> = text
        .split_whitespace()
        .map(|text| Word { text: text.to_owned(), ..Word::default() })
        .collect();
    let line = Line { words: Span::new(0..words.len()), area: None };
    let page = Page { number: 1, words, lines: vec![line], ..Page::default() };
    candidates::find(&View::new(&page))
}

/// Whether two normalised values of a field are the same.
pub(super) fn same_value(kind: FieldKind, one: &str, other: &str) -> bool {
    match kind {
        FieldKind::Money | FieldKind::Quantity | FieldKind::Percent | FieldKind::Number => {
            let number = |text: &str| text.parse::<Decimal>().ok().map(|number| number.abs());
            match (number(one), number(other)) {
                (Some(one), Some(other)) => one == other,
                _ => one == other,
            }
        }
        FieldKind::Isin | FieldKind::Wkn | FieldKind::Iban | FieldKind::Bic | FieldKind::VatId => {
            code(one) == code(other)
        }
        FieldKind::Id | FieldKind::Party | FieldKind::Address | FieldKind::Text => {
            let words = |text: &str| folded_words(text).concat();
            words(one) == words(other)
        }
        _ => fold(one) == fold(other),
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    fn spec(kind: FieldKind) -> FieldSpec {
        FieldSpec {
            name: "field".to_owned(),
            kind,
            labels: BTreeMap::new(),
            patterns: Vec::new(),
            choices: [("buy".to_owned(), vec!["Kauf".to_owned()])].into(),
            additive: false,
            required: false,
            must_review: false,
        }
    }

    fn of(kind: FieldKind, text: &str) -> Option<Meaning> {
        meaning(&spec(kind), text)
    }

    fn numbers(texts: &[&str]) -> Meaning {
        Meaning::Numbers(texts.iter().map(|text| text.parse().unwrap()).collect())
    }

    #[test]
    fn a_text_means_what_its_kind_says() {
        assert_eq!(of(FieldKind::Money, "EUR 1.234,50"), Some(numbers(&["1234.5"])));
        assert_eq!(of(FieldKind::Money, "3 132,67"), Some(numbers(&["3132.67"])));
        assert_eq!(of(FieldKind::Money, "-1.000"), Some(numbers(&["1000", "1"])));
        assert_eq!(of(FieldKind::Percent, "19 %"), Some(numbers(&["19"])));
        assert_eq!(of(FieldKind::Money, "nothing"), None);
        let date = NaiveDate::from_ymd_opt(2026, 4, 3);
        assert_eq!(of(FieldKind::Date, "2026-04-03"), date.map(|date| Meaning::Dates(vec![date])));
        assert_eq!(
            of(FieldKind::Date, "3. April 2026"),
            date.map(|date| Meaning::Dates(vec![date]))
        );
        assert_eq!(of(FieldKind::Iban, "de89 3704"), Some(Meaning::Code("DE893704".to_owned())));
        assert_eq!(of(FieldKind::Currency, "€"), Some(Meaning::Currency("EUR".to_owned())));
        assert_eq!(of(FieldKind::Country, "Germany"), Some(Meaning::Country("DE".to_owned())));
        assert_eq!(
            of(FieldKind::Text, "Müller & Co."),
            Some(Meaning::Text("muellerco".to_owned()))
        );
        let buy = Meaning::Choice("buy".to_owned(), vec!["kauf".to_owned(), "buy".to_owned()]);
        assert_eq!(of(FieldKind::Choice, "buy"), Some(buy));
        assert_eq!(of(FieldKind::Choice, "steal"), None);
    }

    #[test]
    fn equal_values_may_be_written_differently() {
        assert!(same_value(FieldKind::Money, "10.50", "10.5"));
        assert!(same_value(FieldKind::Money, "-10.5", "10.5"), "rules leave out signs");
        assert!(!same_value(FieldKind::Money, "10.5", "105"));
        assert!(same_value(FieldKind::Party, "MÜLLER GMBH", "Mueller GmbH"));
        assert!(!same_value(FieldKind::Date, "2026-04-03", "2026-03-04"));
    }
}
