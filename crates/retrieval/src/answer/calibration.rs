//! The numbers of the models of [`super::model`].
//!
//! Written by `bench-retrieval fit --write crates/retrieval/src/answer/calibration.rs`; not edited by hand.

use super::model::Calibration;

pub(super) const BY_MEANING: Calibration = Calibration {
    bias: -9.783,
    weights: [
        1.477,  // coverage_around_the_sentence
        -0.825, // coverage_of_the_passage
        -0.066, // heaviest_word_missing_in_the_sentence
        0.102,  // heaviest_word_missing_in_the_passage
        -0.445, // names_missing_in_the_sentence
        -2.345, // numbers_missing_in_the_sentence
        4.786,  // similarity_of_the_sentence
        -0.815, // score_of_the_passage
        4.493,  // what_is_asked_for_is_present
        -2.089, // opposite_is_present
        -0.675, // opposite_by_prefix_is_present
        0.179,  // words_of_the_question
        -0.451, // asks_for_any_thing
        -2.551, // question_is_negated
        -5.871, // gain_by_exchanging_a_word
        1.805,  // coverage_of_the_sentence
        -0.079, // nearness_of_the_span
        2.147,  // margin_to_the_next_passage
    ],
};

pub(super) const BY_WORDS: Calibration = Calibration {
    bias: -10.376,
    weights: [
        1.486,  // coverage_around_the_sentence
        -0.123, // coverage_of_the_passage
        -0.031, // heaviest_word_missing_in_the_sentence
        0.260,  // heaviest_word_missing_in_the_passage
        -0.563, // names_missing_in_the_sentence
        -2.199, // numbers_missing_in_the_sentence
        0.000,  // similarity_of_the_sentence
        0.747,  // score_of_the_passage
        3.549,  // what_is_asked_for_is_present
        -1.982, // opposite_is_present
        -0.952, // opposite_by_prefix_is_present
        0.250,  // words_of_the_question
        -0.323, // asks_for_any_thing
        -2.401, // question_is_negated
        0.000,  // gain_by_exchanging_a_word
        4.803,  // coverage_of_the_sentence
        -0.264, // nearness_of_the_span
        1.379,  // margin_to_the_next_passage
    ],
};
