//! How sure the answerer is: a logistic model over [`Evidence`].
//!
//! The numbers come from `bench-retrieval fit`, which fits them to questions that their passages answer
//! and to others that were written to look as if. On articles that the fitting had not seen, [`ENOUGH`]
//! answers 80 of 100 answerable questions and refuses 56 of 100 others.

use super::evidence::Evidence;

/// Below this confidence the answerer abstains.
pub const ENOUGH: f32 = 0.42;

const BIAS: f32 = -1.136;
/// One for each of [`super::FEATURES`].
const WEIGHTS: Evidence = [
    2.038,  // coverage_around_the_sentence
    -3.948, // coverage_of_the_passage
    -0.120, // heaviest_word_missing_in_the_sentence
    -0.136, // heaviest_word_missing_in_the_passage
    -0.372, // names_missing_in_the_sentence
    -1.639, // numbers_missing_in_the_sentence
    1.970,  // similarity_of_the_sentence
    2.346,  // score_of_the_passage
    0.867,  // what_is_asked_for_is_present
    -2.173, // opposite_is_present
    -0.910, // opposite_by_prefix_is_present
    0.228,  // words_of_the_question
    -0.508, // asks_for_any_thing
    -2.397, // question_is_negated
    -3.655, // gain_by_exchanging_a_word
];

/// How likely the sentence answers, from 0 to 1.
pub fn confidence(evidence: &Evidence) -> f32 {
    let sum: f32 = evidence.iter().zip(WEIGHTS).map(|(value, weight)| value * weight).sum();
    1.0 / (1.0 + (-(BIAS + sum)).exp())
}

/// Which sentence is quoted: the words of the question, its meaning and the rank of the passage weigh
/// alike, and what is asked for should be there.
pub(super) fn sentence_score(coverage: f32, similarity: f32, passage: f32, fits: bool) -> f32 {
    const FITS: f32 = 0.1;
    coverage + similarity + passage + if fits { FITS } else { 0.0 }
}
