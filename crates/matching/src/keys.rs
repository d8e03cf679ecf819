//! Search keys: what a record is found by without a comparison with all others.
//!
//! A record has about fifteen keys, each a row in an index `(tenant, type, key) → record`. A query has the same keys, and those
//! of neighbouring buckets of dates and amounts. Most keys are *compound* (a word of the name with the postcode): in a
//! million records, thousands share a postcode or a common word, and few share both.

use std::collections::BTreeSet;

use chrono::{Datelike, NaiveDate};
use domain::{FieldRole, RecordFields, RecordTypeDefinition};
use rust_decimal::Decimal;
use rust_decimal::prelude::ToPrimitive;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use crate::names::{self, NameForm};
use crate::normalise;

/// The version of the algorithm. Stored keys of another version must be computed again: none of them is found any more.
pub const KEY_VERSION: u8 = 1;

/// The most keys of a record, whatever its fields contain.
pub const MAX_KEYS: usize = 40;
/// Fields of one role that get keys.
const FIELDS_PER_ROLE: usize = 4;
/// Words of a name that are keys by themselves, and words that are combined with a place.
const SINGLE_WORDS: usize = 4;
const PLACED_WORDS: usize = 2;
/// Groups of n-grams that are keys.
const BANDS: u8 = 3;
/// Days of a bucket of dates. With both neighbours a query reaches at least this far.
const DAYS: i32 = 24;
/// The width of a bucket of amounts: 15 %.
const AMOUNT_STEP: f64 = 1.15;

/// What a key is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KeyKind {
    Id,
    Email,
    Phone,
    /// All words of the name, sorted.
    Name,
    /// All words of the name by Double Metaphone.
    NameMetaphone,
    /// All words of the name by Kölner Phonetik.
    NameCologne,
    /// One word of the name.
    NameWord,
    /// A word of the name by Double Metaphone, with the postcode.
    WordPostcode,
    /// A word of the name by Double Metaphone, with the city by Kölner Phonetik.
    WordCity,
    /// A word of the name by Kölner Phonetik, with the date.
    WordDate,
    /// Character n-grams of the name, chosen by MinHash.
    NameGrams,
    /// All words of the address.
    Address,
    /// The house number with the postcode.
    NumberPostcode,
    Date,
    /// An amount with the bucket of the date.
    AmountPeriod,
    /// The bucket of the amount with the bucket of the date.
    BucketPeriod,
    /// Both buckets and the beginning of the text or name.
    BucketPeriodText,
    /// An amount of a type without dates.
    Amount,
    /// All words of a text.
    Text,
    /// Character n-grams of a text, chosen by MinHash.
    TextGrams,
}

/// A key of a record or of a query.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct SearchKey {
    pub kind: KeyKind,
    /// What was hashed, for explanations; it is not stored.
    pub value: String,
    /// What is stored: the same on every machine, different for another [`KEY_VERSION`].
    pub hash: i64,
}

impl SearchKey {
    fn new(kind: KeyKind, value: String) -> Self {
        let mut hasher = Sha256::new();
        hasher.update([KEY_VERSION, kind as u8]);
        hasher.update(value.as_bytes());
        let digest: [u8; 32] = hasher.finalize().into();
        let hash = i64::from_be_bytes(std::array::from_fn(|at| digest[at]));
        Self { kind, value, hash }
    }

    /// The key of one word of a name. Its frequency tells how rare the word is.
    pub fn name_word(word: &str) -> Self {
        Self::new(KeyKind::NameWord, names::skeleton(word))
    }
}

/// The keys that are stored with a record.
pub fn keys(definition: &RecordTypeDefinition, fields: &RecordFields) -> Vec<SearchKey> {
    Builder::new(definition, fields, Side::Record).build()
}

/// The keys that a query is looked up by: those of a record with these fields, and neighbouring buckets.
pub fn query_keys(definition: &RecordTypeDefinition, fields: &RecordFields) -> Vec<SearchKey> {
    Builder::new(definition, fields, Side::Query).build()
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Record,
    Query,
}

struct Builder<'a> {
    definition: &'a RecordTypeDefinition,
    fields: &'a RecordFields,
    side: Side,
    keys: BTreeSet<(KeyKind, String)>,
}

impl<'a> Builder<'a> {
    fn new(definition: &'a RecordTypeDefinition, fields: &'a RecordFields, side: Side) -> Self {
        Self { definition, fields, side, keys: BTreeSet::new() }
    }

