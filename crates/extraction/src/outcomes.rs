//! What a review says about the extraction before it: which values were correct.

use std::collections::BTreeMap;

use domain::{Extraction, Field, FieldGroup, FieldKind, FieldSource, FieldStatus};

use crate::types::DocumentType;

/// The outcome of the review of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct ReviewedField {
    /// In the extraction: `seller.name`, `trades.0.isin`.
    pub path: String,
    /// In the document type: `seller.name`, `trades[].isin`.
    pub field: String,
    pub kind: FieldKind,
    /// When it was extracted.
    pub confidence: f64,
    /// When it was extracted: `accepted` or `needs_review`.
    pub status: FieldStatus,
    pub source: Option<FieldSource>,
    pub was_correct: bool,
}

/// Compares an extraction with what a reviewer made of it.
///
/// A field counts when it had a value and the reviewer confirmed or corrected it. A trade or line that the reviewer
/// removed was wrong in all its fields.
pub fn outcomes(
    document_type: &DocumentType,
    extracted: &Extraction,
    reviewed: &Extraction,
) -> Vec<ReviewedField> {
    let kinds: BTreeMap<&str, FieldKind> =
        document_type.fields.iter().map(|spec| (spec.name.as_str(), spec.kind)).collect();
    let mut outcomes = Vec::new();
    let mut compare =
        |prefix: &str, place: &str, before: &FieldGroup, after: Option<&FieldGroup>| {
            for (name, field) in before {
                let name_of_spec = format!("{prefix}{name}");
                let Some(kind) = kinds.get(name_of_spec.as_str()) else { continue };
                let decided = match after {
                    Some(after) => was_correct(field, after.get(name)),
                    None => was_extracted(field).then_some(false),
                };
                outcomes.extend(decided.map(|was_correct| ReviewedField {
                    path: format!("{place}{name}"),
                    field: name_of_spec,
                    kind: *kind,
                    confidence: field.confidence,
                    status: field.status,
                    source: field.source,
                    was_correct,
                }));
            }
        };
    compare("", "", &extracted.fields, Some(&reviewed.fields));
    let groups = [
        ("trades", &extracted.trades, &reviewed.trades),
        ("lines", &extracted.lines, &reviewed.lines),
    ];
    for (name, before, after) in groups {
        let partners = partners(before, after);
        for (index, (fields, partner)) in before.iter().zip(partners).enumerate() {
            let partner = partner.and_then(|at| after.get(at));
            compare(&format!("{name}[]."), &format!("{name}.{index}."), fields, partner);
        }
    }
    outcomes
}

/// Whether the value was correct; `None` when the review says nothing about it.
fn was_correct(before: &Field, after: Option<&Field>) -> Option<bool> {
    if !was_extracted(before) {
        return None;
    }
    let Some(after) = after else { return Some(false) };
    match after.status {
        FieldStatus::Confirmed => Some(true),
        FieldStatus::Corrected => Some(before.value == after.value),
        FieldStatus::Accepted | FieldStatus::NeedsReview | FieldStatus::Missing => None,
    }
}

fn was_extracted(field: &Field) -> bool {
    field.value.is_some()
        && matches!(field.status, FieldStatus::Accepted | FieldStatus::NeedsReview)
}

/// For each group before the review, its place after it. With as many groups as before, each stays in its place;
/// otherwise those with the most equal values belong together.
fn partners(before: &[FieldGroup], after: &[FieldGroup]) -> Vec<Option<usize>> {
    if before.len() == after.len() {
        return (0..before.len()).map(Some).collect();
    }
    let equal_values = |one: &FieldGroup, other: &FieldGroup| {
        let is_equal = |(name, field): &(&String, &Field)| {
            field.value.is_some()
                && other.get(*name).is_some_and(|found| found.value == field.value)
        };
        one.iter().filter(is_equal).count()
    };
    let mut pairs: Vec<(usize, usize, usize)> = Vec::new();
    for (at, one) in before.iter().enumerate() {
        pairs
            .extend(after.iter().enumerate().map(|(to, other)| (equal_values(one, other), at, to)));
    }
    pairs.retain(|(equal, ..)| *equal > 0);
    // The most equal values first; then the order of the document decides.
    pairs.sort_by_key(|(equal, at, to)| (usize::MAX - equal, *at, *to));
    let mut partners = vec![None; before.len()];
    for (_, at, to) in pairs {
        if partners[at].is_none() && !partners.contains(&Some(to)) {
            partners[at] = Some(to);
        }
    }
    partners
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn note() -> DocumentType {
        serde_json::from_value(json!({
            "name": "note", "title": "Note", "schema": {},
            "fields": [
                {"name": "document_date", "kind": "date"},
                {"name": "trades[].isin", "kind": "isin"},
                {"name": "trades[].net_amount", "kind": "money"},
            ],
        }))
        .unwrap()
    }

    fn field(value: &str, status: FieldStatus) -> Field {
        Field { value: Some(value.to_owned()), status, confidence: 0.9, ..Field::missing() }
    }

    fn trade(isin: Field, amount: Field) -> FieldGroup {
        [("isin".to_owned(), isin), ("net_amount".to_owned(), amount)].into()
    }

    #[test]
    fn confirmed_values_were_correct_and_changed_ones_wrong() {
        use FieldStatus::{Accepted, Confirmed, Corrected, NeedsReview};
        let mut extracted = Extraction {
            trades: vec![trade(field("A", Accepted), field("1.00", NeedsReview))],
            ..Extraction::default()
        };
        extracted.fields.insert("document_date".to_owned(), field("2026-01-02", Accepted));
        extracted.fields.insert("unknown".to_owned(), field("x", Accepted));
        let mut reviewed = Extraction {
            trades: vec![trade(field("A", Confirmed), field("2.00", Corrected))],
            ..extracted.clone()
        };
        let found = outcomes(&note(), &extracted, &reviewed);
        let short: Vec<(&str, &str, bool)> =
            found.iter().map(|f| (f.path.as_str(), f.field.as_str(), f.was_correct)).collect();
        let isin = ("trades.0.isin", "trades[].isin", true);
        assert_eq!(short, [isin, ("trades.0.net_amount", "trades[].net_amount", false)]);
        assert_eq!((found[1].status, found[1].kind), (NeedsReview, FieldKind::Money));
        // The header was not looked at; a value that the reviewer entered again is correct.
        reviewed.fields.insert("document_date".to_owned(), field("2026-01-02", Corrected));
        assert!(outcomes(&note(), &extracted, &reviewed)[0].was_correct);
        reviewed.fields.remove("document_date");
        assert!(
            !outcomes(&note(), &extracted, &reviewed)[0].was_correct,
            "the reviewer removed it"
        );
    }

    #[test]
    fn a_removed_trade_was_wrong_and_the_others_keep_their_partners() {
        use FieldStatus::{Accepted, Confirmed};
        let trade_of =
            |isin: &str, amount: &str, status| trade(field(isin, status), field(amount, status));
        let extracted = Extraction {
            trades: vec![trade_of("A", "1.00", Accepted), trade_of("B", "2.00", Accepted)],
            ..Extraction::default()
        };
        let reviewed =
            Extraction { trades: vec![trade_of("B", "2.00", Confirmed)], ..Extraction::default() };
        let found = outcomes(&note(), &extracted, &reviewed);
        let correct: Vec<bool> = found.iter().map(|field| field.was_correct).collect();
        assert_eq!(correct, [false, false, true, true]);
    }
}
