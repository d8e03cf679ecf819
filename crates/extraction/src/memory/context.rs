//! Where a value stands: the words around it and its place on the page.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::tokens::{self, Token};
use crate::scoring::Mention;

/// The anchors of a value. Words are hashes ([`Token`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// On the same row, the nearest first.
    pub(super) left: Vec<Token>,
    pub(super) right: Vec<Token>,
    /// The first word of the row.
    pub(super) first: Vec<Token>,
    /// The words of the row above.
    pub(super) previous: Vec<Token>,
    /// The words of the row below.
    pub(super) next: Vec<Token>,
    /// The nearest words above the value, the header of its column, and its key.
    pub(super) above: Vec<Token>,
    pub(super) section: Vec<Token>,
    /// The position among the values of the row, and their number.
    pub(super) position: (u8, u8),
    /// How many values are between this one and the nearest word to its left.
    pub(super) between: u8,
    /// How the value is written: its punctuation, with digits and letters replaced by classes.
    pub(super) shape: Token,
    /// Counted from 1.
    pub(super) page: u32,
    /// In tenths of the page's height.
    pub(super) band: Option<u8>,
}

/// The similarity of one anchor, and how much it counts.
struct Anchor {
    similarity: f32,
    weight: f32,
}

impl Context {
    pub(super) fn of(mention: &Mention) -> Self {
        let around = &mention.context;
        let above = [&around.above, &around.header, &around.column, &around.key];
        let mut above: Vec<Token> = above.into_iter().flat_map(|words| hashes(words)).collect();
        above.sort_unstable();
        above.dedup();
        let (position, count) = around.position;
        Self {
            left: hashes(&around.left),
            right: hashes(&around.right),
            first: around.first.iter().map(|word| tokens::hash(word)).collect(),
            previous: hashes(&around.previous),
            next: hashes(&around.next),
            above,
            section: hashes(&around.section),
            position: (small(position), small(count)),
            between: small(around.values_between),
            shape: shape(&mention.found.raw),
            page: mention.found.page,
            band: around.band,
        }
    }

    /// From 0 to 1: how well the surroundings of a value fit this stored context.
    pub(super) fn similarity(&self, found: &Self) -> f32 {
        let same = |is: bool| if is { 1.0 } else { 0.0 };
        let anchor = |similarity: f32, weight: f32| Anchor { similarity, weight };
        let anchors = [
            anchor(in_order(&self.left, &found.left), 3.0 * presence(&self.left)),
            anchor(in_order(&self.right, &found.right), presence(&self.right)),
            anchor(overlap(&self.first, &found.first), presence(&self.first)),
            anchor(overlap(&self.previous, &found.previous), presence(&self.previous)),
            anchor(overlap(&self.next, &found.next), 0.5 * presence(&self.next)),
            anchor(overlap(&self.above, &found.above), 1.5 * presence(&self.above)),
            anchor(overlap(&self.section, &found.section), 0.75 * presence(&self.section)),
            anchor(closeness(self.position.0, found.position.0), 0.75),
            anchor(closeness(self.position.1, found.position.1), 0.5),
            anchor(closeness(self.between, found.between), 0.75),
            anchor(same(self.shape == found.shape), 0.75),
            anchor(same(self.page == found.page), 0.5),
            anchor(near(self.band, found.band), 0.5),
        ];
        let (sum, total) = anchors.iter().fold((0.0, 0.0), |(sum, total), anchor| {
            (sum + anchor.similarity * anchor.weight, total + anchor.weight)
        });
        sum / total
    }

    /// How well a row fits as a term of a sum: its label counts, because rows move up and down when others are missing.
    pub(super) fn term_similarity(&self, found: &Self) -> f32 {
        if self.left.is_empty() {
            return 0.0;
        }
        let label =
            0.7 * in_order(&self.left, &found.left) + 0.3 * overlap(&self.first, &found.first);
        0.6 * label + 0.4 * self.similarity(found)
    }

    /// How many of the words around the value are among the given ones; those that are nearest count most.
    pub(super) fn label_score(&self, labels: &BTreeSet<Token>) -> u32 {
        let among = |tokens: &[Token]| {
            u32::try_from(tokens.iter().filter(|token| labels.contains(token)).count()).unwrap_or(0)
        };
        4 * among(&self.left) + 3 * among(&self.above) + among(&self.first) + among(&self.previous)
    }

    pub(super) fn has_row_label(&self) -> bool {
        !self.left.is_empty()
    }
}

pub(super) fn hashes(words: &[String]) -> Vec<Token> {
    words.iter().map(|word| tokens::hash(word)).collect()
}

pub(super) fn small(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// An anchor that the stored context does not have says little.
fn presence(tokens: &[Token]) -> f32 {
    if tokens.is_empty() { 0.35 } else { 1.0 }
}

/// Compares two lists in order; the first items count most. An item that moved by one place counts half.
fn in_order(stored: &[Token], found: &[Token]) -> f32 {
    if stored.is_empty() {
        return if found.is_empty() { 1.0 } else { 0.0 };
    }
    let (mut sum, mut total) = (0.0, 0.0);
    let mut weight = 1.0;
    for (at, token) in stored.iter().enumerate() {
        let neighbours = [at.checked_sub(1), at.checked_add(1)];
        if found.get(at) == Some(token) {
            sum += weight;
        } else if neighbours.into_iter().flatten().any(|near| found.get(near) == Some(token)) {
            sum += 0.5 * weight;
        }
        total += weight;
        weight *= 0.75;
    }
    sum / total
}

/// The share of common words (Jaccard).
fn overlap(stored: &[Token], found: &[Token]) -> f32 {
    if stored.is_empty() && found.is_empty() {
        return 1.0;
    }
    let shared = stored.iter().filter(|token| found.contains(token)).count();
    #[expect(clippy::cast_precision_loss, reason = "short lists")]
    let share = shared as f32 / (stored.len() + found.len()).saturating_sub(shared).max(1) as f32;
    share.min(1.0)
}

fn closeness(stored: u8, found: u8) -> f32 {
    match stored.abs_diff(found) {
        0 => 1.0,
        1 => 0.3,
        _ => 0.0,
    }
}

/// Places that differ by more than three tenths of the page have nothing in common.
fn near(stored: Option<u8>, found: Option<u8>) -> f32 {
    match (stored, found) {
        (Some(stored), Some(found)) => (1.0 - f32::from(stored.abs_diff(found)) / 3.0).max(0.0),
        (None, None) => 1.0,
        _ => 0.0,
    }
}

fn shape(raw: &str) -> Token {
    let mut shape = String::new();
    for letter in raw.chars() {
        let class = match letter {
            letter if letter.is_ascii_digit() => '9',
            letter if letter.is_alphabetic() => 'a',
            letter => letter,
        };
        if !shape.ends_with(class) {
            shape.push(class);
        }
    }
    tokens::hash(&shape)
}
