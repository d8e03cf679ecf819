//! Detects the roles of fields from their names and values, to be shown for confirmation.

use std::collections::{BTreeMap, HashSet};

use domain::{FieldRole, RecordFields};

use crate::normalise;

/// Records that are looked at.
const MAX_SAMPLES: usize = 1_000;

/// A role that a field probably has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DetectedRole {
    pub role: FieldRole,
    /// From 0 to 1; below 0.5 it is a guess that somebody should look at.
    pub confidence: f64,
}

/// Words in field names, the role that they speak for, and how much. The first match counts; specific words come first.
const NAME_WORDS: &[(&[&str], FieldRole, f64)] = &[
    (&["email", "mail"], FieldRole::Email, 0.9),
    (&["phone", "telephone", "telefon", "tel", "mobile", "handy", "fax"], FieldRole::Phone, 0.8),
    (
        &["postcode", "postal", "zip", "zipcode", "plz", "postleitzahl", "cap"],
        FieldRole::Postcode,
        0.9,
    ),
    (&["date", "datum", "dob", "birth", "geburtsdatum", "birthday", "day"], FieldRole::Date, 0.7),
    (
        &[
            "amount", "betrag", "total", "price", "sum", "summe", "value", "quantity", "stueck",
            "nominal",
        ],
        FieldRole::Amount,
        0.7,
    ),
    (
        &[
            "isin",
            "wkn",
            "iban",
            "bic",
            "vat",
            "ssn",
            "id",
            "nr",
            "no",
            "number",
            "nummer",
            "reference",
            "ref",
            "sec",
        ],
        FieldRole::Id,
        0.7,
    ),
    (
        &["street", "strasse", "str", "address", "addr", "adresse", "anschrift", "road"],
        FieldRole::Address,
        0.8,
    ),
    (&["city", "town", "ort", "stadt", "suburb", "wohnort", "place"], FieldRole::City, 0.8),
    (
        &[
            "state", "country", "land", "currency", "waehrung", "region", "side", "sex", "gender",
            "type", "kind", "status", "category",
        ],
        FieldRole::Code,
        0.6,
    ),
    (
        &[
            "name", "surname", "vorname", "nachname", "firma", "company", "customer", "kunde",
            "issuer", "holder", "party", "title",
        ],
        FieldRole::Name,
        0.8,
    ),
    (
        &["memo", "text", "note", "notes", "comment", "description", "beschreibung", "remark"],
        FieldRole::Text,
        0.7,
    ),
];

/// The role of each field that occurs in the samples.
pub fn detect(samples: &[RecordFields]) -> BTreeMap<String, DetectedRole> {
    let mut values: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for (field, value) in samples.iter().take(MAX_SAMPLES).flatten() {
        let values = values.entry(field).or_default();
        if !value.trim().is_empty() {
            values.push(value.trim());
        }
    }
    values
        .into_iter()
        .map(|(field, values)| (field.to_owned(), detect_one(field, &values)))
        .collect()
}

fn detect_one(field: &str, values: &[&str]) -> DetectedRole {
    if values.is_empty() {
        return DetectedRole { role: FieldRole::Ignored, confidence: 0.3 };
    }
    let shape = Shape::of(values);
    let by_values = shape.evidence();
    let by_name = named(field);
    // Values that contradict the name count more than the name: a "date" without dates is none.
    let mut scores: Vec<(FieldRole, f64)> = FieldRole::ALL
        .into_iter()
        .filter(|role| *role != FieldRole::Ignored)
        .map(|role| {
            let named =
                by_name.filter(|(found, _)| *found == role).map_or(0.0, |(_, weight)| weight);
            let fits =
                by_values.iter().find(|(found, _)| *found == role).map_or(0.0, |(_, fit)| *fit);
            let possible = if shape.excludes(role) { 0.0 } else { 1.0 };
            (role, possible * (named + fits))
        })
        .collect();
    scores.sort_by(|a, b| b.1.total_cmp(&a.1));
    let (role, best) = scores[0];
    let second = scores[1].1;
    if best <= 0.0 {
        return DetectedRole { role: FieldRole::Text, confidence: 0.3 };
    }
    // A clear lead and strong evidence both count.
    let confidence = (best / (best + second) * best.min(1.0)).clamp(0.05, 0.99);
    DetectedRole { role, confidence }
}

