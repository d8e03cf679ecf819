//! BM25 over what is visible.

use crate::terms::{QueryTerm, QueryTerms};

use super::TenantIndex;
use super::postings::Postings;

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

/// A term of the query, and how much it says.
pub(super) struct Weighed<'a> {
    /// How rare it is among the visible chunks, as a logarithm.
    pub(super) rarity: f32,
    /// Whether a visible chunk has it.
    pub(super) occurs: bool,
    term: &'a QueryTerm,
    matches: Matches<'a>,
}

/// The chunks that have a term, hidden ones among them.
enum Matches<'a> {
    /// Those that have its one variant.
    List(&'a Postings),
    /// Those that have any of its variants, with how often they have it. Place and count.
    Merged(Vec<(u32, u32)>),
}

impl Weighed<'_> {
    /// How much of the query's weight it has: a term that is asked for twice has twice as much.
    fn weight(&self) -> f32 {
        self.rarity * as_float(self.term.count)
    }
}

/// The terms of a query, in its order, with what they say within what is visible.
pub(super) fn weigh<'a>(
    index: &'a TenantIndex,
    terms: &'a QueryTerms,
    sight: &[Sight],
    visible: Visible,
) -> Vec<Weighed<'a>> {
    // Then the lists know how long they are without being read.
    let all_are_visible = usize::try_from(visible.chunks) == Ok(sight.len());
    let is_visible = |(place, _): &(u32, u32)| sight[*place as usize] != Sight::Hidden;
    let of_term = |term: &'a QueryTerm| {
        let matches = Matches::of(index, term);
        let having = match &matches {
            Matches::List(list) if all_are_visible => list.len(),
            Matches::Merged(merged) if all_are_visible => merged.len(),
            Matches::List(list) => list.iter().filter(is_visible).count(),
            Matches::Merged(merged) => merged.iter().filter(|entry| is_visible(entry)).count(),
        };
        Weighed { rarity: rarity(visible.chunks, having), occurs: having > 0, term, matches }
    };
    terms.iter().map(of_term).collect()
}

/// How well the words of each chunk match the query, from 0 to 1: the share of the query's weight
/// that the chunk answers for. A term weighs as much as it is rare (its IDF), and a chunk that has it
/// answers for as much of that as BM25 counts its occurrences. What a hidden chunk gets is for nobody to see.
///
/// The order of the sums is that of the weights, then of the terms: a function of the query and of
/// what is visible.
pub(super) fn scores(index: &TenantIndex, weighed: &[Weighed<'_>], visible: Visible) -> Vec<f32> {
    let mut scores = vec![0.0_f32; index.chunks.len()];
    let mut in_order: Vec<&Weighed<'_>> = weighed.iter().collect();
    in_order.sort_by(|a, b| {
        b.weight().total_cmp(&a.weight()).then_with(|| a.term.variants.cmp(&b.term.variants))
    });
    let whole: f32 = in_order.iter().map(|term| term.weight()).sum();
    if whole <= 0.0 || visible.tokens == 0 {
        return scores;
    }
    #[expect(clippy::cast_precision_loss, reason = "an average needs no more than f64 keeps")]
    #[expect(clippy::cast_possible_truncation, reason = "and a length no more than f32")]
    let per_token = (f64::from(K1 * B) * visible.chunks as f64 / visible.tokens as f64) as f32;
    for term in in_order {
        let share = term.weight() / whole;
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

/// How much a term that `having` of `chunks` have says about a chunk that has it.
#[expect(clippy::cast_precision_loss, reason = "a logarithm of counts")]
#[expect(clippy::cast_possible_truncation, reason = "a logarithm of counts")]
fn rarity(chunks: u64, having: usize) -> f32 {
    let having = having as f64;
    (1.0 + (chunks as f64 - having + 0.5) / (having + 0.5)).ln() as f32
}

#[expect(clippy::cast_precision_loss, reason = "counts of tokens are far below 2^24")]
fn as_float(count: u32) -> f32 {
    count as f32
}
