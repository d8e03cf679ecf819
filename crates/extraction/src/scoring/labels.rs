//! Which labels of a document type a context contains: as they are, by their stems, or with a few wrong letters.

use std::collections::HashMap;

use snowball_stemmers_rs::{Algorithm, Stemmer};

use super::Context;
use super::terms::Term;
use crate::fold::folded_words;
use crate::types::DocumentType;

/// The shortest word in which a wrong letter is tolerated.
const FUZZY_LENGTH: usize = 7;
const FUZZY_SIMILARITY: f64 = 0.84;
/// The most words whose spelling is remembered.
const MAX_CACHE: usize = 50_000;

/// How a label was recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Match {
    Fuzzy,
    Stemmed,
    Exact,
}

/// Where in the context a label is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Place {
    /// Directly before the value in its row.
    Left,
    /// Farther to the left.
    Row,
    Right,
    Above,
    Header,
    Aligned,
    Previous,
    Next,
    Key,
    Section,
}

/// A label of a field in a context.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hit {
    /// The index of the field in the document type; terms that name no field follow the fields.
    pub field: usize,
    pub place: Place,
    pub matched: Match,
    /// How many words the label has.
    pub words: usize,
}

/// The labels of a document type, by their words.
#[derive(Debug)]
pub struct LabelIndex {
    /// The number of each word, by its spelling and by its stem.
    spellings: HashMap<String, usize>,
    stems: HashMap<String, usize>,
    words: Vec<String>,
    /// For the number of a label's first word the labels: the field and the numbers of all words.
    labels: HashMap<usize, Vec<(usize, Vec<usize>)>>,
    known: HashMap<String, Option<(usize, Match)>>,
    /// The fields without their groups, then the terms.
    names: Vec<String>,
}

impl LabelIndex {
    /// The labels of a type, and terms that name none of its fields.
    pub fn with_terms(document_type: &DocumentType, terms: &[Term]) -> Self {
        let mut index = Self::new(document_type);
        for (name, phrases) in terms {
            let field = index.names.len();
            index.names.push((*name).to_owned());
            for phrase in *phrases {
                index.insert(field, "", phrase);
            }
        }
        index
    }

    pub fn new(document_type: &DocumentType) -> Self {
        let names = document_type.fields.iter().map(|spec| spec.group().1.to_owned()).collect();
        let mut index = Self {
            names,
            spellings: HashMap::new(),
            stems: HashMap::new(),
            words: Vec::new(),
            labels: HashMap::new(),
            known: HashMap::new(),
        };
        for (field, spec) in document_type.fields.iter().enumerate() {
            for (language, labels) in &spec.labels {
                for label in labels {
                    index.insert(field, language, label);
                }
            }
        }
        index
    }

    /// The name of the field or term with this index.
    pub fn name(&self, field: usize) -> &str {
        self.names.get(field).map_or("", String::as_str)
    }

    fn insert(&mut self, field: usize, language: &str, label: &str) {
        let words: Vec<usize> =
            context_words(label).iter().map(|word| self.number(language, word)).collect();
        if let Some(&first) = words.first() {
            self.labels.entry(first).or_default().push((field, words));
        }
    }

    fn number(&mut self, language: &str, word: &str) -> usize {
        if let Some(&number) = self.spellings.get(word) {
            return number;
        }
        let number = self.words.len();
        self.words.push(word.to_owned());
        self.spellings.insert(word.to_owned(), number);
        if let Some(stem) = stem(language, word) {
            self.stems.entry(stem).or_insert(number);
        }
        number
    }

    /// The label word that a word of a page stands for.
    fn resolve(&mut self, word: &str) -> Option<(usize, Match)> {
        if let Some(&number) = self.spellings.get(word) {
            return Some((number, Match::Exact));
        }
        if let Some(known) = self.known.get(word) {
            return *known;
        }
        let stemmed = ["de", "en", "fr", "it", "es", "nl", "pt"]
            .into_iter()
            .filter_map(|language| stem(language, word))
            .find_map(|stem| self.stems.get(&stem).copied());
        let resolved = match stemmed {
            Some(number) => Some((number, Match::Stemmed)),
            None => self.fuzzy(word).map(|number| (number, Match::Fuzzy)),
        };
        if self.known.len() < MAX_CACHE {
            self.known.insert(word.to_owned(), resolved);
        }
        resolved
    }

    fn fuzzy(&self, word: &str) -> Option<usize> {
        if word.len() < FUZZY_LENGTH {
            return None;
        }
        let similar = |(number, other): (usize, &String)| {
            let close = other.len().abs_diff(word.len()) <= 1
                && (other.as_bytes()[0] == word.as_bytes()[0]
                    || other[1..].get(..3) == word.get(1..4));
            let similarity = if close { strsim::normalized_levenshtein(other, word) } else { 0.0 };
            (similarity >= FUZZY_SIMILARITY).then_some((number, similarity))
        };
        let matches =
            self.words.iter().enumerate().filter(|(_, w)| w.is_ascii()).filter_map(similar);
        matches.max_by(|a, b| a.1.total_cmp(&b.1)).map(|(number, _)| number)
    }

