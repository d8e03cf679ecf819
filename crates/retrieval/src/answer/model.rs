//! How sure the answerer is: a logistic model over [`Evidence`].

use super::evidence::{Evidence, FEATURES};

/// Below this confidence the answerer abstains.
pub const ENOUGH: f32 = 0.5;

const WEIGHTS: Evidence = [0.0; FEATURES.len()];

pub fn confidence(evidence: &Evidence) -> f32 {
    let sum: f32 = evidence.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-sum).exp())
}

pub(super) fn sentence_score(coverage: f32, similarity: f32, passage: f32, fits: bool) -> f32 {
    coverage + similarity + passage + 0.1 * f32::from(u8::from(fits))
}
