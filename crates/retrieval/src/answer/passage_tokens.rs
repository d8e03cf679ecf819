//! A tokenised passage: its sentences, the positions of the question's words, and the words that could be the answer.

use std::ops::Range;

use crate::sentences::sentences;
use crate::terms::{Form, Language, Token, tokens};

use super::answer_kind::AnswerKind;
use super::kinds;
use super::question::{Question, is_function_word};

#[derive(Clone, Debug)]
pub(super) struct PassageTokens<'a> {
    pub(super) text: &'a str,
    pub(super) language: Language,
    /// Without joined forms. Tokens of scripts without spaces overlap: each is a pair of neighbours.
    pub(super) tokens: Vec<Token>,
    /// The term of the question that each token matches.
    pub(super) matched: Vec<Option<usize>>,
    pub(super) sentences: Vec<Range<usize>>,
    /// Pieces that consist of several tokens, such as `INV-7` and `12.03.2024`.
    joined: Vec<Range<usize>>,
    /// Whether a token begins a sentence or a line, which explains a capital letter.
    begins: Vec<bool>,
}

impl<'a> PassageTokens<'a> {
    pub(super) fn of(text: &'a str, question: &Question) -> Self {
        let mut tokens = tokens(text);
        let joined =
            tokens.iter().filter(|token| token.joined).map(|token| token.place.clone()).collect();
        tokens.retain(|token| !token.joined);
        let language = Language::of(text);
        let term = |token: &Token| {
            let same_term = question.terms.position_of(token.term(language));
            same_term.or_else(|| match &token.form {
                Form::Word(word) => question.term_of_synonym(word),
                Form::Number(_) | Form::Code(_) => None,
            })
        };
        let matched = tokens.iter().map(term).collect();
        let sentences = sentences(text);
        let begins = vec![false; tokens.len()];
        let mut reading = Self { text, language, tokens, matched, sentences, joined, begins };
        let first = |sentence: &Range<usize>| reading.tokens_in(sentence).start;
        for token in reading.sentences.iter().map(first).collect::<Vec<usize>>() {
            if let Some(begins) = reading.begins.get_mut(token) {
                *begins = true;
            }
        }
        for token in 0..reading.tokens.len() {
            let begins_a_line = token == 0 || reading.gap_before(token).contains(['\n', '|', '•']);
            reading.begins[token] |= begins_a_line;
        }
        reading
    }

    /// The indexes of the tokens that start within a range of bytes.
    pub(super) fn tokens_in(&self, range: &Range<usize>) -> Range<usize> {
        let first = self.tokens.partition_point(|token| token.place.start < range.start);
        let end = self.tokens.partition_point(|token| token.place.start < range.end);
        first..end
    }

    pub(super) fn has(&self, term: usize, within: &Range<usize>) -> bool {
        self.matched[within.clone()].contains(&Some(term))
    }

    /// Whether it is a content word that the question does not contain.
    pub(super) fn is_new(&self, token: usize) -> bool {
        self.matched[token].is_none()
            && (!is_function_word(&self.tokens[token]) || self.is_the_month_of_may(token))
    }

    fn is_the_month_of_may(&self, token: usize) -> bool {
        self.word(token) == "may"
            && self.is_capitalised(token)
            && kinds::is_beside_a_number(self, token)
    }

    /// A token as written.
    pub(super) fn written(&self, token: usize) -> &'a str {
        &self.text[self.tokens[token].place.clone()]
    }

    /// A word, folded; empty for numbers and codes.
    pub(super) fn word(&self, token: usize) -> &str {
        match self.tokens.get(token).map(|token| &token.form) {
            Some(Form::Word(word)) => word,
            _ => "",
        }
    }

    /// The text between a token and the one before it; empty where they overlap.
    pub(super) fn gap_before(&self, token: usize) -> &'a str {
        let Some(place) = self.tokens.get(token).map(|token| &token.place) else { return "" };
        let before = match token.checked_sub(1) {
            Some(before) => self.tokens[before].place.end,
            None => 0,
        };
        self.text.get(before..place.start).unwrap_or("")
    }

    pub(super) fn is_capitalised(&self, token: usize) -> bool {
        self.written(token).starts_with(char::is_uppercase)
    }

    pub(super) fn begins_sentence_or_line(&self, token: usize) -> bool {
        self.begins[token]
    }

    /// The piece with separators that a token is a part of: `INV/2023/8`, `12.03.2024`.
    pub(super) fn piece_around(&self, token: usize) -> Option<&'a str> {
        let place = &self.tokens[token].place;
        let next = self.joined.partition_point(|joined| joined.end < place.end);
        let joined = self.joined.get(next).filter(|joined| joined.start <= place.start)?;
        self.text.get(joined.clone())
    }

    /// Whether a token could be part of the answer.
    pub(super) fn fits(&self, token: usize, asked: AnswerKind) -> bool {
        self.is_new(token) && kinds::is_of_kind(self, token, asked)
    }
}
