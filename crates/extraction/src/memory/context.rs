//! Where a value stands: the words around it and its place on the page.

use std::collections::BTreeSet;

use domain::FieldKind;
use serde::{Deserialize, Serialize};

use super::tokens::{self, Token};
use super::tuning::Anchors;
use crate::candidates::Found;
use crate::fold::fold;
use crate::scoring::Mention;

/// The right edge of a value is stored in steps of this many points.
const EDGE_STEP: f32 = 12.0;

/// The anchors of a value. Words are hashes ([`Token`]).
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Context {
    /// On the same row, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<Token>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) right: Vec<Token>,
    /// The first word of the row.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) first: Vec<Token>,
    /// The words of the row above.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) previous: Vec<Token>,
    /// The words of the row below.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) next: Vec<Token>,
    /// The nearest words above the value, the header of its column, and its key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) above: Vec<Token>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) section: Vec<Token>,
    /// The position among the values of the row, and their number.
    pub(super) position: (u8, u8),
    /// How many values are between this one and the nearest word to its left.
    pub(super) between: u8,
    /// How the value is written, without its digits and letters.
    pub(super) shape: Token,
    /// Counted from 1.
    pub(super) page: u32,
    /// In tenths of the page's height.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) band: Option<u8>,
    /// The right edge of the value, in steps of `EDGE_STEP`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) edge: Option<u16>,
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
            shape: shape(&mention.found),
            page: mention.found.page,
            band: around.band,
            edge: mention.found.area.map(|area| edge(area.right)),
        }
    }

    /// The words of all anchors.
    pub(super) fn words(&self) -> impl Iterator<Item = Token> {
        let lists = [
            &self.left,
            &self.right,
            &self.first,
            &self.previous,
            &self.next,
            &self.above,
            &self.section,
        ];
        lists.into_iter().flatten().copied()
    }

    /// The context without words that the other document does not have: such words are values themselves (the name of a
    /// security, of a customer), and say nothing about the layout.
    pub(super) fn common(&self, vocabulary: &BTreeSet<Token>) -> Self {
        let known = |words: &[Token]| -> Vec<Token> {
            words.iter().copied().filter(|word| vocabulary.contains(word)).collect()
        };
        Self {
            left: known(&self.left),
            right: known(&self.right),
            first: known(&self.first),
            previous: known(&self.previous),
            next: known(&self.next),
            above: known(&self.above),
            section: known(&self.section),
            ..*self
        }
    }

    /// From 0 to 1: how well the surroundings of a value fit this stored context.
    pub(super) fn similarity(&self, found: &Self, anchors: &Anchors) -> f32 {
        let same = |is: bool| if is { 1.0 } else { 0.0 };
        let (mut sum, mut total) = (0.0, anchors.prior);
        let mut add = |similarity: f32, weight: f32| {
            sum += similarity * weight;
            total += weight;
        };
        let presence = |words: &[Token], other: &[Token]| match (words, other) {
            ([], []) => 0.0,
            ([], _) => anchors.absent,
            _ => 1.0,
        };
        let lists = [
            (in_order(&self.left, &found.left), anchors.left, &self.left, &found.left),
            (in_order(&self.right, &found.right), anchors.right, &self.right, &found.right),
            (overlap(&self.first, &found.first), anchors.first, &self.first, &found.first),
            (
                overlap(&self.previous, &found.previous),
                anchors.previous,
                &self.previous,
                &found.previous,
            ),
            (overlap(&self.next, &found.next), anchors.next, &self.next, &found.next),
            (overlap(&self.above, &found.above), anchors.above, &self.above, &found.above),
            (
                overlap(&self.section, &found.section),
                anchors.section,
                &self.section,
                &found.section,
            ),
        ];
        for (similarity, weight, stored, other) in lists {
            add(similarity, weight * presence(stored, other));
        }
        add(closeness(self.position.0, found.position.0), anchors.position);
        add(closeness(self.position.1, found.position.1), anchors.count);
        add(closeness(self.between, found.between), anchors.between);
        add(same(self.shape == found.shape), anchors.shape);
        add(same(self.page == found.page), anchors.page);
        add(near(self.band, found.band), anchors.band);
        if let (Some(stored), Some(other)) = (self.edge, found.edge) {
            add(same(stored.abs_diff(other) <= 1), anchors.edge);
        }
        sum / total
    }

    /// How well a row fits as a term of a sum: its label counts, because rows move up and down when others are missing.
    pub(super) fn term_similarity(&self, found: &Self, anchors: &Anchors) -> f32 {
        if self.left.is_empty() {
            return 0.0;
        }
        let label =
            0.7 * in_order(&self.left, &found.left) + 0.3 * overlap(&self.first, &found.first);
        0.6 * label + 0.4 * self.similarity(found, anchors)
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

fn edge(right: f32) -> u16 {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let edge = (right / EDGE_STEP).clamp(0.0, f32::from(u16::MAX)) as u16;
    edge
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

/// How a value is written. Of a number that is its unit, whether it has a currency, and its decimals; separators of thousands
/// depend on the value.
fn shape(found: &Found) -> Token {
    let numeric = matches!(found.kind, FieldKind::Money | FieldKind::Quantity | FieldKind::Number);
    if numeric {
        let unit = found.unit.as_deref().map(fold).unwrap_or_default();
        let decimals = found.decimals.min(3);
        return tokens::hash(&format!("{} {unit} {decimals}", found.currency.is_some()));
    }
    let mut shape = String::new();
    for letter in found.raw.chars() {
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
