//! Chooses the document type from its phrases and from the values that were found. It abstains when no type has enough
//! evidence, or when two types have about the same.

use std::collections::BTreeSet;

use domain::FieldKind;

use crate::fold::folded_words;
use crate::receipt;
use crate::scan::Scan;
use crate::scoring::labels::{LabelIndex, Match, Place};
use crate::types::DocumentType;

/// The least evidence for a type, and the least difference to the next one.
const LEAST: f32 = 2.0;
const MARGIN: f32 = 0.4;
/// Phrases at the beginning of a document count more.
const EARLY_ROWS: usize = 30;
const EARLY: f32 = 1.0;
const LATER: f32 = 0.4;
const MOST_PHRASES: f32 = 4.0;
/// Each field with a labelled value of its kind.
const LABELLED_FIELD: f32 = 0.3;
const MOST_LABELS: f32 = 3.0;
/// A security in a document about securities.
const SECURITY: f32 = 2.0;
/// A slip with amounts, for receipts.
const SLIP: f32 = 2.0;
/// A slip has this many rows, and nine of ten are this short, in characters.
const SLIP_ROWS: std::ops::RangeInclusive<usize> = 6..=150;
const SLIP_WIDTH: usize = 52;
const SLIP_AMOUNTS: usize = 3;
/// How much of a document is examined.
const MAX_ROWS: usize = 400;
const MAX_MENTIONS: usize = 400;

/// The evidence for each type, the most first.
pub fn evidences<'t>(types: &'t [DocumentType], scan: &Scan) -> Vec<(&'t DocumentType, f32)> {
    let text: Vec<Vec<String>> =
        scan.rows.iter().take(MAX_ROWS).map(|row| folded_words(&row.text.join(" "))).collect();
    let mut scored: Vec<(&DocumentType, f32)> = types
        .iter()
        .map(|document_type| (document_type, evidence(document_type, scan, &text)))
        .collect();
    scored.sort_by(|a, b| b.1.total_cmp(&a.1));
    scored
}

/// The type with the most evidence.
pub fn classify<'t>(types: &'t [DocumentType], scan: &Scan) -> Option<&'t DocumentType> {
    let scored = evidences(types, scan);
    let (best, evidence) = *scored.first()?;
    let next = scored.get(1).map_or(0.0, |(_, evidence)| *evidence);
    (evidence >= LEAST && evidence - next >= MARGIN).then_some(best)
}

/// How much speaks for a type.
fn evidence(document_type: &DocumentType, scan: &Scan, text: &[Vec<String>]) -> f32 {
    let has_isin = scan.mentions.iter().any(|mention| mention.found.kind == FieldKind::Isin);
    let wants_isin = document_type.fields.iter().any(|spec| spec.kind == FieldKind::Isin);
    let security = if has_isin && wants_isin { SECURITY } else { 0.0 };
    let is_slip = is_slip(scan);
    let slip = if is_slip && document_type.name == receipt::DOCUMENT_TYPE { SLIP } else { 0.0 };
    // All of a slip is its beginning.
    let early = if is_slip { *SLIP_ROWS.end() } else { EARLY_ROWS };
    phrases(document_type, text, early) + labels(document_type, scan) + security + slip
}

/// Whether the document has short rows and several amounts, like what a cash register prints.
fn is_slip(scan: &Scan) -> bool {
    let mut lengths: Vec<usize> = scan
        .rows
        .iter()
        .take(SLIP_ROWS.end() + 1)
        .map(|row| row.text.iter().map(|word| word.chars().count() + 1).sum())
        .collect();
    lengths.sort_unstable();
    let amounts = scan.mentions.iter().filter(|mention| {
        let found = &mention.found;
        found.decimals == 2 && found.fits(FieldKind::Money)
    });
    SLIP_ROWS.contains(&lengths.len())
        && lengths.get(lengths.len() * 9 / 10).is_some_and(|length| *length <= SLIP_WIDTH)
        && amounts.take(SLIP_AMOUNTS).count() == SLIP_AMOUNTS
}

fn phrases(document_type: &DocumentType, text: &[Vec<String>], early: usize) -> f32 {
    let mut sum = 0.0;
    let phrases: BTreeSet<Vec<String>> =
        document_type.phrases.values().flatten().map(|phrase| folded_words(phrase)).collect();
    for phrase in phrases.iter().filter(|phrase| !phrase.is_empty()) {
        let contains =
            |row: &Vec<String>| row.windows(phrase.len()).any(|words| words == phrase.as_slice());
        match text.iter().position(contains) {
            Some(row) if row < early => sum += EARLY,
            Some(_) => sum += LATER,
            None => {}
        }
    }
    sum.min(MOST_PHRASES)
}

fn labels(document_type: &DocumentType, scan: &Scan) -> f32 {
    let mut index = LabelIndex::new(document_type);
    let mut fields = BTreeSet::new();
    for mention in scan.mentions.iter().take(MAX_MENTIONS) {
        for hit in index.find(&mention.context) {
            let kind = document_type.fields[hit.field].kind;
            let is_near =
                matches!(hit.place, Place::Left | Place::Above | Place::Key | Place::Header);
            if is_near && hit.matched == Match::Exact && mention.found.fits(kind) {
                fields.insert(hit.field);
            }
        }
    }
    let count = u16::try_from(fields.len()).unwrap_or(u16::MAX);
    (f32::from(count) * LABELLED_FIELD).min(MOST_LABELS)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::candidates::page_of_rows;
    use crate::types::builtin;

    fn class(rows: &[&str]) -> Option<&'static str> {
        let mut scan = Scan::new();
        scan.add(&page_of_rows(rows));
        scan.finish();
        classify(builtin(), &scan).map(|found| found.name.as_str())
    }

    #[test]
    fn a_contract_note_is_recognised() {
        let rows = [
            "Wertpapierabrechnung Kauf",
            "Stück 5 Muster AG ISIN DE0005190003",
            "Kurswert EUR 500,00",
            "Ausmachender Betrag EUR 509,90",
        ];
        assert_eq!(class(&rows), Some("contract_note"));
    }

    #[test]
    fn a_document_without_evidence_has_no_type() {
        assert_eq!(
            class(&["Sehr geehrte Damen und Herren,", "der Termin ist am 5. Mai 2021."]),
            None
        );
        assert_eq!(class(&[]), None);
    }
}
