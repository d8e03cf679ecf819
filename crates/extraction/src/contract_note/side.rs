//! Whether a trade is a purchase, a sale, income or something else, from the words of its rows.

use std::collections::BTreeSet;

use super::{Segment, derived, logit};
use crate::fold::folded_words;
use crate::memory::{Recall, Support};
use crate::parsed::Candidate;
use crate::scan::Scan;
use crate::scoring::Model;
use crate::types::DocumentType;
use domain::FieldSource;

pub const SIDES: [&str; 4] = ["buy", "sell", "dividend", "other"];
/// Purchases and sales of an issuer have one form, with the same dates and amounts; income has another.
const FORMS: [&[&str]; 3] = [&["buy", "sell"], &["dividend"], &["other"]];
/// How many rows are examined: what a document is about is said at its beginning.
const MAX_ROWS: usize = 70;
const EARLY_ROWS: usize = 25;
/// What speaks for a side that is named at all, in a short row, and before the others.
const PRIOR: [(&str, f32); 3] = [("named", 1.0), ("titled", 1.5), ("first", 1.5)];

/// The features of a trade's words, and the row that names each side first.
pub fn side_features(
    document_type: &DocumentType,
    scan: &Scan,
    segment: &Segment,
) -> (Vec<String>, Vec<(String, usize)>) {
    let phrases = phrases(document_type);
    let mut features = BTreeSet::new();
    let mut named: Vec<(String, usize)> = Vec::new();
    let rows = scan.rows.iter().filter(|row| segment.rows.contains(&row.number));
    for (at, row) in rows.take(MAX_ROWS).enumerate() {
        if at < EARLY_ROWS {
            features.extend(row.words.iter().map(|word| format!("e={word}")));
        }
        let written = folded_words(&row.text.join(" "));
        for (side, phrase) in &phrases {
            if !written.windows(phrase.len()).any(|words| words == phrase.as_slice()) {
                continue;
            }
            features.insert(format!("named={side}"));
            if row.text.len() <= 4 {
                features.insert(format!("titled={side}"));
            }
            if named.is_empty() {
                features.insert(format!("first={side}"));
            }
            if !named.iter().any(|(known, _)| known == side) {
                named.push((side.clone(), row.number));
            }
        }
    }
    (features.into_iter().collect(), named)
}

fn phrases(document_type: &DocumentType) -> Vec<(String, Vec<String>)> {
    let spec = document_type.fields.iter().find(|spec| spec.name == "trades[].side");
    let choices = spec.iter().flat_map(|spec| &spec.choices);
    choices
        .flat_map(|(side, phrases)| {
            phrases.iter().map(move |phrase| (side.clone(), folded_words(phrase)))
        })
        .filter(|(_, words)| !words.is_empty())
        .collect()
}

/// The sides whose documents have the same form as those of this one.
pub fn same_form(side: &str) -> &'static [&'static str] {
    FORMS.into_iter().find(|form| form.contains(&side)).unwrap_or_default()
}

/// The features of one side: each feature of the words, with the side.
pub fn side_choice(side: &str, features: &[String]) -> Vec<String> {
    features.iter().map(|feature| format!("{side} {feature}")).collect()
}

pub(super) fn candidates(
    document_type: &DocumentType,
    scan: &Scan,
    segment: &Segment,
    model: &Model,
    recall: &Recall<'_>,
) -> Vec<Candidate> {
    let (features, named) = side_features(document_type, scan, segment);
    let remembered = recall.choices("trades[].side", scan, document_type);
    let support = |side: &str| {
        let found = remembered.iter().find(|(value, _)| value == side);
        found.map_or_else(Support::default, |(_, support)| *support)
    };
    let score = |side: &str| {
        // Words that name a side count for themselves: the weights know the words of other issuers only.
        let prior: f32 = PRIOR
            .iter()
            .filter(|(name, _)| features.contains(&format!("{name}={side}")))
            .map(|(_, weight)| weight)
            .sum();
        prior + model.score("side", &side_choice(side, &features)) + support(side).log_odds
    };
    let scores: Vec<f32> = SIDES.iter().map(|side| score(side)).collect();
    let top = scores.iter().copied().fold(f32::MIN, f32::max);
    let total: f32 = scores.iter().map(|score| (score - top).exp()).sum();
    let mut candidates: Vec<Candidate> = SIDES
        .iter()
        .zip(&scores)
        .map(|(side, score)| {
            let score = logit((score - top).exp() / total);
            let row =
                named.iter().find(|(known, _)| known == side).and_then(|(_, row)| scan.row(*row));
            let found = match row {
                Some(row) => Candidate {
                    raw: row.text.join(" "),
                    page: Some(row.page),
                    area: row.area,
                    source: FieldSource::Page,
                    ..derived(side, score)
                },
                None => derived(side, score),
            };
            if support(side).is_match { found.remembered() } else { found }
        })
        .collect();
    candidates.sort_by(|a, b| b.score.total_cmp(&a.score));
    candidates
}
