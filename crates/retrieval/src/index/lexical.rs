//! BM25 over what is visible.

use crate::terms::{QueryTerm, QueryTerms};

use super::TenantIndex;

/// How soon a repeated term stops counting, and how much a long chunk is held against it. Chosen by
/// `bench-retrieval quality`.
const K1: f32 = 1.2;
const B: f32 = 0.5;

/// What a search may look at: one entry for each chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sight {
    Hidden,
    /// Counts in the statistics, is not returned.
    Visible,
    /// Is returned.
    Wanted,
}

/// Statistics of the visible chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visible {
    pub(super) chunks: u64,
    pub(super) tokens: u64,
}

struct Weighed<'a> {
    weight: f32,
    term: &'a QueryTerm,
    /// Place and count.
    matches: Vec<(u32, u32)>,
}

/// How well the words of each chunk match the query, from 0 to 1: the share of the query's weight
/// that the chunk answers for. A term weighs as much as it is rare (its IDF), and a chunk that has it
/// answers for as much of that as BM25 counts its occurrences.
///
/// The order of the sums is that of the weights, then of the terms: a function of the query and of
/// what is visible.
pub(super) fn scores(
    index: &TenantIndex,
    terms: &QueryTerms,
    sight: &[Sight],
    visible: Visible,
) -> Vec<f32> {
    let mut scores = vec![0.0_f32; index.chunks.len()];
    let mut weighed: Vec<Weighed> = terms
        .iter()
        .map(|term| {
            let matches = matches(index, term, sight);
            let weight = weight(visible.chunks, matches.len()) * as_float(term.count);
            Weighed { weight, term, matches }
        })
        .collect();
    weighed.sort_by(|a, b| {
        b.weight.total_cmp(&a.weight).then_with(|| a.term.variants.cmp(&b.term.variants))
    });
    let whole: f32 = weighed.iter().map(|term| term.weight).sum();
    if whole <= 0.0 || visible.tokens == 0 {
        return scores;
    }
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than f64 keeps")]
    #[expect(clippy::cast_possible_truncation, reason = "and a length no more than f32")]
    let per_token = (f64::from(K1 * B) * visible.chunks as f64 / visible.tokens as f64) as f32;
    for Weighed { weight, matches, .. } in &weighed {
        let share = weight / whole;
        for &(place, count) in matches {
            let length = as_float(index.chunks[place as usize].length);
            let count = as_float(count);
            scores[place as usize] += share * count / (count + K1 * (1.0 - B) + per_token * length);
        }
    }
    scores
}

/// The weight of each term, in the order of the query.
pub(super) fn weights(
    index: &TenantIndex,
    terms: &QueryTerms,
    sight: &[Sight],
    visible: Visible,
) -> Vec<f32> {
    let of_term = |term| weight(visible.chunks, matches(index, term, sight).len());
    terms.iter().map(of_term).collect()
}

/// The visible chunks that have the term in any of its variants, with how often they have it.
fn matches(index: &TenantIndex, term: &QueryTerm, sight: &[Sight]) -> Vec<(u32, u32)> {
    let mut matches: Vec<(u32, u32)> = Vec::new();
    let mut lists = 0;
    for variant in &term.variants {
        let Some(list) = index.postings.get(variant) else { continue };
        lists += 1;
        matches.extend(list.iter().filter(|(place, _)| sight[*place as usize] != Sight::Hidden));
    }
    if lists > 1 {
        matches.sort_unstable();
        matches.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
    }
    matches
}

/// How much a term that `having` of `chunks` have says about a chunk that has it.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of counts")]
#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
fn weight(chunks: u64, having: usize) -> f32 {
    let having = having as f64;
    (1.0 + (chunks as f64 - having + 0.5) / (having + 0.5)).ln() as f32
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^24")]
fn as_float(count: u32) -> f32 {
    count as f32
}
