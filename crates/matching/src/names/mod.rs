//! How similar two names are: words are aligned with each other, and a logistic regression judges what the alignment shows.
//!
//! Words that only one name has say little against a match (a middle name, a legal form); words that one name has instead
//! of others say much. `bench-matching fit-names` fits the weights in `weights.rs`.

mod align;
mod weights;

use rphonetic::{Cologne, DoubleMetaphone, Encoder};

use crate::normalise::{self, Commonness};
use align::Alignment;
pub use weights::WEIGHTS;

/// The number of features of a pair of names.
pub const FEATURES: usize = 16;

/// Characters of a word that are encoded phonetically: the encoders are meant for single words.
const ENCODED: usize = 32;

/// A name, prepared for comparison.
#[derive(Clone, Debug, Default)]
pub struct NameForm {
    words: Vec<Word>,
    /// The words in their order, without spaces.
    joined: String,
    /// The words sorted, without spaces.
    sorted: String,
    /// The name in its normal form; two names with the same are equal.
    norm: String,
    /// The name was written without vowels (Arabic, Hebrew).
    is_abjad: bool,
}

/// A word of a name.
#[derive(Clone, Debug)]
pub(crate) struct Word {
    pub(crate) text: String,
    /// What spellings of one sound have in common.
    pub(crate) skeleton: String,
    /// Which letters the skeleton has, a bit for each.
    pub(crate) letters: u32,
    /// How much the word says about who is meant, from 0 to 1.
    pub(crate) weight: f64,
}

impl NameForm {
    pub fn new(name: &str) -> Self {
        let is_abjad = name.chars().take(normalise::MAX_CHARS).any(
            |char| matches!(char, '\u{0590}'..='\u{05ff}' | '\u{0600}'..='\u{06ff}' | '\u{0750}'..='\u{077f}'),
        );
        let tokens = normalise::name_tokens(name);
        let norm = normalise::name_norm_of(tokens.clone());
        Self { norm, is_abjad, ..Self::of_words(tokens) }
    }

    /// Any text whose words are compared as those of a name are.
    pub(crate) fn of_words(words: Vec<String>) -> Self {
        let words: Vec<Word> = words.into_iter().map(Word::new).collect();
        let joined = words.iter().map(|word| word.text.as_str()).collect();
        let mut texts: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        texts.sort_unstable();
        let sorted = texts.concat();
        let norm = texts.join(" ");
        Self { words, joined, sorted, norm, is_abjad: false }
    }

    pub fn is_empty(&self) -> bool {
        self.words.is_empty()
    }

    pub(crate) fn joined(&self) -> &str {
        &self.joined
    }

    pub(crate) fn norm(&self) -> &str {
        &self.norm
    }

    pub(crate) fn words(&self) -> &[Word] {
        &self.words
    }
}

impl Word {
    fn new(text: String) -> Self {
        let skeleton = skeleton(&text);
        let weight = match normalise::commonness(&text) {
            Some(Commonness::Particle) => 0.2,
            Some(Commonness::Word) => 0.5,
            None if text.len() == 1 => 0.4,
            None if text.len() == 2 => 0.7,
            None => 1.0,
        };
        let letters = skeleton.bytes().filter(u8::is_ascii_lowercase);
        let letters = letters.fold(0, |bits, letter| bits | 1 << (letter - b'a'));
        Self { text, skeleton, letters, weight }
    }
}

/// The word without differences of spelling that transliterations and umlauts cause: `mueller` and `muller` are `muler`.
pub(crate) fn skeleton(word: &str) -> String {
    let bytes = word.as_bytes();
    let mut form = String::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let next = bytes.get(at + 1).copied().unwrap_or(0);
        let (char, length) = match (bytes[at], next) {
            (b'p', b'h') => ('f', 2),
            (vowel @ (b'a' | b'o' | b'u'), b'e') => (char::from(vowel), 2),
            (b'c', b'k' | b'h') | (b'k', b'h') | (b'q', b'u') => ('k', 2),
            (b'c' | b'q', _) => ('k', 1),
            (b'y' | b'j', _) => ('i', 1),
            (b'w', _) => ('v', 1),
            (b'z', _) => ('s', 1),
            (byte, _) => (char::from(byte), 1),
        };
        if !form.ends_with(char) || char.is_ascii_digit() {
            form.push(char);
        }
        at += length;
    }
    form
}

/// The codes of a word by Double Metaphone and Kölner Phonetik, as far as the word has letters that they encode.
pub fn phonetic_codes(word: &str) -> (String, String) {
    let letters: String = word.chars().filter(char::is_ascii_alphabetic).take(ENCODED).collect();
    let metaphone = DoubleMetaphone::new(Some(6)).encode(&letters);
    (metaphone, Cologne.encode(&letters))
}

