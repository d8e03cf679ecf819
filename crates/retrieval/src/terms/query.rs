//! What is asked for: each word with all the terms it may be found as.

use super::tokens::{Form, Token};
use super::{Language, fold, term_hash, tokens};

/// One word, number or code of a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct QueryTerm {
    /// The terms that count as this one, ascending. A chunk that has any of them has this term.
    pub variants: Vec<u64>,
    /// How often the query says it.
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
                Some(known) => known.count += 1,
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

    /// Which of the terms a token of a text is, if any.
    pub fn position_of(&self, term: u64) -> Option<usize> {
        self.0.iter().position(|known| known.variants.binary_search(&term).is_ok())
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
                Language::German => umlauts_spelled_otherwise(as_written, word),
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
fn umlauts_spelled_otherwise(as_written: &str, folded: &str) -> Option<String> {
    if as_written.contains(['ä', 'ö', 'ü', 'Ä', 'Ö', 'Ü']) {
        let lower = as_written.to_lowercase();
        return Some(fold(&lower.replace('ä', "ae").replace('ö', "oe").replace('ü', "ue")));
    }
    let plain = folded.replace("ae", "a").replace("oe", "o").replace("ue", "u");
    (plain != folded).then_some(plain)
}
