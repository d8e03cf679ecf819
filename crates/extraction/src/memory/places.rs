//! The values of a document that layout memory knows about: typed values, and words that express a choice.

use domain::FieldKind;
use pages::Area;

use super::context::{Context, hashes, small};
use super::learn::equal;
use super::tokens;
use crate::fold::folded_words;
use crate::scan::{RowText, Scan};
use crate::scoring::mention::context_word;
use crate::types::DocumentType;

/// A word that contains a longer word expresses the same: `Dividendenabrechnung` and `Dividende`.
const MIN_CONTAINED: usize = 5;
/// The most rows that are searched for words of choices.
const MAX_ROWS: usize = 300;
const SIDE_WORDS: usize = 6;

/// A value with its surroundings.
#[derive(Clone, Debug)]
pub(super) struct Place {
    pub(super) kind: FieldKind,
    /// Normalised.
    pub(super) value: String,
    /// As it is written.
    pub(super) raw: String,
    /// The other meaning: day and month exchanged, or the separator read as the other one.
    pub(super) other: Option<String>,
    pub(super) page: u32,
    pub(super) area: Option<Area>,
    /// The number of the row in the document.
    pub(super) row: usize,
    pub(super) context: Context,
}

impl Place {
    /// Whether the value can be read as this one.
    pub(super) fn is(&self, kind: FieldKind, value: &str) -> bool {
        equal(kind, &self.value, value)
            || self.other.as_deref().is_some_and(|other| equal(kind, other, value))
    }
}

/// Every value that may be one of a field of the type.
pub(super) fn places(scan: &Scan, document_type: &DocumentType) -> Vec<Place> {
    let typed = scan.mentions.iter().map(|mention| Place {
        kind: mention.found.kind,
        value: mention.found.normalised(),
        raw: mention.found.raw.clone(),
        other: mention.found.other.as_ref().map(ToString::to_string),
        page: mention.found.page,
        area: mention.found.area,
        row: mention.row,
        context: Context::of(mention),
    });
    let mut places: Vec<Place> = typed.collect();
    places.extend(choices(scan, document_type));
    places
}

/// The words that express a choice, with their rows as surroundings.
pub(super) fn choices(scan: &Scan, document_type: &DocumentType) -> Vec<Place> {
    let phrases: Vec<(&str, Vec<String>)> = document_type
        .fields
        .iter()
        .flat_map(|spec| &spec.choices)
        .flat_map(|(value, phrases)| {
            phrases.iter().map(|phrase| (value.as_str(), folded_words(phrase)))
        })
        .filter(|(_, words)| !words.is_empty())
        .collect();
    if phrases.is_empty() {
        return Vec::new();
    }
    let rows: Vec<&RowText> = scan.rows.iter().take(MAX_ROWS).collect();
    let mut places = Vec::new();
    for (at, row) in rows.iter().enumerate() {
        let words: Vec<String> = row.text.iter().map(|word| folded_words(word).join(" ")).collect();
        let neighbour = |at: Option<usize>| at.and_then(|at| rows.get(at)).map(|row| &row.words);
        let (previous, next) = (neighbour(at.checked_sub(1)), neighbour(at.checked_add(1)));
        for from in 0..words.len() {
            let rest = words.get(from..).unwrap_or_default();
            let expressed = phrases.iter().filter(|(_, phrase)| expresses(rest, phrase));
            // The longest phrase counts: "you sold" and not "sold".
            let longest = expressed.max_by_key(|(_, phrase)| phrase.concat().len());
            let Some((value, phrase)) = longest else { continue };
            let around = |words: &[String]| -> Vec<u32> {
                let words = words.iter().filter_map(|word| context_word(word));
                words.take(SIDE_WORDS).map(|word| tokens::hash(&word)).collect()
            };
            let before: Vec<String> = row.text.iter().take(from).rev().cloned().collect();
            let after: Vec<String> = row.text.iter().skip(from + phrase.len()).cloned().collect();
            places.push(Place {
                kind: FieldKind::Choice,
                value: (*value).to_owned(),
                raw: row.text.join(" "),
                other: None,
                page: row.page,
                area: row.area,
                row: row.number,
                context: Context {
                    left: around(&before),
                    right: around(&after),
                    previous: previous.map(|words| hashes(words)).unwrap_or_default(),
                    next: next.map(|words| hashes(words)).unwrap_or_default(),
                    position: (small(from), small(row.text.len())),
                    page: row.page,
                    ..Context::default()
                },
            });
        }
    }
    places
}

fn expresses(words: &[String], phrase: &[String]) -> bool {
    if let [single] = phrase {
        let contains = |word: &String| {
            word == single || (single.len() >= MIN_CONTAINED && word.contains(single.as_str()))
        };
        return words.first().is_some_and(contains);
    }
    words.len() >= phrase.len() && words.iter().zip(phrase).all(|(word, part)| word == part)
}
