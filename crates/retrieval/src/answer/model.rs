//! The confidence of the answerer: a logistic model over [`Evidence`], with the parameters of [`super::calibration`].
//!
//! A sentence without the expected kind of answer is never given as an answer, whatever the model computes.

use super::calibration::{BY_MEANING, BY_WORDS};
use super::evidence::Evidence;

/// Below this confidence the answerer abstains.
pub const MIN_CONFIDENCE: f32 = 0.5;
/// The maximum confidence for a sentence without the expected kind of answer, which is below [`MIN_CONFIDENCE`].
pub(super) const MAX_CONFIDENCE_WITHOUT_KIND: f32 = 0.2;

/// The parameters of the model.
pub(super) struct Calibration {
    pub(super) bias: f32,
    /// One weight for each of [`super::FEATURES`].
    pub(super) weights: Evidence,
}

/// The probability that the sentence answers the question, from 0 to 1.
pub(super) fn confidence(evidence: &Evidence, by_meaning: bool) -> f32 {
    let Calibration { bias, weights } = if by_meaning { &BY_MEANING } else { &BY_WORDS };
    let sum: f32 = evidence.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(bias + sum)).exp())
}

/// The score that selects the sentence to quote: keyword coverage, vector similarity and the score of the passage have the
/// same weight, and keywords near the span add a little.
pub(super) fn sentence_score(coverage: f32, similarity: f32, passage: f32, nearness: f32) -> f32 {
    const NEARNESS: f32 = 0.2;
    coverage + similarity + passage + NEARNESS * nearness
}
