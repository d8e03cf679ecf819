//! A passage as the answerer reads it: its sentences, and where the question's words are in them.

use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{Form, Language, Token, tokens};

use super::question::{Asked, Question, is_empty_word};

#[derive(Clone, Debug)]
pub(super) struct Reading<'a> {
    pub(super) text: &'a str,
    pub(super) tokens: Vec<Token>,
    /// The term of the question that each token is.
    pub(super) matched: Vec<Option<usize>>,
    pub(super) sentences: Vec<Range<usize>>,
}

impl<'a> Reading<'a> {
    pub(super) fn of(text: &'a str, question: &Question) -> Self {
        let mut tokens = tokens(text);
        tokens.retain(|token| !token.joined);
        let language = Language::of(text);
        let matched =
            tokens.iter().map(|token| question.terms.position_of(token.term(language))).collect();
        Self { text, tokens, matched, sentences: sentences(text) }
    }

    /// The numbers of the tokens that start within a range of bytes.
    pub(super) fn tokens_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.tokens.partition_point(|token| token.place.start < range.start);
        let end = self.tokens.partition_point(|token| token.place.start < range.end);
        first..end
    }

    pub(super) fn has(&self, term: usize, within: &Range<usize>) -> bool {
        self.matched[within.clone()].contains(&Some(term))
    }

    /// A word that the question does not have and that says something.
    pub(super) fn is_new(&self, token: usize) -> bool {
        self.matched[token].is_none() && !is_empty_word(&self.tokens[token])
    }

    pub(super) fn is_capitalised(&self, token: usize) -> bool {
        self.text[self.tokens[token].place.clone()].starts_with(char::is_uppercase)
    }

    /// Whether a token could be, or be part of, what is asked for.
    pub(super) fn fits(&self, token: usize, asked: Asked) -> bool {
        if !self.is_new(token) {
            return false;
        }
        let number = match &self.tokens[token].form {
            Form::Number(number) => number.parse::<f64>().ok(),
            Form::Word(_) | Form::Code(_) => None,
        };
        match asked {
            Asked::Person | Asked::Place => self.is_capitalised(token),
            Asked::Time => {
                number.is_some_and(|n| n.fract() == 0.0 && (1.0..=2100.0).contains(&n))
                    || self.is_one_of(token, &TIMES)
            }
            Asked::Number => number.is_some() || self.is_one_of(token, &COUNTS),
            Asked::Reason | Asked::Thing => true,
        }
    }

    fn is_one_of(&self, token: usize, words: &[&str]) -> bool {
        matches!(&self.tokens[token].form, Form::Word(word) if words.contains(&word.as_str()))
    }
}

const TIMES: [&str; 34] = [
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "century",
    "centuries",
    "decade",
    "januar",
    "februar",
    "marz",
    "mai",
    "juni",
    "juli",
    "oktober",
    "dezember",
    "today",
    "daily",
    "monthly",
    "annually",
];

const COUNTS: [&str; 34] = [
    "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "twenty", "thirty", "forty", "fifty", "hundred", "thousand", "million", "billion",
    "half", "third", "quarter", "dozen", "zwei", "drei", "vier", "funf", "sechs", "sieben", "acht",
    "neun", "zehn", "tausend",
];
