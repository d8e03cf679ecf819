//! Whether entries of the memory were right about a document that a reviewer has read.

use domain::Extraction;
use rust_decimal::Decimal;

use super::learn::{ReviewedDocument, decimal, equal, values_of};
use super::recall::{MIN_STRENGTH, fits};
use super::text;
use super::{Counts, FieldMemory, MemoryEntry, Recall};

/// Whether one field of an entry was right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// The index of the entry.
    pub entry: usize,
    pub field: String,
    pub is_right: bool,
}

impl ReviewedDocument {
    /// Compares what each entry says about the document with what the reviewer confirmed. Entries that say nothing about a
    /// field, and fields that nobody reviewed, are left out.
    pub fn judge(&self, entries: &[MemoryEntry], confirmed: &Extraction) -> Vec<Verdict> {
        let mut verdicts = Vec::new();
        for (index, entry) in entries.iter().enumerate() {
            // The experience so far must not influence what counts as a statement.
            let mut entry = entry.clone();
            for field in &mut entry.fields {
                field.counts = Counts::default();
            }
            let fields = std::slice::from_ref(&entry);
            let recall = Recall::new(fields, &self.layout, &confirmed.document_type);
            if recall.is_empty() {
                continue;
            }
            for memory in &entry.fields {
                let reviewed = values_of(confirmed, &memory.field);
                let values: Vec<&str> =
                    reviewed.iter().filter_map(|field| field.value.as_deref()).collect();
                let Some(said) = self.said(&recall, memory) else { continue };
                if reviewed.is_empty() {
                    continue;
                }
                let is_same = |value: &&str| {
                    if text::is_text(memory.kind) {
                        text::hash(value) == text::hash(&said)
                    } else {
                        equal(memory.kind, &said, value)
                    }
                };
                let is_right = values.iter().any(is_same);
                verdicts.push(Verdict { entry: index, field: memory.field.clone(), is_right });
            }
        }
        verdicts
    }

    /// The value that the memory prefers for a field: of a sum, the sum of the amounts that fit its terms.
    fn said(&self, recall: &Recall<'_>, memory: &FieldMemory) -> Option<String> {
        if text::is_text(memory.kind) {
            let found = text::recalled(recall, &self.rows, &memory.field).into_iter();
            let mut strong = found.filter(|(_, strength)| *strength >= MIN_STRENGTH);
            return strong.next().map(|(found, _)| found.value);
        }
        let fitting = self.places.iter().filter(|place| fits(memory.kind, place.kind));
        let supported = fitting
            .map(|place| {
                let compared = recall.compare_context(place.kind, &place.context);
                (recall.strengths(&memory.field, memory.kind, &compared).0, place)
            })
            .filter(|(strength, _)| *strength >= MIN_STRENGTH);
        if memory.rules.iter().any(|rule| rule.terms.len() > 1) {
            let mut amounts = supported.filter_map(|(_, place)| decimal(&place.value)).peekable();
            amounts.peek()?;
            let sum = amounts.try_fold(Decimal::ZERO, Decimal::checked_add);
            return sum.map(|sum| sum.to_string());
        }
        supported.max_by(|a, b| a.0.total_cmp(&b.0)).map(|(_, place)| place.value.clone())
    }
}
