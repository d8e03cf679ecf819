//! The numbers of the models of [`super::model`], as `bench-retrieval fit` prints and writes them.
//!
//! These were fitted to tell questions that the passages answer from those that they do not. The features at the end came
//! later, and count from the next fit on.

use super::model::Calibration;

pub(super) const BY_MEANING: Calibration = Calibration {
    bias: -1.136,
    weights: [
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
        0.000,  // coverage_of_the_sentence
        0.000,  // nearness_of_the_span
        0.000,  // margin_to_the_next_passage
    ],
};
pub(super) const BY_WORDS: Calibration = Calibration {
    bias: -1.136,
    weights: [
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
        0.000,  // coverage_of_the_sentence
        0.000,  // nearness_of_the_span
        0.000,  // margin_to_the_next_passage
    ],
};
