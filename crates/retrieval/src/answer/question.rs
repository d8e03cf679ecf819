//! What a question asks for and what it says about it.

use crate::terms::{Form, Language, QueryTerms, Token, fold, tokens};

use super::asked::Asked;

/// One word that a passage has to account for.
#[derive(Clone, Debug)]
pub(super) struct Content {
    pub(super) text: String,
    /// Its position in the [`QueryTerms`] of the question.
    pub(super) term: usize,
    pub(super) weight: f32,
    pub(super) is_name: bool,
    pub(super) is_number: bool,
}

#[derive(Clone, Debug)]
pub(super) struct Question {
    pub(super) text: String,
    pub(super) terms: QueryTerms,
    pub(super) asked: Asked,
    /// In the order of the question, without small words and those that make it a question.
    pub(super) contents: Vec<Content>,
    pub(super) negated: bool,
}

/// Words of a question that say nothing about what is asked.
const EMPTY: [&str; 96] = [
    "what", "which", "how", "did", "do", "does", "was", "were", "is", "are", "a", "an", "in", "on",
    "at", "has", "had", "been", "being", "can", "could", "would", "should", "will", "may", "might",
    "also", "than", "then", "there", "their", "they", "its", "his", "her", "he", "she", "them",
    "if", "into", "about", "after", "before", "during", "one", "some", "any", "all", "other",
    "type", "kind", "name", "called", "known", "many", "much", "when", "where", "who", "whom",
    "whose", "why", "we", "you", "your", "i", "so", "such", "these", "those", "but", "because",
    "s", "what's", "was", "welche", "welcher", "welches", "wie", "wer", "wann", "wo", "warum",
    "hat", "sind", "war", "ein", "einen", "einer", "quel", "quelle", "que", "cual", "quale", "che",
    "come",
];

const NEGATIONS: [&str; 24] = [
    "not", "no", "never", "without", "neither", "nor", "none", "cannot", "cant", "dont", "doesnt",
    "didnt", "isnt", "wasnt", "werent", "wont", "nicht", "kein", "keine", "nie", "except", "fail",
    "failed", "refused",
];

/// Words of a question, and words that say the same in a document: parties are those between whom it is made.
const SAID_OTHERWISE: [(&[&str], &[&str]); 2] = [
    (
        &["party", "parties", "parteien", "vertragsparteien", "vertragspartner"],
        &["between", "among", "zwischen"],
    ),
    (
        &["end", "ends", "expire", "expires", "endet", "ablauft"],
        &["expire", "expires", "expiration", "end", "ends", "until", "endet", "ablauf"],
    ),
];

impl Question {
    /// `weights` belong to the terms of the question: how much each says, within the scope.
    pub(super) fn of(text: &str, terms: &QueryTerms, weights: &[f32]) -> Self {
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().filter_map(word).collect();
        let contents = tokens
            .iter()
            .filter(|token| !token.joined && !is_empty_word(token))
            .filter_map(|token| {
                let term = Language::ALL
                    .into_iter()
                    .find_map(|language| terms.position_of(token.term(language)))?;
                let written = &text[token.place.clone()];
                Some(Content {
                    text: written.to_owned(),
                    term,
                    weight: weights.get(term).copied().unwrap_or(1.0),
                    is_name: token.place.start > 0 && written.starts_with(char::is_uppercase),
                    is_number: matches!(token.form, Form::Number(_)),
                })
            })
            .collect();
        Self {
            text: text.to_owned(),
            terms: terms.clone(),
            asked: Asked::of(&words),
            contents,
            negated: words.iter().any(|word| is_negation(word)),
        }
    }

    /// The term of the question that a word of a passage says in other words.
    pub(super) fn term_said_otherwise(&self, word: &str) -> Option<usize> {
        let (asked, _) = SAID_OTHERWISE.iter().find(|(_, said)| said.contains(&word))?;
        let content =
            self.contents.iter().find(|content| asked.contains(&fold(&content.text).as_str()))?;
        Some(content.term)
    }
}

fn word(token: &Token) -> Option<&str> {
    match &token.form {
        Form::Word(word) => Some(word),
        Form::Number(_) | Form::Code(_) => None,
    }
}

/// A word that stands in any sentence.
pub(super) fn is_empty_word(token: &Token) -> bool {
    word(token).is_some_and(|word| {
        EMPTY.contains(&word)
            || Language::ALL.iter().any(|language| language.small_words().contains(&word))
    })
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}