fn named(field: &str) -> Option<(FieldRole, f64)> {
    let words = normalise::tokens(&spaced(field));
    NAME_WORDS
        .iter()
        .find(|(known, ..)| words.iter().any(|word| known.contains(&word.as_str())))
        .map(|(_, role, weight)| (*role, *weight))
}

/// `customerName` and `customer_name` as words.
fn spaced(field: &str) -> String {
    let mut spaced = String::new();
    let mut previous_is_lower = false;
    for char in field.chars().take(normalise::MAX_CHARS) {
        if char.is_uppercase() && previous_is_lower {
            spaced.push(' ');
        }
        previous_is_lower = char.is_lowercase();
        spaced.push(if char == '_' { ' ' } else { char });
    }
    spaced
}

/// What the values of a field look like: shares from 0 to 1.
struct Shape {
    dates: f64,
    amounts: f64,
    decimals: f64,
    emails: f64,
    phones: f64,
    numbers: f64,
    short_codes: f64,
    letters: f64,
    /// A number and words together.
    addresses: f64,
    mixed_ids: f64,
    distinct: f64,
    words: f64,
}

#[expect(clippy::cast_precision_loss, reason = "at most a thousand values")]
impl Shape {
    fn of(values: &[&str]) -> Self {
        let count = values.len() as f64;
        let share = |test: &dyn Fn(&str) -> bool| {
            values.iter().filter(|value| test(value)).count() as f64 / count
        };
        let digits = |text: &str| text.chars().filter(char::is_ascii_digit).count();
        let letters = |text: &str| text.chars().filter(|char| char.is_alphabetic()).count();
        let distinct: HashSet<String> = values.iter().map(|value| normalise::fold(value)).collect();
        let words: usize = values.iter().map(|value| normalise::tokens(value).len()).sum();
        Self {
            dates: share(&|text| {
                normalise::date(text)
                    .is_some_and(|date| (1850..2150).contains(&chrono::Datelike::year(&date)))
            }),
            amounts: share(&|text| letters(text) <= 3 && normalise::amount(text).is_some()),
            decimals: share(&|text| {
                letters(text) <= 3
                    && text
                        .rfind(['.', ','])
                        .is_some_and(|at| (1..=2).contains(&digits(&text[at..])))
                    && normalise::amount(text).is_some()
                    && normalise::date(text).is_none()
            }),
            emails: share(&|text| {
                text.split_once('@')
                    .is_some_and(|(name, host)| !name.is_empty() && host.contains('.'))
            }),
            phones: share(&|text| {
                let separators =
                    text.chars().filter(|char| matches!(char, '+' | '(' | '/' | '-' | ' ')).count();
                (7..=16).contains(&digits(text))
                    && letters(text) == 0
                    && separators > 0
                    && normalise::date(text).is_none()
            }),
            numbers: share(&|text| digits(text) > 0 && letters(text) == 0),
            short_codes: share(&|text| text.chars().count() <= 4),
            letters: share(&|text| letters(text) > 0 && digits(text) == 0),
            addresses: share(&|text| {
                let tokens = normalise::tokens(text);
                let is_number = |token: &String| token.bytes().all(|byte| byte.is_ascii_digit());
                tokens.len() >= 2 && tokens.iter().any(is_number) && letters(text) >= 4
            }),
            mixed_ids: share(&|text| {
                digits(text) >= 3 && !text.contains(' ') && digits(text) + letters(text) >= 5
            }),
            distinct: distinct.len() as f64 / count,
            words: words as f64 / count,
        }
    }

