//! Finds the labels of a document type among the tokens of a row.

use std::ops::Range;

use crate::rows::{Token, key};
use crate::types::DocumentType;

/// A label, compared without spaces: `Rechnungs-Nr.` is found by `rechnungsnr`.
#[derive(Clone, Debug)]
pub(crate) struct Label {
    compact: String,
    /// The first word, when the ending of a longer word may stand for it: `Handelsrechnung Nr.`.
    first: Option<String>,
}

/// The labels of one field.
#[derive(Clone, Debug, Default)]
pub(crate) struct Labels(Vec<Label>);

/// A label found in a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) tokens: Range<usize>,
    /// The number of characters that match: a longer label says more.
    pub(crate) length: usize,
    /// Whether the row has the words of the label, rather than a longer word that ends like it.
    pub(crate) exact: bool,
}

impl Labels {
    pub(crate) fn new<'a>(labels: impl IntoIterator<Item = &'a str>) -> Self {
        Self(labels.into_iter().filter_map(Label::new).collect())
    }

    /// The labels of a field in all languages.
    pub(crate) fn of(document_type: &DocumentType, field: &str) -> Self {
        let spec = document_type.fields.iter().find(|spec| spec.name == field);
        let labels = spec.into_iter().flat_map(|spec| spec.labels.values().flatten());
        Self::new(labels.map(String::as_str))
    }

    /// The longest label in the tokens; among equal ones the last.
    pub(crate) fn find(&self, tokens: &[Token]) -> Option<Found> {
        self.find_all(tokens).into_iter().max_by_key(|found| (found.exact, found.length))
    }

    /// Every label in the tokens, at most one for each start.
    pub(crate) fn find_all(&self, tokens: &[Token]) -> Vec<Found> {
        (0..tokens.len())
            .filter_map(|start| {
                let found = self.0.iter().filter_map(|label| label.at(tokens, start));
                found.max_by_key(|found| (found.exact, found.length))
            })
            .collect()
    }
}

impl Label {
    fn new(text: &str) -> Option<Self> {
        let words: Vec<String> =
            text.split_whitespace().map(key).filter(|word| !word.is_empty()).collect();
        let first = words.first()?;
        Some(Self { compact: words.concat(), first: (first.len() >= 6).then(|| first.clone()) })
    }

    fn at(&self, tokens: &[Token], start: usize) -> Option<Found> {
        let mut rest = self.compact.as_str();
        let mut exact = true;
        for (index, token) in tokens.iter().enumerate().skip(start) {
            if token.key.is_empty() {
                if index == start {
                    return None;
                }
                continue;
            }
            if let Some(after) = rest.strip_prefix(token.key.as_str()) {
                rest = after;
            } else {
                let first = self.first.as_deref().filter(|_| index == start)?;
                if !token.key.ends_with(first) {
                    return None;
                }
                exact = false;
                rest = &rest[first.len()..];
            }
            if rest.is_empty() {
                let length = self.compact.len();
                return Some(Found { tokens: start..index + 1, length, exact });
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use pages::Area;

    fn tokens(text: &str) -> Vec<Token> {
        text.split(' ')
            .map(|text| Token {
                text: text.to_owned(),
                key: key(text),
                area: Area::default(),
                other: None,
            })
            .collect()
    }

    #[test]
    fn labels_are_found_in_all_ways_to_write_them() {
        let labels = Labels::new(["Rechnung Nr."]);
        for text in ["Rechnung Nr.: 7", "Rechnungs - Nr 7", "RECHNUNG # 7", "Handelsrechnung Nr. 7"]
        {
            let found = labels.find(&tokens(text));
            assert_eq!(found.is_some(), text != "Rechnungs - Nr 7", "{text}");
        }
        assert!(labels.find(&tokens("Abrechnung")).is_none());
    }
}
