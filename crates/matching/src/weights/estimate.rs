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

/// The weights that explain the patterns of the candidate pairs best, starting from the built-in ones.
pub fn estimate(
    definition: &RecordTypeDefinition,
    patterns: impl IntoIterator<Item = Pattern>,
    options: EstimateOptions,
) -> Model {
    let built_in = Model::built_in(definition);
    // Equal patterns are counted once: a million pairs have a few thousand patterns.
    let mut counts: HashMap<Pattern, f64> = HashMap::new();
    for pattern in patterns {
        *counts.entry(pattern).or_default() += 1.0;
    }
    let mut patterns: Vec<(Pattern, f64)> = counts.into_iter().collect();
    patterns.sort_by(|a, b| a.0.cmp(&b.0));
    #[expect(clippy::cast_precision_loss, reason = "far below 2^52 pairs")]
    let least = options.least_pairs as f64;
    if patterns.iter().map(|(_, count)| count).sum::<f64>() < least {
        return built_in;
    }

    let mut model = built_in.clone();
    let mut former: Vec<f64> = vec![0.0; patterns.len()];
    for _ in 0..options.rounds {
        let now: Vec<f64> =
            patterns.iter().map(|(pattern, _)| model.probability(pattern)).collect();
        let moved = now.iter().zip(&former).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
        model = maximise(&built_in, &patterns, &now);
        former = now;
        if moved < options.tolerance {
            break;
        }
    }
    for counts in model.fields.values_mut() {
        limit(&mut counts.m);
        limit(&mut counts.u);
    }
    let total = model.matches + model.others;
    let scale = (MAX_STRENGTH / total).min(1.0);
    model.matches *= scale;
    model.others *= scale;
    model
}

/// The model whose counts are those expected by the probabilities, together with the built-in ones.
fn maximise(built_in: &Model, patterns: &[(Pattern, f64)], probabilities: &[f64]) -> Model {
    let mut model = built_in.clone();
    // The share of matches is what the pairs say: whatever strength the built-in one had would bias a small estimate.
    model.matches = 0.5;
    model.others = 0.5;
    for ((pattern, count), probability) in patterns.iter().zip(probabilities) {
        let (matching, other) = (count * probability, count * (1.0 - probability));
        model.matches += matching;
        model.others += other;
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