    /// How well the values fit each role by themselves.
    fn evidence(&self) -> Vec<(FieldRole, f64)> {
        let few = if self.distinct < 0.2 { 1.0 - self.distinct } else { 0.0 };
        vec![
            (FieldRole::Date, 1.2 * self.dates),
            (FieldRole::Email, 1.5 * self.emails),
            (FieldRole::Phone, 0.8 * self.phones),
            (FieldRole::Amount, self.decimals),
            (FieldRole::Id, 0.6 * self.mixed_ids * self.distinct * (1.0 - self.dates)),
            (FieldRole::Code, 0.7 * few * self.short_codes.max(0.3)),
            (FieldRole::Address, 0.6 * self.addresses),
            (FieldRole::Name, 0.5 * self.letters * if self.words < 5.0 { 1.0 } else { 0.4 }),
            (FieldRole::City, 0.3 * self.letters * (1.0 - self.distinct)),
            (FieldRole::Postcode, 0.1 * self.numbers * self.short_codes),
            (FieldRole::Text, if self.words >= 5.0 { 0.6 } else { 0.2 }),
        ]
    }

    /// Whether most values cannot be read as this role needs it.
    fn excludes(&self, role: FieldRole) -> bool {
        match role {
            FieldRole::Date => self.dates < 0.5,
            FieldRole::Amount => self.amounts < 0.5,
            FieldRole::Email => self.emails < 0.5,
            FieldRole::Phone => self.phones + self.numbers < 0.5,
            FieldRole::Name | FieldRole::City => self.numbers > 0.5,
            FieldRole::Id => self.letters > 0.9 && self.distinct < 0.5,
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn samples(field: &str, values: &[&str]) -> Vec<RecordFields> {
        let sample = |value: &&str| RecordFields::from([(field.to_owned(), (*value).to_owned())]);
        values.iter().map(sample).collect()
    }

    fn detected(field: &str, values: &[&str]) -> FieldRole {
        detect(&samples(field, values))[field].role
    }

    #[test]
    fn roles_follow_from_names_and_values_together() {
        let people = ["Anna Huber", "Siemens AG", "José García", "李小龙"];
        assert_eq!(detected("customerName", &people), FieldRole::Name);
        assert_eq!(detected("x", &people), FieldRole::Name);
        assert_eq!(detected("zip", &["80333", "10115", "1010"]), FieldRole::Postcode);
        assert_eq!(detected("geburtsdatum", &["01.02.1980", "24.12.1990"]), FieldRole::Date);
        assert_eq!(detected("c7", &["2024-01-31", "2023-12-01"]), FieldRole::Date);
        assert_eq!(detected("isin", &["DE0007236101", "US0378331005"]), FieldRole::Id);
        assert_eq!(detected("betrag", &["1.234,56", "12,00"]), FieldRole::Amount);
        assert_eq!(detected("contact", &["a@b.de", "c@d.com"]), FieldRole::Email);
        assert_eq!(detected("street_1", &["Hauptstraße 5", "12 Main St"]), FieldRole::Address);
        assert_eq!(detected("suburb", &["Bondi", "Manly", "Bondi"]), FieldRole::City);
        assert_eq!(detected("phone", &["+49 89 123456", "089/123456"]), FieldRole::Phone);
        let sides: Vec<&str> = ["buy", "sell"].into_iter().cycle().take(40).collect();
        assert_eq!(detected("side", &sides), FieldRole::Code);
    }

    #[test]
    fn values_that_contradict_the_name_of_a_field_decide() {
        assert_ne!(detected("date", &["Anna", "Bert", "Carl"]), FieldRole::Date);
        assert_ne!(detected("amount", &["Anna", "Bert", "Carl"]), FieldRole::Amount);
    }

    #[test]
    fn fields_without_values_are_ignored_and_confidence_is_a_share() {
        let found = detect(&samples("name", &["", "  "]));
        assert_eq!(found["name"].role, FieldRole::Ignored);
        assert!(detect(&[]).is_empty());
        let long = "x".repeat(1_000_000);
        for value in ["=1+1", "'; DROP TABLE x; --", "\0", "💥", long.as_str()] {
            let found = detect(&samples("f", &[value]));
            assert!((0.0..=1.0).contains(&found["f"].confidence));
        }
    }
}
