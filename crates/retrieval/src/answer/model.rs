//! How sure the answerer is: a logistic model over [`Evidence`], whose numbers are in [`super::calibration`].
//!
//! Sentences without a thing of the kind that is asked for are never given as an answer, whatever the model says.

use super::calibration::{BY_MEANING, BY_WORDS};
use super::evidence::Evidence;

/// Below this confidence the answerer abstains.
pub const ENOUGH: f32 = 0.5;
/// The most confidence in a sentence without a thing of the kind that is asked for: it is not given as an answer.
pub(super) const WITHOUT_THE_KIND: f32 = 0.2;

/// The numbers of a model.
pub(super) struct Calibration {
    pub(super) bias: f32,
    /// One for each of [`super::FEATURES`].
    pub(super) weights: Evidence,
}

/// How likely the sentence holds the answer, from 0 to 1.
pub(super) fn confidence(evidence: &Evidence, by_meaning: bool) -> f32 {
    let Calibration { bias, weights } = if by_meaning { &BY_MEANING } else { &BY_WORDS };
    let sum: f32 = evidence.iter().zip(weights).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(bias + sum)).exp())
}

/// Which sentence is quoted: the words of the question, its meaning and the rank of the passage weigh
/// alike, and the words should be near to what is asked for.
pub(super) fn sentence_score(coverage: f32, similarity: f32, passage: f32, nearness: f32) -> f32 {
    const NEARNESS: f32 = 0.2;
    coverage + similarity + passage + NEARNESS * nearness
}
