//! Estimates the weights of a type from candidate pairs of which nobody said whether they are the same thing: expectation
//! maximisation (EM).
//!
//! It needs no labels because fields agree *together*: pairs whose name, postcode and number all agree are the same
//! thing, and show how often the date is wrong. It starts from the built-in weights, which also keep levels that were
//! hardly seen from becoming certain.

use std::collections::HashMap;

use domain::RecordTypeDefinition;

use super::{MAX_STRENGTH, Model};
use crate::compare::Pattern;

/// How an estimate is made.
#[derive(Clone, Copy, Debug)]
pub struct EstimateOptions {
    /// The most rounds of EM.
    pub rounds: usize,
    /// EM ends when no probability of a round differs by more than this from the one before.
    pub tolerance: f64,
    /// Fewer candidate pairs than this are no basis: the built-in weights stay.
    pub least_pairs: usize,
}

impl Default for EstimateOptions {
    fn default() -> Self {
        Self { rounds: 100, tolerance: 1e-4, least_pairs: 100 }
    }
}

/// The weights that explain the patterns best, starting from the built-in ones. Each search contributes the patterns of
/// its candidates.
///
/// At most one candidate of a search is a match. Without this, EM takes whatever divides the candidates best for the
/// match, such as amounts that are near by chance.
pub fn estimate(
    definition: &RecordTypeDefinition,
    searches: impl IntoIterator<Item = Vec<Pattern>>,
    options: EstimateOptions,
) -> Model {
    let built_in = Model::built_in(definition);
    let observed = Observed::new(searches);
    if observed.pairs() < options.least_pairs {
        return built_in;
    }
    let mut model = built_in.clone();
    let mut former: Vec<f64> = vec![0.0; observed.patterns.len()];
    for _ in 0..options.rounds {
        let expected = observed.expected_matches(&model);
        let moved = expected
            .iter()
            .zip(&former)
            .zip(&observed.counts)
            .map(|((now, before), count)| (now - before).abs() / count)
            .fold(0.0, f64::max);
        model = maximised(&built_in, &observed, &expected);
        former = expected;
        if moved < options.tolerance {
            break;
        }
    }
    for counts in model.fields.values_mut() {
        limit(&mut counts.m);
        limit(&mut counts.u);
    }
    let scale = (MAX_STRENGTH / (model.found + model.absent)).min(1.0);
    model.found *= scale;
    model.absent *= scale;
    model
}

/// The searches, with each different pattern once: a million pairs have a few thousand patterns.
struct Observed {
    patterns: Vec<Pattern>,
    /// How often each pattern occurs.
    counts: Vec<f64>,
    /// The patterns of each search, by their places.
    searches: Vec<Vec<u32>>,
}

impl Observed {
    fn new(searches: impl IntoIterator<Item = Vec<Pattern>>) -> Self {
        let mut places: HashMap<Pattern, u32> = HashMap::new();
        let mut observed = Self { patterns: Vec::new(), counts: Vec::new(), searches: Vec::new() };
        for search in searches {
            let mut of_search = Vec::with_capacity(search.len());
            for pattern in search {
                let next = u32::try_from(observed.patterns.len()).unwrap_or(u32::MAX);
                let place = *places.entry(pattern).or_insert_with_key(|pattern| {
                    observed.patterns.push(pattern.clone());
                    observed.counts.push(0.0);
                    next
                });
                observed.counts[place as usize] += 1.0;
                of_search.push(place);
            }
            observed.searches.push(of_search);
        }
        observed
    }

    fn pairs(&self) -> usize {
        self.searches.iter().map(Vec::len).sum()
    }

    /// For each pattern how many of its pairs are matches according to the model.
    fn expected_matches(&self, model: &Model) -> Vec<f64> {
        let ratios: Vec<f64> =
            self.patterns.iter().map(|pattern| model.score(pattern).exp2()).collect();
        let mut expected = vec![0.0; self.patterns.len()];
        for search in &self.searches {
            let prior = model.prior_weight(search.len()).exp2();
            let odds = |place: &u32| prior * ratios[*place as usize];
            // "None of them" has the odds 1.
            let all: f64 = 1.0 + search.iter().map(odds).sum::<f64>();
            for place in search {
                expected[*place as usize] += odds(place) / all;
            }
        }
        expected
    }
}

/// The model whose counts are the expected ones, together with the built-in ones.
fn maximised(built_in: &Model, observed: &Observed, expected: &[f64]) -> Model {
    let mut model = built_in.clone();
    // The share of searches with a match is what they say: the built-in one would bias a small estimate.
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 searches")]
    let searches = observed.searches.len() as f64;
    let matches: f64 = expected.iter().sum();
    model.found = 0.5 + matches;
    model.absent = 0.5 + (searches - matches).max(0.0);
    for ((pattern, count), matching) in observed.patterns.iter().zip(&observed.counts).zip(expected)
    {
        let other = (count - matching).max(0.0);
        for (counts, level) in model.fields.values_mut().zip(pattern) {
            let Some(level) = level.map(usize::from) else { continue };
            if let (Some(m), Some(u)) = (counts.m.get_mut(level), counts.u.get_mut(level)) {
                *m += matching;
                *u += other;
            }
        }
    }
    model
}

fn limit(counts: &mut [f64]) {
    let total: f64 = counts.iter().sum();
    if total > MAX_STRENGTH {
        for count in counts {
            *count *= MAX_STRENGTH / total;
        }
    }
}
