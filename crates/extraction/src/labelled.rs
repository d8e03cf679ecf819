//! The fields of a type for which no weights were learned: a tenant's own. Labels decide.

use domain::{FieldKind, FieldSource};

use crate::contract_note::{Prepared, Segment, field};
use crate::fold::folded_words;
use crate::parsed::{Candidate, ParsedField};
use crate::scan::{RowText, Scan};
use crate::scoring::Model;
use crate::scoring::labels::LabelIndex;
use crate::types::{DocumentType, FieldSpec, pattern};

/// What is added to the log-odds of a code that is checked by itself, and of text behind a label.
const CODE_SCORE: f32 = 2.5;
const TEXT_SCORE: f32 = 1.0;
/// The most words of a text value.
const MAX_WORDS: usize = 12;

/// The fields of the document itself; repeated groups have parsers of their own.
pub fn fields(document_type: &DocumentType, scan: &Scan, model: &Model) -> Vec<ParsedField> {
    let mut labels = LabelIndex::new(document_type);
    let end = scan.rows.last().map_or(0, |row| row.number + 1);
    let prepared = Prepared::new(scan, &Segment { rows: 0..end, isin: None }, &mut labels);
    let mut fields = Vec::new();
    for (index, spec) in document_type.fields.iter().enumerate() {
        let (None, name) = spec.group() else { continue };
        let mut found = match spec.kind {
            FieldKind::Text | FieldKind::Party | FieldKind::Address | FieldKind::Country => {
                ParsedField::new(name, labelled_text(scan, spec).into_iter().collect())
            }
            FieldKind::Choice => ParsedField::new(name, choice(scan, spec).into_iter().collect()),
            FieldKind::Currency => {
                ParsedField::new(name, currency(&prepared).into_iter().collect())
            }
            _ => field(&prepared, index, spec, name, model),
        };
        if matches!(
            spec.kind,
            FieldKind::Isin | FieldKind::Iban | FieldKind::Bic | FieldKind::VatId
        ) {
            found.candidates.iter_mut().for_each(|candidate| candidate.score += CODE_SCORE);
        }
        keep_matching(spec, &mut found);
        fields.push(found);
    }
    fields
}

/// Drops the candidates that match none of the field's patterns.
fn keep_matching(spec: &FieldSpec, found: &mut ParsedField) {
    let patterns: Vec<_> = spec.patterns.iter().filter_map(|text| pattern(text).ok()).collect();
    if !patterns.is_empty() {
        found.candidates.retain(|c| patterns.iter().any(|pattern| pattern.is_match(&c.value)));
    }
}

/// The text behind a label in its row, or the row below a label that is alone in its row.
pub(crate) fn labelled_text(scan: &Scan, spec: &FieldSpec) -> Option<Candidate> {
    let labels: Vec<Vec<String>> =
        spec.labels.values().flatten().map(|label| folded_words(label)).collect();
    for (at, row) in scan.rows.iter().enumerate() {
        let words: Vec<Vec<String>> = row.text.iter().map(|word| folded_words(word)).collect();
        let Some(after) = labels.iter().filter_map(|label| end_of(label, &words)).max() else {
            continue;
        };
        if after < row.text.len() {
            return Some(text_candidate(row, &row.text[after..]));
        }
        if let Some(below) = scan.rows.get(at + 1).filter(|_| row.text.len() <= 4) {
            return Some(text_candidate(below, &below.text));
        }
    }
    None
}

/// Where a label at the beginning of a row, or before a colon, ends.
fn end_of(label: &[String], words: &[Vec<String>]) -> Option<usize> {
    let wanted = label.concat();
    for from in 0..words.len() {
        let mut joined = String::new();
        for (length, word) in words[from..].iter().take(label.len()).enumerate() {
            joined.push_str(&word.concat());
            if joined == wanted && !wanted.is_empty() {
                return Some(from + length + 1);
            }
        }
    }
    None
}

fn text_candidate(row: &RowText, words: &[String]) -> Candidate {
    let raw = words.iter().take(MAX_WORDS).cloned().collect::<Vec<_>>().join(" ");
    let value =
        raw.trim_matches(|c: char| c.is_whitespace() || matches!(c, ':' | ';' | '|')).to_owned();
    Candidate {
        value,
        raw,
        page: Some(row.page),
        area: row.area,
        source: FieldSource::Page,
        score: TEXT_SCORE,
        currency: None,
    }
}

/// The choice whose words come first.
fn choice(scan: &Scan, spec: &FieldSpec) -> Option<Candidate> {
    let phrases: Vec<(&String, Vec<String>)> = spec
        .choices
        .iter()
        .flat_map(|(value, phrases)| {
            phrases.iter().map(move |phrase| (value, folded_words(phrase)))
        })
        .filter(|(_, words)| !words.is_empty())
        .collect();
    for row in &scan.rows {
        let written = folded_words(&row.text.join(" "));
        for (value, phrase) in &phrases {
            if written.windows(phrase.len()).any(|words| words == phrase.as_slice()) {
                let candidate = text_candidate(row, &row.text);
                return Some(Candidate { value: (*value).clone(), ..candidate });
            }
        }
    }
    None
}

/// The currency of the first amount that has one.
fn currency(prepared: &Prepared<'_>) -> Option<Candidate> {
    let mention = prepared.mentions.iter().find(|mention| mention.found.currency.is_some())?;
    let code = mention.found.currency.clone()?;
    Some(Candidate {
        value: code.clone(),
        raw: code,
        page: Some(mention.found.page),
        area: mention.found.area,
        source: FieldSource::Page,
        score: TEXT_SCORE,
        currency: None,
    })
}
