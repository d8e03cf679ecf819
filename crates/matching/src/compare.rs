//! Compares the fields of a query with those of a record. Each comparison ends in a *level*: 0 is equal, higher levels
//! agree less, and the last level of a role is "differs". The levels of all fields together are a *pattern*.

use chrono::{Datelike, NaiveDate};
use domain::{FieldAgreement, FieldRole, RecordFields, RecordTypeDefinition};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;

use crate::names::{self, NameForm};
use crate::normalise;

/// Fields of a type that are compared.
pub const MAX_FIELDS: usize = 64;

/// How many levels the values of a role have.
pub const fn levels(role: FieldRole) -> usize {
    match role {
        FieldRole::Name | FieldRole::Text => 5,
        FieldRole::Address => 4,
        FieldRole::Postcode
        | FieldRole::City
        | FieldRole::Id
        | FieldRole::Phone
        | FieldRole::Email => 3,
        FieldRole::Date => 10,
        FieldRole::Amount => 6,
        FieldRole::Code => 2,
        FieldRole::Ignored => 0,
    }
}

/// What a level means to a person.
pub fn agreement(role: FieldRole, level: usize) -> FieldAgreement {
    if level == 0 {
        FieldAgreement::Equal
    } else if level + 1 < levels(role) {
        FieldAgreement::Similar
    } else {
        FieldAgreement::Differs
    }
}

/// The level of each field in the order of the definition; `None` where the query or the record has no value.
pub type Pattern = Vec<Option<u8>>;

/// A record or query whose values are normalised, to be compared many times.
#[derive(Clone, Debug)]
pub struct Prepared {
    values: Vec<Value>,
}

#[derive(Clone, Debug)]
enum Value {
    Missing,
    Name(NameForm),
    Address(NameForm),
    City(String, Vec<String>),
    Text(NameForm),
    /// Postcode, id, e-mail address or telephone number.
    Plain(String),
    Code(String),
    Date(NaiveDate),
    Amount(Decimal),
}

impl Prepared {
    pub fn new(definition: &RecordTypeDefinition, fields: &RecordFields) -> Self {
        let value = |(name, role): (&String, &FieldRole)| match fields.get(name) {
            Some(value) if !value.trim().is_empty() => prepare(*role, value),
            _ => Value::Missing,
        };
        Self { values: definition.roles.iter().take(MAX_FIELDS).map(value).collect() }
    }

    /// The levels of this query against a record of the same definition.
    pub fn compare(&self, record: &Self) -> Pattern {
        self.values.iter().zip(&record.values).map(|(query, record)| level(query, record)).collect()
    }

    /// Whether the field at this place of the definition has a value that can be compared.
    pub(crate) fn has(&self, at: usize) -> bool {
        self.values.get(at).is_some_and(|value| !matches!(value, Value::Missing))
    }

    /// The words that both names at this place of the definition have.
    pub(crate) fn shared_words<'a>(&'a self, record: &'a Self, at: usize) -> Vec<&'a str> {
        match (self.values.get(at), record.values.get(at)) {
            (Some(Value::Name(query)), Some(Value::Name(record))) => query
                .words()
                .iter()
                .filter(|word| record.words().iter().any(|other| other.skeleton == word.skeleton))
                .map(|word| word.text.as_str())
                .collect(),
            _ => Vec::new(),
        }
    }
}

fn prepare(role: FieldRole, value: &str) -> Value {
    let plain = |text: String| if text.is_empty() { Value::Missing } else { Value::Plain(text) };
    let form = |form: NameForm, kind: fn(NameForm) -> Value| {
        if form.is_empty() { Value::Missing } else { kind(form) }
    };
    match role {
        FieldRole::Name => form(NameForm::new(value), Value::Name),
        FieldRole::Address => {
            form(NameForm::of_words(normalise::address_tokens(value)), Value::Address)
        }
        FieldRole::Text => form(NameForm::of_words(normalise::tokens(value)), Value::Text),
        FieldRole::City => {
            let words = normalise::tokens(value);
            if words.is_empty() { Value::Missing } else { Value::City(words.concat(), words) }
        }
        FieldRole::Postcode => plain(normalise::zip(value)),
        FieldRole::Id => plain(normalise::id_value(value)),
        FieldRole::Phone => plain(normalise::phone(value)),
        FieldRole::Email => plain(normalise::email(value)),
        FieldRole::Code => match normalise::tokens(value).join(" ") {
            code if code.is_empty() => Value::Missing,
            code => Value::Code(code),
        },
        FieldRole::Date => normalise::date(value).map_or(Value::Missing, Value::Date),
        FieldRole::Amount => normalise::amount(value).map_or(Value::Missing, Value::Amount),
        FieldRole::Ignored => Value::Missing,
    }
}

