//! The terms of a query: each word with its variants in all languages.

use super::tokens::{Form, Token};
use super::{Language, fold, term_hash, tokens};

/// One word, number or code of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The variants of this term, ascending. A chunk that contains any of them matches.
    pub variants: Vec<u64>,
    /// How often it occurs in the query.
    pub count: u32,
}

/// The terms of a query, in the order of its words.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct QueryTerms(Vec<QueryTerm>);

impl QueryTerms {
    pub fn of(text: &str) -> Self {
        let mut terms: Vec<QueryTerm> = Vec::new();
        for token in tokens(text) {
            let variants = variants(text, &token);
            match terms.iter_mut().find(|term| term.variants == variants) {
                Some(term) => term.count += 1,
                None => terms.push(QueryTerm { variants, count: 1 }),
            }
        }
        Self(terms)
    }

    pub fn iter(&self) -> std::slice::Iter<'_, QueryTerm> {
        self.0.iter()
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The index of the term that a token of a text matches.
    pub fn position_of(&self, term: u64) -> Option<usize> {
        self.0.iter().position(|query_term| query_term.variants.binary_search(&term).is_ok())
    }
}

impl<'a> IntoIterator for &'a QueryTerms {
    type Item = &'a QueryTerm;
    type IntoIter = std::slice::Iter<'a, QueryTerm>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

fn variants(text: &str, token: &Token) -> Vec<u64> {
    let Form::Word(word) = &token.form else {
        return vec![token.term(Language::English)];
    };
    let as_written = &text[token.place.clone()];
    let mut variants: Vec<u64> = Language::ALL
        .into_iter()
        .flat_map(|language| {
            let spellings = std::iter::once(word.clone()).chain(match language {
                Language::German => other_umlaut_spelling(as_written, word),
                _ => None,
            });
            spellings.map(move |spelling| term_hash(language.tag(), &language.stem(&spelling)))
        })
        .collect();
    variants.sort_unstable();
    variants.dedup();
    variants
}

/// `Müller` is also written `Mueller`, and the other way round.
fn other_umlaut_spelling(as_written: &str, folded: &str) -> Option<String> {
    if as_written.contains(['ä', 'ö', 'ü', 'Ä', 'Ö', 'Ü']) {
        let lower = as_written.to_lowercase();
        return Some(fold(&lower.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")));
    }
    let plain = folded.replace("ae", "a").replace("oe", "o").replace("ue", "u");
    (plain != folded).then_some(plain)
}
