//! Parses a question: the expected kind of answer, and its content words.

use crate::terms::{Form, Language, QueryTerms, Token, fold, tokens};

use super::answer_kind::AnswerKind;

/// A content word of the question.
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
    pub(super) asked: AnswerKind,
    /// In the order of the question, without function words and question words.
    pub(super) contents: Vec<Content>,
    pub(super) negated: bool,
}

/// Function words of questions.
const FUNCTION_WORDS: [&str; 96] = [
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

/// Words of a question, and words with the same meaning in a document: a contract is made "between" its parties.
const SYNONYMS: [(&[&str], &[&str]); 2] = [
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
    /// `weights` are the weights of the question's terms within the scope.
    pub(super) fn of(text: &str, terms: &QueryTerms, weights: &[f32]) -> Self {
        let tokens = tokens(text);
        let words: Vec<&str> = tokens.iter().filter_map(word).collect();
        let contents = tokens
            .iter()
            .filter(|token| !token.joined && !is_function_word(token))
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
            asked: AnswerKind::of(&words),
            contents,
            negated: words.iter().any(|word| is_negation(word)),
        }
    }

    /// The term of the question that a word of a passage is a synonym of.
    pub(super) fn term_of_synonym(&self, word: &str) -> Option<usize> {
        let (words, _) = SYNONYMS.iter().find(|(_, synonyms)| synonyms.contains(&word))?;
        let content =
            self.contents.iter().find(|content| words.contains(&fold(&content.text).as_str()))?;
        Some(content.term)
    }
}

fn word(token: &Token) -> Option<&str> {
    match &token.form {
        Form::Word(word) => Some(word),
        Form::Number(_) | Form::Code(_) => None,
    }
}

/// Whether the token is a function word.
pub(super) fn is_function_word(token: &Token) -> bool {
    word(token).is_some_and(|word| {
        FUNCTION_WORDS.contains(&word)
            || Language::ALL.iter().any(|language| language.function_words().contains(&word))
    })
}

pub(super) fn is_negation(word: &str) -> bool {
    NEGATIONS.contains(&word)
}