fn level(query: &Value, record: &Value) -> Option<u8> {
    let level = match (query, record) {
        (Value::Name(a), Value::Name(b)) => name_level(a, b),
        (Value::Address(a), Value::Address(b)) => address_level(a, b),
        (Value::Text(a), Value::Text(b)) => text_level(a, b),
        (Value::City(a, words), Value::City(b, others)) => city_level(a, words, b, others),
        (Value::Plain(a), Value::Plain(b)) => plain_level(a, b),
        (Value::Code(a), Value::Code(b)) => u8::from(a != b),
        (Value::Date(a), Value::Date(b)) => date_level(*a, *b),
        (Value::Amount(a), Value::Amount(b)) => amount_level(*a, *b),
        _ => return None,
    };
    Some(level)
}

fn name_level(a: &NameForm, b: &NameForm) -> u8 {
    if a.norm() == b.norm() {
        return 0;
    }
    match names::similarity(a, b) {
        s if s >= 0.9 => 1,
        s if s >= 0.5 => 2,
        s if s >= 0.15 => 3,
        _ => 4,
    }
}

fn address_level(a: &NameForm, b: &NameForm) -> u8 {
    if a.norm() == b.norm() {
        return 0;
    }
    let overlap = names::overlap(a, b);
    let house = |form: &NameForm| {
        let mut words = form.words().iter().map(|word| word.text.as_str());
        words.find(|word| word.bytes().all(|byte| byte.is_ascii_digit())).map(str::to_owned)
    };
    let (a, b) = (house(a), house(b));
    let same_house = a.is_none() || b.is_none() || a == b;
    match overlap {
        o if o >= 0.8 && same_house => 1,
        o if o >= 0.5 => 2,
        _ => 3,
    }
}

/// Free text is compared by its words and, since banks and forms shorten it, by its beginning.
fn text_level(a: &NameForm, b: &NameForm) -> u8 {
    if a.joined() == b.joined() {
        return 0;
    }
    let dice = names::dice(a, b);
    let beginning = strsim::jaro_winkler(a.joined(), b.joined());
    match f64::midpoint(dice, beginning) {
        s if s >= 0.85 => 1,
        s if s >= 0.7 => 2,
        s if s >= 0.5 => 3,
        _ => 4,
    }
}

fn city_level(a: &str, words: &[String], b: &str, others: &[String]) -> u8 {
    let contains = |all: &[String], some: &[String]| some.iter().all(|word| all.contains(word));
    if a == b {
        0
    } else if contains(words, others)
        || contains(others, words)
        || strsim::jaro_winkler(a, b) >= 0.9
    {
        1
    } else {
        2
    }
}

/// Similar are values with one typing error, and long values of which one contains the end of the other.
fn plain_level(a: &str, b: &str) -> u8 {
    if a == b {
        return 0;
    }
    let (shorter, longer) = if a.len() <= b.len() { (a, b) } else { (b, a) };
    if shorter.len() >= 6 && longer.ends_with(shorter) {
        return 1;
    }
    let has_one_error = shorter.len() >= 4
        && longer.len() - shorter.len() <= 1
        && strsim::osa_distance(shorter, longer) <= 1;
    if has_one_error { 1 } else { 2 }
}

/// Dates near each other, by the direction; then dates that a typing error explains.
fn date_level(query: NaiveDate, record: NaiveDate) -> u8 {
    let days = (record - query).num_days();
    let near = |days: i64| match days {
        1..=2 => Some(0),
        3..=7 => Some(1),
        8..=31 => Some(2),
        _ => None,
    };
    if days == 0 {
        0
    } else if let Some(distance) = near(days) {
        1 + distance
    } else if let Some(distance) = near(-days) {
        4 + distance
    } else if is_mistyped(query, record) {
        7
    } else if query.year() == record.year() {
        8
    } else {
        9
    }
}

fn is_mistyped(a: NaiveDate, b: NaiveDate) -> bool {
    let is_swapped = a.year() == b.year() && a.day() == b.month() && a.month() == b.day();
    is_swapped
        || strsim::osa_distance(&a.format("%Y%m%d").to_string(), &b.format("%Y%m%d").to_string())
            <= 1
}

