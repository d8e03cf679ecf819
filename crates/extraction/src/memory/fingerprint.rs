//! The fingerprint of a layout: which labels a document has, whatever values stand beside them.
//!
//! It is a MinHash signature of the words without digits of the first pages. The share of equal numbers in two
//! signatures estimates the Jaccard similarity of both sets of words. Pairs of neighbouring numbers are *bands*: two
//! documents that share one are compared, all others are not even read from the database.

use std::collections::BTreeSet;
use std::io::Read;

use pages::artifact::{ArtifactError, Reader};
use pages::{Page, Part};
use serde::{Deserialize, Serialize};

use super::tokens::{self, Token};
use crate::letter_spacing;
use crate::scoring::mention::context_word;

/// Later pages are often conditions that every document of an issuer repeats, or tables of any length.
const PAGES: usize = 2;
const WORDS_PER_PAGE: usize = 4_000;
const MIN_LETTERS: usize = 3;
/// An address on the web or of a mailbox names the issuer: it counts as much as this many words.
const ISSUER_WEIGHT: u32 = 6;
const NUMBERS: usize = 128;
const ROWS_PER_BAND: usize = 2;
/// A number of a signature has this many bits; see [`Fingerprint::bands`].
const MASK: u32 = 0x7fff_ffff;

/// What identifies a layout.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Fingerprint(Vec<u32>);