    fn values(&self, role: FieldRole) -> Vec<&'a str> {
        let names = self.definition.fields_with(role).take(FIELDS_PER_ROLE);
        let values = names.filter_map(|name| self.fields.get(name));
        values.map(String::as_str).filter(|value| !value.trim().is_empty()).collect()
    }

    fn add(&mut self, kind: KeyKind, value: impl Into<String>) {
        let value = value.into();
        if !value.is_empty() {
            self.keys.insert((kind, value));
        }
    }

    fn build(mut self) -> Vec<SearchKey> {
        for value in self.values(FieldRole::Id) {
            self.add(KeyKind::Id, normalise::id_value(value));
        }
        for value in self.values(FieldRole::Email) {
            self.add(KeyKind::Email, normalise::email(value));
        }
        for value in self.values(FieldRole::Phone) {
            let digits = normalise::phone(value);
            self.add(KeyKind::Phone, &digits[digits.len().saturating_sub(7)..]);
        }
        let dates: Vec<NaiveDate> =
            self.values(FieldRole::Date).into_iter().filter_map(normalise::date).collect();
        let name = self.values(FieldRole::Name).join(" ");
        let name = NameForm::new(&name);
        self.add_name(&name, &dates);
        self.add_address();
        let text = self.values(FieldRole::Text).join(" ");
        self.add_text(&text);
        let beginning = beginning(&name, &text);
        self.add_dates_and_amounts(&dates, &beginning);

        let most = if self.side == Side::Record { MAX_KEYS } else { 4 * MAX_KEYS };
        let keys = self.keys.into_iter().take(most);
        keys.map(|(kind, value)| SearchKey::new(kind, value)).collect()
    }

    fn add_name(&mut self, name: &NameForm, dates: &[NaiveDate]) {
        if name.is_empty() {
            return;
        }
        self.add(KeyKind::Name, name.norm());
        let codes: Vec<(String, String)> =
            name.norm().split(' ').map(names::phonetic_codes).collect();
        let sorted = |codes: Vec<&str>| {
            let codes: BTreeSet<&str> = codes.into_iter().filter(|code| !code.is_empty()).collect();
            codes.into_iter().collect::<Vec<_>>().join(" ")
        };
        self.add(
            KeyKind::NameMetaphone,
            sorted(codes.iter().map(|code| code.0.as_str()).collect()),
        );
        self.add(KeyKind::NameCologne, sorted(codes.iter().map(|code| code.1.as_str()).collect()));
        self.add_grams(KeyKind::NameGrams, &name.norm().replace(' ', ""));

        // The words that say most: a record has keys for the first of them, a query for more.
        let mut words: Vec<&str> = name
            .words()
            .iter()
            .filter(|word| word.weight > 0.3)
            .map(|word| word.text.as_str())
            .collect();
        words.sort_by_key(|word| (std::cmp::Reverse(word.len()), *word));
        words.dedup();
        let extra = if self.side == Side::Query { 2 } else { 0 };
        for word in words.iter().filter(|word| word.len() > 1).take(SINGLE_WORDS + extra) {
            self.add(KeyKind::NameWord, names::skeleton(word));
        }
        let postcodes = self.values(FieldRole::Postcode);
        let cities = self.values(FieldRole::City);
        for word in words.iter().take(PLACED_WORDS + extra) {
            let (metaphone, cologne) = names::phonetic_codes(word);
            let metaphone = if metaphone.is_empty() { (*word).to_owned() } else { metaphone };
            for postcode in &postcodes {
                let postcode = normalise::zip(postcode);
                self.add(KeyKind::WordPostcode, format!("{metaphone} {postcode}"));
            }
            for city in &cities {
                let city = normalise::tokens(city).concat();
                let (_, city) = names::phonetic_codes(&city);
                self.add(KeyKind::WordCity, format!("{metaphone} {city}"));
            }
            for date in dates {
                self.add(KeyKind::WordDate, format!("{cologne} {date}"));
            }
        }
    }

    fn add_address(&mut self) {
        let addresses = self.values(FieldRole::Address);
        for address in &addresses {
            let norm = normalise::address_norm(address);
            if norm.contains(' ') {
                self.add(KeyKind::Address, norm);
            }
        }
        let all = addresses.join(" ");
        let number = normalise::address_tokens(&all)
            .into_iter()
            .find(|token| token.bytes().all(|byte| byte.is_ascii_digit()));
        if let Some(number) = number {
            for postcode in self.values(FieldRole::Postcode) {
                let postcode = normalise::zip(postcode);
                self.add(KeyKind::NumberPostcode, format!("{number} {postcode}"));
            }
        }
    }

    fn add_text(&mut self, text: &str) {
        let words = normalise::tokens(text);
        if words.is_empty() {
            return;
        }
        self.add(KeyKind::Text, words.join(" "));
        self.add_grams(KeyKind::TextGrams, &words.concat());
    }

    /// MinHash: of all trigrams, those with the least hash. Similar texts have the same one with the probability that
    /// the sets of their trigrams overlap; two of them together make a key.
    fn add_grams(&mut self, kind: KeyKind, text: &str) {
        let bytes = text.as_bytes();
        if bytes.len() < 4 {
            return;
        }
        for band in 0..BANDS {
            let least = |seed: u8| {
                bytes.windows(3).min_by_key(|gram| mixed(gram, seed)).unwrap_or_default()
            };
            let (first, second) = (least(2 * band), least(2 * band + 1));
            let grams = [&[b'0' + band, b' '], first, b" ", second].concat();
            self.add(kind, String::from_utf8_lossy(&grams).into_owned());
        }
    }

    fn add_dates_and_amounts(&mut self, dates: &[NaiveDate], beginning: &str) {
        for date in dates {
            self.add(KeyKind::Date, date.to_string());
        }
        for value in self.values(FieldRole::Amount) {
            let Some(amount) = normalise::amount(value) else { continue };
            if dates.is_empty() {
                self.add(KeyKind::Amount, amount.to_string());
            }
            for date in dates {
                for period in self.with_neighbours(date.num_days_from_ce().div_euclid(DAYS)) {
                    self.add(KeyKind::AmountPeriod, format!("{amount} {period}"));
                    for bucket in self.with_neighbours(amount_bucket(amount)) {
                        self.add(KeyKind::BucketPeriod, format!("{bucket} {period}"));
                        if !beginning.is_empty() {
                            let value = format!("{bucket} {period} {beginning}");
                            self.add(KeyKind::BucketPeriodText, value);
                        }
                    }
                }
            }
        }
    }

    fn with_neighbours(&self, bucket: i32) -> std::ops::RangeInclusive<i32> {
        match self.side {
            Side::Record => bucket..=bucket,
            Side::Query => bucket - 1..=bucket + 1,
        }
    }
}

