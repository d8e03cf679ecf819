//! BM25 over the visible chunks.

use crate::terms::{QueryTerm, QueryTerms};

use super::TenantIndex;
use super::postings::Postings;

/// The BM25 parameters for term saturation and length normalisation, chosen by `bench-retrieval quality`.
const K1: f32 = 1.2;
const B: f32 = 0.5;

/// Whether a search may use a chunk: one entry for each chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Visibility {
    Hidden,
    /// Counted in the statistics, but not returned.
    Visible,
    /// May be returned.
    Matching,
}

/// Statistics of the visible chunks.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Visible {
    pub(super) chunks: u64,
    pub(super) tokens: u64,
}

/// A term of the query with its weight.
pub(super) struct WeightedTerm<'a> {
    /// Its inverse document frequency among the visible chunks.
    pub(super) rarity: f32,
    /// Whether a visible chunk contains it.
    pub(super) occurs: bool,
    term: &'a QueryTerm,
    matches: Matches<'a>,
}

/// The chunks that contain a term, including hidden ones.
enum Matches<'a> {
    /// The chunks that contain its only variant.
    List(&'a Postings),
    /// The chunks that contain any of its variants: position and count.
    Merged(Vec<(u32, u32)>),
}

impl WeightedTerm<'_> {
    /// Its share of the query's weight; a term that occurs twice in the query has twice the weight.
    fn weight(&self) -> f32 {
        self.rarity * as_float(self.term.count)
    }
}

/// The terms of a query, in order, with their weights among the visible chunks.
pub(super) fn weigh<'a>(
    index: &'a TenantIndex,
    terms: &'a QueryTerms,
    visibility: &[Visibility],
    visible: Visible,
) -> Vec<WeightedTerm<'a>> {
    // In this case the length of a list is its count, without reading it.
    let all_are_visible = usize::try_from(visible.chunks) == Ok(visibility.len());
    let is_visible = |(place, _): &(u32, u32)| visibility[*place as usize] != Visibility::Hidden;
    let of_term = |term: &'a QueryTerm| {
        let matches = Matches::of(index, term);
        let count = match &matches {
            Matches::List(list) if all_are_visible => list.len(),
            Matches::Merged(merged) if all_are_visible => merged.len(),
            Matches::List(list) => list.iter().filter(is_visible).count(),
            Matches::Merged(merged) => merged.iter().filter(|entry| is_visible(entry)).count(),
        };
        WeightedTerm { rarity: rarity(visible.chunks, count), occurs: count > 0, term, matches }
    };
    terms.iter().map(of_term).collect()
}

/// The keyword score of each chunk, from 0 to 1: the share of the query's weight that the chunk matches. The weight of a
/// term is its IDF, and BM25 determines how much of it the occurrences in a chunk count for. Scores of hidden chunks are
/// never returned.
///
/// The sums run in the order of the weights, then of the terms, which depends only on the query and the visible chunks.
pub(super) fn scores(
    index: &TenantIndex,
    weighted: &[WeightedTerm<'_>],
    visible: Visible,
) -> Vec<f32> {
    let mut scores = vec![0.0_f32; index.chunks.len()];
    let mut in_order: Vec<&WeightedTerm<'_>> = weighted.iter().collect();
    in_order.sort_by(|a, b| {
        b.weight().total_cmp(&a.weight()).then_with(|| a.term.variants.cmp(&b.term.variants))
    });
    let total: f32 = in_order.iter().map(|term| term.weight()).sum();
    if total <= 0.0 || visible.tokens == 0 {
        return scores;
    }
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than f64 keeps")]
    #[expect(clippy::cast_possible_truncation, reason = "and a length no more than f32")]
    let per_token = (f64::from(K1 * B) * visible.chunks as f64 / visible.tokens as f64) as f32;
    for term in in_order {
        let share = term.weight() / total;
        let mut add = |place: u32, count: u32| {
            let length = as_float(index.chunks[place as usize].length);
            let count = as_float(count);
            scores[place as usize] += share * count / (count + K1 * (1.0 - B) + per_token * length);
        };
        match &term.matches {
            Matches::List(list) => list.iter().for_each(|(place, count)| add(place, count)),
            Matches::Merged(merged) => merged.iter().for_each(|(place, count)| add(*place, *count)),
        }
    }
    scores
}

impl<'a> Matches<'a> {
    fn of(index: &'a TenantIndex, term: &QueryTerm) -> Self {
        let mut lists = term.variants.iter().filter_map(|variant| index.postings.get(variant));
        let (first, second) = (lists.next(), lists.next());
        let (first, second) = match (first, second) {
            (Some(only), None) => return Self::List(only),
            (None, _) => return Self::Merged(Vec::new()),
            (Some(first), Some(second)) => (first, second),
        };
        let all = [first, second].into_iter().chain(lists);
        let mut merged: Vec<(u32, u32)> = all.flat_map(Postings::iter).collect();
        merged.sort_unstable();
        merged.dedup_by(|later, earlier| {
            let same = later.0 == earlier.0;
            if same {
                earlier.1 += later.1;
            }
            same
        });
        Self::Merged(merged)
    }
}

/// The inverse document frequency of a term that occurs in `containing` of `chunks`.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of counts")]
#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
fn rarity(chunks: u64, containing: usize) -> f32 {
    let containing = containing as f64;
    (1.0 + (chunks as f64 - containing + 0.5) / (containing + 0.5)).ln() as f32
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^24")]
fn as_float(count: u32) -> f32 {
    count as f32
}