impl Fingerprint {
    /// The fingerprint of a document. Without words it is empty, and similar to none.
    pub fn of<'a>(parts: impl IntoIterator<Item = &'a Part>) -> Self {
        let mut collector = Collector::default();
        for part in parts {
            if let Part::Page(page) = part {
                collector.add(page);
            }
            if collector.is_complete() {
                break;
            }
        }
        collector.finish()
    }

    /// The fingerprint of stored pages. Reads no further than the pages that count.
    pub fn read(stored: impl Read) -> Result<Self, ArtifactError> {
        let mut reader = Reader::new(stored)?;
        let mut collector = Collector::default();
        while !collector.is_complete()
            && let Some(part) = reader.next_part()?
        {
            if let Part::Page(page) = part {
                collector.add(&letter_spacing::join(&page));
            }
        }
        Ok(collector.finish())
    }

    /// From 0 to 1: the share of words that both documents have.
    pub fn similarity(&self, other: &Self) -> f32 {
        if self.0.is_empty() || self.0.len() != other.0.len() {
            return 0.0;
        }
        let equal = self.0.iter().zip(&other.0).filter(|(a, b)| a == b).count();
        #[expect(clippy::cast_precision_loss, reason = "at most a few hundred")]
        let share = equal as f32 / self.0.len() as f32;
        share
    }

    /// Two documents with a similarity of 0.2 share a band in 9 of 10 cases, with 0.3 in all but 2 of 1,000.
    pub fn bands(&self) -> Vec<i32> {
        let mut bands: Vec<i32> = self
            .0
            .chunks_exact(ROWS_PER_BAND)
            .enumerate()
            .map(|(index, numbers)| {
                let mut bytes = index.to_le_bytes().to_vec();
                bytes.extend(numbers.iter().flat_map(|number| number.to_le_bytes()));
                i32::try_from(tokens::hash_bytes(&bytes) & MASK).unwrap_or_default()
            })
            .collect();
        bands.sort_unstable();
        bands.dedup();
        bands
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// Collects the words of the first pages, one page at a time.
#[derive(Debug, Default)]
pub struct Collector {
    words: BTreeSet<Token>,
    pages: usize,
}

impl Collector {
    pub fn add(&mut self, page: &Page) {
        if self.is_complete() || page.words.is_empty() {
            return;
        }
        self.pages += 1;
        for word in page.words.iter().take(WORDS_PER_PAGE) {
            let text = word.text.as_str();
            let Some(folded) = context_word(text).filter(|word| is_label(word)) else { continue };
            let token = tokens::hash(&folded);
            if is_issuer_address(text) {
                self.words.extend((0..ISSUER_WEIGHT).map(|salt| salted(token, salt)));
            } else {
                self.words.insert(token);
            }
        }
    }

    /// Whether later pages change nothing any more.
    pub fn is_complete(&self) -> bool {
        self.pages >= PAGES
    }

    pub fn finish(self) -> Fingerprint {
        if self.words.is_empty() {
            return Fingerprint::default();
        }
        let smallest = |salt: u32| {
            self.words
                .iter()
                .map(|word| salted(*word, salt.wrapping_add(0x5eed)))
                .min()
                .unwrap_or_default()
        };
        let count = u32::try_from(NUMBERS).unwrap_or_default();
        Fingerprint((0..count).map(smallest).collect())
    }
}

/// Words with digits are values, and short ones say little about the issuer.
fn is_label(word: &str) -> bool {
    word.chars().count() >= MIN_LETTERS && !word.contains(|letter: char| letter.is_ascii_digit())
}

fn is_issuer_address(text: &str) -> bool {
    text.contains('@') || text.to_ascii_lowercase().contains("www.")
}

/// A permutation of all tokens, one for each salt (the finaliser of MurmurHash 3).
fn salted(token: Token, salt: u32) -> u32 {
    let mut state = token ^ salt.wrapping_mul(0x9e37_79b9);
    state ^= state >> 16;
    state = state.wrapping_mul(0x85eb_ca6b);
    state ^= state >> 13;
    state = state.wrapping_mul(0xc2b2_ae35);
    state ^ (state >> 16)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::memory::samples::document;

    fn fingerprint(lines: &[&str]) -> Fingerprint {
        Fingerprint::of(&document(lines))
    }

    const NOTE: [&str; 6] = [
        "Nordbank AG www.nordbank.example",
        "Securities settlement Purchase",
        "Order number 4711 Execution date 03.05.2024",
        "Quantity 12 Price 88,10 EUR",
        "Market value 1.057,20 EUR Commission 9,90 EUR",
        "Amount charged to your account 1.067,10 EUR",
    ];

    #[test]
    fn other_values_leave_the_fingerprint_as_it_is() {
        let other = [
            "Nordbank AG www.nordbank.example",
            "Securities settlement Purchase",
            "Order number 9 Execution date 17.11.2023",
            "Quantity 4.000 Price 1,05 EUR",
            "Market value 4.200,00 EUR Commission 19,90 EUR",
            "Amount charged to your account 4.219,90 EUR",
        ];
        assert_eq!(fingerprint(&NOTE), fingerprint(&other));
    }

    #[test]
    fn another_form_of_the_issuer_is_similar_and_another_issuer_is_not() {
        let dividend = [
            "Nordbank AG www.nordbank.example",
            "Securities settlement Dividend",
            "Order number 4712 Payment date 03.06.2024",
            "Quantity 12 Dividend per share 1,10 EUR",
            "Amount credited to your account 13,20 EUR",
        ];
        let stranger =
            ["Sonnen Apotheke", "Kassenbon vom 04.05.2024", "Summe inklusive Mehrwertsteuer 12,00"];
        let note = fingerprint(&NOTE);
        let same_issuer = note.similarity(&fingerprint(&dividend));
        assert!(same_issuer > 0.4, "{same_issuer}");
        assert!(note.similarity(&fingerprint(&stranger)) < 0.1);
        let bands = note.bands();
        assert!(fingerprint(&dividend).bands().iter().any(|band| bands.contains(band)));
        assert!(!fingerprint(&stranger).bands().iter().any(|band| bands.contains(band)));
    }

    #[test]
    fn a_document_without_words_is_similar_to_none() {
        let empty = fingerprint(&[]);
        assert!(empty.is_empty());
        assert!(empty.bands().is_empty());
        assert!(empty.similarity(&empty) < 0.1);
    }
}