fn amount_level(a: Decimal, b: Decimal) -> u8 {
    let (a, b) = (a.abs(), b.abs());
    if a == b {
        return 0;
    }
    let difference = (a - b).abs() / a.max(b);
    match difference.to_f64().unwrap_or(1.0) {
        d if d <= 0.01 => 1,
        d if d <= 0.03 => 2,
        d if d <= 0.1 => 3,
        d if d <= 0.3 => 4,
        _ => 5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(role: FieldRole, query: &str, record: &str) -> Option<usize> {
        let roles = [("f".to_owned(), role)].into();
        let definition = RecordTypeDefinition { name: "t".to_owned(), roles };
        let prepare = |value: &str| {
            Prepared::new(&definition, &RecordFields::from([("f".to_owned(), value.to_owned())]))
        };
        prepare(query).compare(&prepare(record))[0].map(usize::from)
    }

    fn agrees(role: FieldRole, query: &str, record: &str) -> FieldAgreement {
        agreement(role, compared(role, query, record).expect("both values can be compared"))
    }

    #[test]
    fn values_agree_as_people_would_say() {
        use FieldAgreement::{Differs, Equal, Similar};
        for (role, query, record, expected) in [
            (FieldRole::Name, "Siemens AG", "SIEMENS Aktiengesellschaft", Equal),
            (FieldRole::Name, "Jon Smith", "John Smith", Similar),
            (FieldRole::Name, "Jon Smith", "Mary Jones", Differs),
            (FieldRole::Address, "Hauptstr. 5", "Hauptstraße 5", Equal),
            (FieldRole::Address, "5 Main St", "5 Main Street, Floor 2", Similar),
            (FieldRole::Address, "5 Main St", "80 Ocean Drive", Differs),
            (FieldRole::Postcode, "80333", "D-80333", Equal),
            (FieldRole::Postcode, "80333", "80338", Similar),
            (FieldRole::Postcode, "80333", "10115", Differs),
            (FieldRole::City, "München", "Munchen", Equal),
            (FieldRole::City, "New York", "New York City", Similar),
            (FieldRole::City, "Berlin", "Munich", Differs),
            (FieldRole::Id, "DE 000723610 1", "de0007236101", Equal),
            (FieldRole::Id, "DE0007236101", "DE0007263101", Similar),
            (FieldRole::Id, "12", "13", Differs),
            (FieldRole::Phone, "+49 89 63600", "(089) 63600", Similar),
            (FieldRole::Email, "A@B.de", "a@b.de", Equal),
            (FieldRole::Code, "EUR", "eur", Equal),
            (FieldRole::Code, "EUR", "EURO", Differs),
            (FieldRole::Date, "2024-03-01", "1.3.2024", Equal),
            (FieldRole::Date, "2024-03-01", "2024-03-03", Similar),
            (FieldRole::Date, "1980-03-02", "1980-02-03", Similar),
            (FieldRole::Date, "1980-03-02", "1995-11-20", Differs),
            (FieldRole::Amount, "1.000,00", "1000", Equal),
            (FieldRole::Amount, "100", "-98", Similar),
            (FieldRole::Amount, "100", "10", Differs),
            (FieldRole::Text, "rent for march", "Rent for March", Equal),
            (FieldRole::Text, "rent for march", "salary", Differs),
        ] {
            assert_eq!(agrees(role, query, record), expected, "{role}: {query} / {record}");
        }
    }

    #[test]
    fn a_date_after_the_query_is_another_level_than_one_before() {
        let after = compared(FieldRole::Date, "2024-03-01", "2024-03-03");
        let before = compared(FieldRole::Date, "2024-03-03", "2024-03-01");
        assert_ne!(after, before);
    }

    #[test]
    fn unreadable_and_empty_values_are_missing() {
        for (role, value) in [
            (FieldRole::Date, "soon"),
            (FieldRole::Amount, "n/a"),
            (FieldRole::Name, "\u{1b}"),
            (FieldRole::Id, "--"),
            (FieldRole::Ignored, "x"),
        ] {
            assert_eq!(compared(role, value, value), None, "{role}");
        }
    }

    #[test]
    fn every_level_is_within_those_of_its_role_for_any_text() {
        let long = "z9 ".repeat(200_000);
        let values = [
            "1",
            "",
            "=1+1",
            "'; DROP TABLE x; --",
            "贝拉克",
            "2024-02-30",
            "1e400",
            "0",
            "-0.00",
            long.as_str(),
            "99999999999999999999999999999",
        ];
        for role in FieldRole::ALL {
            for query in values {
                for record in values {
                    let level = compared(role, query, record);
                    assert!(
                        level.is_none_or(|level| level < levels(role)),
                        "{role}: {query} / {record}"
                    );
                }
            }
        }
    }
}
