//! The fields of the document: the bank, the holder of the account, and the date.

use domain::{FieldKind, FieldSource};

use super::{Prepared, Segment, derived, field};
use crate::fold::folded_words;
use crate::memory::Recall;
use crate::parsed::{Candidate, Parsed, ParsedField};
use crate::scan::Scan;
use crate::scoring::Model;
use crate::scoring::labels::LabelIndex;
use crate::types::DocumentType;

/// Words of company names, folded.
const COMPANY: [&str; 22] = [
    "bank",
    "banque",
    "banca",
    "banco",
    "ag",
    "gmbh",
    "sa",
    "nv",
    "plc",
    "kg",
    "eg",
    "se",
    "sparkasse",
    "broker",
    "capital",
    "kantonalbank",
    "raiffeisen",
    "volksbank",
    "group",
    "ltd",
    "limited",
    "as",
];

pub(super) fn fields(
    document_type: &DocumentType,
    scan: &Scan,
    labels: &mut LabelIndex,
    model: &Model,
    recall: &Recall<'_>,
    parsed: &mut Parsed,
) {
    for (index, spec) in document_type.fields.iter().enumerate() {
        let (None, name) = spec.group() else { continue };
        let found = match name {
            "broker" => ParsedField::new(name, broker(scan).into_iter().collect()),
            _ if spec.kind == FieldKind::Party => {
                let holder = labelled_text(scan, spec.labels.values().flatten());
                ParsedField::new(name, holder.into_iter().collect())
            }
            _ => {
                let end = scan.rows.iter().take_while(|row| row.page <= 1).count();
                let rows = 0..end.max(1);
                let segment = Segment { rows, isin: None };
                let mut prepared = Prepared::new(scan, &segment, labels);
                prepared.remember(recall);
                field(&prepared, index, spec, name, model)
            }
        };
        parsed.fields.push(found);
    }
}

/// The first row with the name of a bank.
fn broker(scan: &Scan) -> Option<Candidate> {
    for row in &scan.rows {
        let words: Vec<Vec<String>> = row.text.iter().map(|word| folded_words(word)).collect();
        let is_company =
            |words: &Vec<String>| words.last().is_some_and(|word| COMPANY.contains(&word.as_str()));
        let Some(last) = words.iter().rposition(is_company) else { continue };
        // The name ends with the last such word that follows the first one closely.
        let first = words.iter().position(is_company).unwrap_or(last);
        let end = (first + 1..=last.min(first + 3))
            .rev()
            .find(|&at| is_company(&words[at]))
            .unwrap_or(first);
        let from = end.saturating_sub(4);
        let name: Vec<&str> = row.text[from..=end].iter().map(String::as_str).collect();
        let name = name.join(" ");
        if name.chars().filter(|c| c.is_alphabetic()).count() >= 4 {
            return Some(Candidate {
                raw: name.clone(),
                page: Some(row.page),
                area: row.area,
                source: FieldSource::Page,
                ..derived(name.trim_matches(|c: char| !c.is_alphanumeric()), 0.0)
            });
        }
    }
    None
}

/// The text that follows a label in its row.
fn labelled_text<'l>(scan: &Scan, labels: impl Iterator<Item = &'l String>) -> Option<Candidate> {
    let labels: Vec<Vec<String>> = labels.map(|label| folded_words(label)).collect();
    for row in &scan.rows {
        let words: Vec<String> = row.text.iter().map(|word| folded_words(word).concat()).collect();
        let after = labels
            .iter()
            .filter(|label| label.len() == 1)
            .find_map(|label| words.iter().position(|word| *word == label[0]).map(|at| at + 1));
        let Some(after) = after else { continue };
        let is_name = |word: &&String| {
            word.chars().next().is_some_and(char::is_alphabetic) && !word.ends_with(':')
        };
        let words: Vec<&str> =
            row.text[after..].iter().take_while(is_name).map(String::as_str).take(5).collect();
        if !words.is_empty() {
            let name = words.join(" ");
            return Some(Candidate {
                raw: name.clone(),
                page: Some(row.page),
                area: row.area,
                source: FieldSource::Page,
                ..derived(&name, 0.0)
            });
        }
    }
    None
}