/// The probability that two names belong to the same person, company or thing, judged by the names alone.
pub fn similarity(left: &NameForm, right: &NameForm) -> f64 {
    if left.is_empty() || right.is_empty() {
        return 0.0;
    }
    probability(&features(left, right), &WEIGHTS)
}

/// The logistic function of the weighted sum.
pub fn probability(features: &[f64; FEATURES], weights: &[f64; FEATURES]) -> f64 {
    let sum: f64 = features.iter().zip(weights).map(|(feature, weight)| feature * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

fn total(form: &NameForm) -> f64 {
    form.words.iter().map(|word| word.weight).sum::<f64>().max(0.1)
}

/// How much of the shorter text the longer one contains, from 0 to 1.
pub(crate) fn overlap(left: &NameForm, right: &NameForm) -> f64 {
    (Alignment::new(left, right).agreement / total(left).min(total(right))).min(1.0)
}

/// How much two texts have in common, from 0 to 1 (Dice coefficient).
pub(crate) fn dice(left: &NameForm, right: &NameForm) -> f64 {
    (2.0 * Alignment::new(left, right).agreement / (total(left) + total(right))).min(1.0)
}

/// For each feature whether it can speak for a match only (1), against it only (-1), or both (0). A fit that finds the
/// opposite has found an accident of its data.
pub const SIGNS: [i8; FEATURES] = [0, 1, -1, -1, -1, 1, -1, 1, 1, 0, -1, 0, 1, 1, -1, -1];

/// What the comparison of two names shows. The order is that of [`WEIGHTS`].
pub fn features(left: &NameForm, right: &NameForm) -> [f64; FEATURES] {
    let alignment = Alignment::new(left, right);
    let (shorter, longer) = (total(left).min(total(right)), total(left).max(total(right)));
    let (replaced, extra) = {
        let (a, b) = (alignment.unmatched_left, alignment.unmatched_right);
        (a.min(b), (a - b).abs())
    };
    [
        1.0,
        alignment.agreement / shorter,
        replaced.min(3.0),
        replaced / shorter,
        extra / longer,
        alignment.worst,
        alignment.edits.min(2.0),
        strsim::jaro_winkler(&left.joined, &right.joined),
        align::similarity_of_letters(&left.sorted, &right.sorted),
        f64::from(u8::from(shorter <= 1.0)),
        f64::from(u8::from(alignment.has_number_conflict)),
        alignment.initials.min(2.0),
        f64::from(u8::from(alignment.keeps_order)),
        if left.is_abjad == right.is_abjad { 0.0 } else { alignment.consonants },
        alignment.letters.min(5.0),
        // One or two wrong letters in a word are typing errors; with more it is another word.
        (alignment.worst_letters - 2.0).clamp(0.0, 3.0),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(left: &str, right: &str) -> f64 {
        similarity(&NameForm::new(left), &NameForm::new(right))
    }

    #[test]
    fn spellings_of_one_name_are_similar() {
        for (left, right) in [
            ("Siemens AG", "SIEMENS Aktiengesellschaft"),
            ("Anna Schmidt-Lehmann", "Schmidt Lehmann, Anna"),
            ("Jörg Müller", "Joerg Mueller"),
            ("Hans J. Krause", "Hans Joachim Krause"),
            ("Nordlicht Energie GmbH", "Nordlicht Energy"),
            ("Константин Петров", "Konstantin Petrov"),
            ("BlueRiver Trading Ltd", "Blue River Trading"),
        ] {
            assert!(compared(left, right) > 0.5, "{left} / {right}: {}", compared(left, right));
        }
    }

    #[test]
    fn a_word_in_place_of_another_makes_names_different() {
        for (left, right) in [
            ("Anna Schmidt", "Anna Kowalski"),
            ("Nordlicht Energie GmbH", "Suedwind Energie GmbH"),
            ("Peter Paul Huber", "Peter Otto Huber"),
            ("Hafen Nord 12", "Hafen Sued 14"),
        ] {
            assert!(compared(left, right) < 0.5, "{left} / {right}: {}", compared(left, right));
        }
    }

    #[test]
    fn similarity_is_symmetric_and_bounded_for_any_text() {
        let long = "xy ".repeat(300_000);
        let names = [
            "",
            "a",
            "=HYPERLINK(1)",
            "'; DROP TABLE x; --",
            "\0",
            "贝拉克",
            long.as_str(),
            "A. B. C.",
        ];
        for left in names {
            for right in names {
                let (there, back) = (compared(left, right), compared(right, left));
                assert!((0.0..=1.0).contains(&there));
                assert!((there - back).abs() < 1e-9, "{there} and {back}");
            }
        }
    }

    #[test]
    fn skeletons_unite_spellings() {
        assert_eq!(skeleton("mueller"), skeleton("muller"));
        assert_eq!(skeleton("kristal"), skeleton("crystall"));
        assert_eq!(skeleton("stephan"), skeleton("stefan"));
        assert_ne!(skeleton("1100"), skeleton("100"));
    }
}