/// The first letters of the first words: what is left of a text that a bank shortened.
fn beginning(name: &NameForm, text: &str) -> String {
    let words: Vec<String> = if name.is_empty() {
        normalise::tokens(text)
    } else {
        name.words().iter().map(|word| word.text.clone()).collect()
    };
    words.iter().take(2).map(|word| &word[..1]).collect()
}

/// Amounts of a bucket differ by at most 15 %. The sign does not matter: a payment and its receipt have opposite ones.
fn amount_bucket(amount: Decimal) -> i32 {
    let amount = amount.abs().to_f64().unwrap_or(0.0).max(0.01);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the logarithm of a decimal is below 1,000"
    )]
    let bucket = (amount.ln() / AMOUNT_STEP.ln()).floor() as i32;
    bucket
}

/// A hash of a trigram that depends on the seed: FNV-1a with a final mix.
fn mixed(gram: &[u8], seed: u8) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ u64::from(seed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    for byte in gram {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash = hash.wrapping_mul(0xd6e8_feb8_6659_fd93);
    hash ^ (hash >> 32)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn definition() -> RecordTypeDefinition {
        let roles = [
            ("account", FieldRole::Id),
            ("amount", FieldRole::Amount),
            ("city", FieldRole::City),
            ("day", FieldRole::Date),
            ("mail", FieldRole::Email),
            ("name", FieldRole::Name),
            ("note", FieldRole::Text),
            ("phone", FieldRole::Phone),
            ("postcode", FieldRole::Postcode),
            ("street", FieldRole::Address),
        ];
        let roles = roles.into_iter().map(|(name, role)| (name.to_owned(), role)).collect();
        RecordTypeDefinition { name: "customer".to_owned(), roles }
    }

    fn fields(values: &[(&str, &str)]) -> RecordFields {
        values.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
    }

    /// The kinds of keys by which a query with these fields finds a record with those.
    fn common(record: &[(&str, &str)], query: &[(&str, &str)]) -> Vec<KeyKind> {
        let stored: BTreeSet<i64> =
            keys(&definition(), &fields(record)).iter().map(|key| key.hash).collect();
        let mut kinds: Vec<KeyKind> = query_keys(&definition(), &fields(query))
            .iter()
            .filter(|key| stored.contains(&key.hash))
            .map(|key| key.kind)
            .collect();
        kinds.dedup();
        kinds
    }

    #[test]
    fn a_hash_is_stable_across_machines_and_releases() {
        let key = keys(&definition(), &fields(&[("account", "DE-00 42")]));
        assert_eq!(key.len(), 1);
        // Stored in databases: another value needs another KEY_VERSION.
        assert_eq!(
            (key[0].value.as_str(), key[0].hash),
            ("DE0042", -1_174_791_334_410_215_362_i64)
        );
    }

    #[test]
    fn a_name_is_found_by_other_spellings() {
        assert!(
            common(&[("name", "SIEMENS Aktiengesellschaft")], &[("name", "Siemens AG")])
                .contains(&KeyKind::Name)
        );
        let phonetic = common(&[("name", "Stefan Meyer")], &[("name", "Meier, Stephan")]);
        assert!(phonetic.contains(&KeyKind::NameCologne), "{phonetic:?}");
        assert!(!common(&[("name", "Anna Huber")], &[("name", "Annegret Huber")]).is_empty());
        assert!(common(&[("name", "Anna Huber")], &[("name", "Otto Kern")]).is_empty());
    }

    #[test]
    fn a_word_and_a_place_are_one_key() {
        let record = [("name", "Anna Huber"), ("postcode", "80333"), ("city", "München")];
        let query = [("name", "A. Hubert"), ("postcode", "D-80333"), ("city", "Muenchen")];
        let kinds = common(&record, &query);
        assert!(!kinds.contains(&KeyKind::Name));
        let all: BTreeSet<KeyKind> =
            keys(&definition(), &fields(&record)).iter().map(|key| key.kind).collect();
        assert!(all.contains(&KeyKind::WordPostcode) && all.contains(&KeyKind::WordCity));
        // A postcode alone is no key: one of them can have a twentieth of all records.
        assert!(keys(&definition(), &fields(&[("postcode", "80333")])).is_empty());
    }

    #[test]
    fn neighbouring_buckets_reach_near_dates_and_amounts() {
        let record = [("day", "2024-03-20"), ("amount", "1043.50")];
        for query in [
            [("day", "2024-03-20"), ("amount", "1,000.00")],
            [("day", "2024-03-01"), ("amount", "1,043.50")],
            [("day", "10.04.2024"), ("amount", "-1100")],
        ] {
            assert!(common(&record, &query).contains(&KeyKind::BucketPeriod), "{query:?}");
        }
        assert!(common(&record, &[("day", "2024-07-01"), ("amount", "1043.50")]).is_empty());
        assert!(common(&record, &[("day", "2024-03-20"), ("amount", "2000")]) == [KeyKind::Date]);
    }

    #[test]
    fn keys_are_bounded_and_made_of_any_text() {
        let long = "Ärger 12 ".repeat(120_000);
        let hostile = [
            long.as_str(),
            "",
            " ",
            "\0\u{1b}[31m",
            "'; DROP TABLE keys; --",
            "=cmd|' /C calc'!A0",
            "贝拉克·奥巴马",
            "💥",
        ];
        for value in hostile {
            let all: Vec<(String, String)> =
                definition().roles.into_keys().map(|name| (name, value.to_owned())).collect();
            let fields: RecordFields = all.into_iter().collect();
            let keys = keys(&definition(), &fields);
            assert!(keys.len() <= MAX_KEYS, "{}", keys.len());
            assert!(keys.iter().all(|key| key.value.len() < 4_000));
            assert!(query_keys(&definition(), &fields).len() <= 4 * MAX_KEYS);
        }
    }

    #[test]
    fn a_type_without_fields_and_a_record_without_values_have_no_keys() {
        let nothing = RecordTypeDefinition { name: "x".to_owned(), roles: [].into() };
        assert!(keys(&nothing, &fields(&[("name", "Anna")])).is_empty());
        assert!(keys(&definition(), &RecordFields::new()).is_empty());
    }
}
