//! The currency of an invoice: the one that a label names, otherwise the most frequent.

use std::collections::BTreeMap;

use super::header::{Scored, best_first, scored};
use crate::candidates::currency;
use crate::labels::Labels;
use crate::numbers::{Separator, numbers};
use crate::rows::Rows;
use crate::types::DocumentType;

/// The currencies of the document with how likely each is.
pub(crate) fn currencies(
    rows: &Rows,
    document_type: &DocumentType,
    separator: Separator,
) -> Vec<Scored> {
    let labels = Labels::of(document_type, "currency");
    let mut counts: BTreeMap<&'static str, (f32, Scored)> = BTreeMap::new();
    for row in rows.list.iter().take(20_000) {
        let label = labels.find(&row.tokens).filter(|found| found.exact && found.tokens.start <= 1);
        let found = numbers(&row.tokens, separator);
        for (at, token) in row.tokens.iter().enumerate() {
            let beside = found
                .iter()
                .find(|number| number.tokens.contains(&at))
                .and_then(|number| number.currency);
            let Some(code) = beside.or_else(|| currency(&token.text)) else { continue };
            let beside_label = label.as_ref().filter(|label| label.tokens.end <= at).map(|label| {
                row.tokens[label.tokens.end..at].iter().all(|token| token.key.is_empty())
            });
            let weight = match beside_label {
                Some(true) => 30.0,
                Some(false) => 3.0,
                None => 1.0,
            };
            let entry = counts.entry(code).or_insert_with(|| {
                (0.0, scored(code.to_owned(), std::slice::from_ref(token), row.page, 0.0))
            });
            entry.0 += weight;
        }
    }
    let all: f32 = counts.values().map(|(count, _)| count).sum();
    let found = counts
        .into_values()
        .map(|(count, scored)| Scored { score: 3.0 * count / all.max(1.0), ..scored });
    best_first(found.collect())
}