    /// The labels that a context contains, the best of each field and place.
    pub fn find(&mut self, context: &Context) -> Vec<Hit> {
        let mut hits = Vec::new();
        let left: Vec<String> = context.left.iter().rev().cloned().collect();
        self.find_in(&left, Place::Left, &mut hits);
        self.find_in(&context.right, Place::Right, &mut hits);
        self.find_in(&context.above, Place::Above, &mut hits);
        self.find_in(&context.header, Place::Header, &mut hits);
        self.find_in(&context.aligned, Place::Aligned, &mut hits);
        self.find_in(&context.previous, Place::Previous, &mut hits);
        self.find_in(&context.next, Place::Next, &mut hits);
        self.find_in(&context.key, Place::Key, &mut hits);
        self.find_in(&context.column, Place::Header, &mut hits);
        self.find_in(&context.section, Place::Section, &mut hits);
        hits
    }

    fn find_in(&mut self, words: &[String], place: Place, hits: &mut Vec<Hit>) {
        let numbers: Vec<Option<(usize, Match)>> =
            words.iter().map(|word| self.resolve(word)).collect();
        // Each label with the words that it covers.
        let mut found: Vec<(std::ops::Range<usize>, usize, Match)> = Vec::new();
        for from in 0..numbers.len() {
            let Some((first, _)) = numbers[from] else { continue };
            let Some(labels) = self.labels.get(&first) else { continue };
            for (field, label) in labels {
                let Some(words) = numbers.get(from..from + label.len()) else { continue };
                let compared = words.iter().zip(label).map(|(found, number)| match found {
                    Some((found, matched)) if found == number => Some(*matched),
                    _ => None,
                });
                let weakest = compared.reduce(|a, b| a.zip(b).map(|(a, b)| a.min(b))).flatten();
                found.extend(weakest.map(|matched| (from..from + label.len(), *field, matched)));
            }
        }
        // A label within a longer one says nothing: `date` in `trade date`.
        let within = |one: &std::ops::Range<usize>, other: &std::ops::Range<usize>| {
            other.start <= one.start && one.end <= other.end && one.len() < other.len()
        };
        for (covers, field, matched) in &found {
            if found.iter().any(|(other, ..)| within(covers, other)) {
                continue;
            }
            let ends = covers.end == numbers.len();
            let place = if place == Place::Left && !ends { Place::Row } else { place };
            push(hits, Hit { field: *field, place, matched: *matched, words: covers.len() });
        }
    }
}

fn push(hits: &mut Vec<Hit>, hit: Hit) {
    match hits.iter_mut().find(|known| known.field == hit.field && known.place == hit.place) {
        Some(known) if (known.words, known.matched) < (hit.words, hit.matched) => *known = hit,
        Some(_) => {}
        None => hits.push(hit),
    }
}

/// A label's words as contexts contain them: `Depot-Nr.` is one word there.
fn context_words(label: &str) -> Vec<String> {
    label
        .split_whitespace()
        .map(|word| folded_words(word).concat())
        .filter(|word| !word.is_empty())
        .collect()
}

fn stem(language: &str, word: &str) -> Option<String> {
    if word.len() < 4 {
        return None;
    }
    let algorithm = match language {
        "de" => Algorithm::German,
        "en" => Algorithm::English,
        "fr" => Algorithm::French,
        "it" => Algorithm::Italian,
        "es" => Algorithm::Spanish,
        "nl" => Algorithm::Dutch,
        "pt" => Algorithm::Portuguese,
        _ => return None,
    };
    Some(Stemmer::create(algorithm).stem(word).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::terms;
    use crate::types::builtin;

    fn found(left: &[&str]) -> Vec<(String, Place)> {
        let document_type = builtin().iter().find(|known| known.name == "contract_note").unwrap();
        let mut index = LabelIndex::with_terms(document_type, terms::CONTRACT_NOTE);
        let context = Context {
            left: left.iter().rev().map(|&word| word.to_owned()).collect(),
            ..Context::default()
        };
        let hits = index.find(&context);
        hits.iter().map(|hit| (index.name(hit.field).to_owned(), hit.place)).collect()
    }

    #[test]
    fn a_label_within_a_longer_one_does_not_count() {
        let names = found(&["trade", "date"]);
        assert!(names.contains(&("trade_date".to_owned(), Place::Left)));
        assert!(!names.iter().any(|(name, _)| name == "document_date"), "{names:?}");
    }

    #[test]
    fn terms_are_found_beside_the_labels_of_fields() {
        assert_eq!(found(&["extag"]), [("ex day".to_owned(), Place::Left)]);
        let names = found(&["handelstag", "12"]);
        assert!(names.contains(&("execution".to_owned(), Place::Row)), "{names:?}");
        assert!(names.contains(&("trade_date".to_owned(), Place::Row)), "{names:?}");
    }
}
