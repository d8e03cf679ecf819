//! Chooses the combination of candidates that satisfies the constraints of the document type best.
//!
//! The search is bounded: a few candidates of each field, a beam of partial combinations, and for the amounts of a trade
//! the subsets of at most ten fees and taxes. Each constraint becomes a [`Check`] with its numbers. An
//! alternative OCR reading is chosen when the arithmetic only works with it.

mod amounts;
mod checks;
mod outcome;
mod search;

use std::collections::BTreeMap;

use domain::{Check, Extraction, Field, FieldGroup, FieldStatus};
use serde::{Deserialize, Serialize};

use crate::e_invoice;
use crate::parsed::{Parsed, ParsedField};
use crate::types::{Constraint, DocumentType, FieldSpec};

pub(crate) use outcome::Outcome;

/// What speaks for the value of a field, beside its confidence. It is not part of the payload.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FieldEvidence {
    /// Log-odds of the chosen candidate before constraints were considered.
    pub score: f64,
    /// Log-odds of the second candidate; the difference is the margin.
    pub second: Option<f64>,
    pub candidates: usize,
    pub checks_passed: usize,
    pub checks_failed: usize,
    /// The value follows from others, or is the other OCR reading.
    pub derived: bool,
    pub ocr_alternative: bool,
}

/// The evidence of each field, by its path (`trades.0.isin`).
pub type Evidence = BTreeMap<String, FieldEvidence>;

pub fn reconcile(document_type: &DocumentType, parsed: &Parsed) -> Extraction {
    reconcile_with_evidence(document_type, parsed).0
}

/// The result, and what speaks for each of its fields.
pub fn reconcile_with_evidence(
    document_type: &DocumentType,
    parsed: &Parsed,
) -> (Extraction, Evidence) {
    let mut extraction = Extraction {
        document_type: parsed.document_type.clone(),
        warnings: parsed.warnings.clone(),
        ..Extraction::default()
    };
    let mut evidence = Evidence::new();
    let header = choose(document_type, None, &parsed.fields);
    extraction.fields = group_fields(document_type, None, header, "", &mut evidence);
    for (index, fields) in parsed.trades.iter().enumerate() {
        let chosen = choose(document_type, Some("trades"), fields);
        let path = format!("trades.{index}.");
        let group = group_fields(document_type, Some("trades"), chosen, &path, &mut evidence);
        extraction.trades.push(group);
    }
    for (index, fields) in parsed.lines.iter().enumerate() {
        let chosen = choose(document_type, Some("lines"), fields);
        let path = format!("lines.{index}.");
        let group = group_fields(document_type, Some("lines"), chosen, &path, &mut evidence);
        extraction.lines.push(group);
    }
    apply_checks(document_type, parsed, &mut extraction, &mut evidence);
    (extraction, evidence)
}

/// Chooses the values of one group of fields.
fn choose(
    document_type: &DocumentType,
    group: Option<&str>,
    fields: &[ParsedField],
) -> BTreeMap<String, Outcome> {
    let constraints: Vec<Constraint> = document_type
        .constraints
        .iter()
        .filter_map(|constraint| checks::within_group(constraint, group))
        .collect();
    if fields.iter().any(|field| field.additive) {
        amounts::choose(fields, &constraints)
    } else {
        search::choose(fields, &constraints)
    }
}

/// The fields of the type, in the form of a result. Fields that were found but that the type does not list are kept: they
/// are those of a type without fixed fields.
fn group_fields(
    document_type: &DocumentType,
    group: Option<&str>,
    mut chosen: BTreeMap<String, Outcome>,
    path: &str,
    evidence: &mut Evidence,
) -> FieldGroup {
    let specs = document_type.fields.iter().filter(|spec| spec.group().0 == group);
    let mut fields = FieldGroup::new();
    for spec in specs {
        let (_, name) = spec.group();
        let outcome = chosen.remove(name).unwrap_or_default();
        evidence.insert(format!("{path}{name}"), outcome.evidence());
        fields.insert(name.to_owned(), outcome.into_field(Some(spec)));
    }
    for (name, outcome) in chosen {
        evidence.insert(format!("{path}{name}"), outcome.evidence());
        fields.insert(name, outcome.into_field(None));
    }
    fields
}

fn apply_checks(
    document_type: &DocumentType,
    parsed: &Parsed,
    extraction: &mut Extraction,
    evidence: &mut Evidence,
) {
    let of_pages = parsed.checks.iter().map(|check| {
        let field = e_invoice::checked_field(check).map(str::to_owned);
        (check.clone(), field.into_iter().collect())
    });
    let mut found: Vec<(Check, Vec<String>)> = of_pages.collect();
    found.extend(checks::header(document_type, extraction));
    for (group, count) in [("trades", extraction.trades.len()), ("lines", extraction.lines.len())] {
        for index in 0..count {
            found.extend(checks::of_group(document_type, extraction, group, index));
        }
    }
    for (check, paths) in found {
        for path in paths {
            let Some(field) = field_mut(extraction, &path) else { continue };
            field.checks.push(check.name.clone());
            if let Some(evidence) = evidence.get_mut(&path) {
                evidence.checks_passed += usize::from(check.passed == Some(true));
                evidence.checks_failed += usize::from(check.passed == Some(false));
            }
        }
        extraction.checks.push(check);
    }
}

/// The field with this path.
fn field_mut<'e>(extraction: &'e mut Extraction, path: &str) -> Option<&'e mut Field> {
    let mut parts = path.splitn(3, '.');
    let groups = match parts.next() {
        Some("trades") => &mut extraction.trades,
        Some("lines") => &mut extraction.lines,
        _ => return extraction.fields.get_mut(path),
    };
    let index: usize = parts.next()?.parse().ok()?;
    groups.get_mut(index)?.get_mut(parts.next()?)
}

/// The status of a value before the chosen error rate is considered.
fn status(value: Option<&String>, spec: Option<&FieldSpec>) -> FieldStatus {
    match (value, spec.is_some_and(|spec| spec.required)) {
        (None, false) => FieldStatus::Missing,
        _ => FieldStatus::NeedsReview,
    }
}

#[cfg(test)]
mod tests;
