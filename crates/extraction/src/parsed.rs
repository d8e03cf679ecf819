//! The output of the stage `parse`: for each field the best candidates, each with its place on the page.

use domain::{Check, FieldSource};
use pages::Area;
use serde::{Deserialize, Serialize};

/// The most candidates that a field of an invoice or a receipt keeps.
const MAX_CANDIDATES: usize = 6;

/// A value for a field, with its evidence.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Normalised as the field's kind requires.
    pub value: String,
    /// As it is written on the page.
    pub raw: String,
    /// Counted from 1. `None` for values of an embedded file.
    pub page: Option<u32>,
    pub area: Option<Area>,
    pub source: FieldSource,
    /// Log-odds that this candidate is the field's value, before constraints are considered.
    pub score: f32,
    /// The currency beside an amount, where there is one.
    pub currency: Option<String>,
}

impl Candidate {
    /// Records that the layout memory has chosen the candidate.
    #[must_use]
    pub(crate) fn remembered(mut self) -> Self {
        if self.source == FieldSource::Page {
            self.source = FieldSource::LayoutMemory;
        }
        self
    }
}

/// A field with its candidates, the best first.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ParsedField {
    /// The dotted name; without its group for a field of a trade or line.
    pub name: String,
    pub candidates: Vec<Candidate>,
    /// The value is the sum of those candidates that are terms of it: see [`FieldSpec`](crate::types::FieldSpec). Then the
    /// score of each candidate is for itself.
    #[serde(default)]
    pub additive: bool,
}

impl ParsedField {
    pub fn new(name: impl Into<String>, candidates: Vec<Candidate>) -> Self {
        Self { name: name.into(), candidates, additive: false }
    }

    /// A field with the best of some candidates, each value once.
    pub(crate) fn best_of(
        name: impl Into<String>,
        candidates: impl IntoIterator<Item = Candidate>,
    ) -> Self {
        let mut found: Vec<Candidate> = candidates.into_iter().collect();
        found.sort_by(|a, b| b.score.total_cmp(&a.score));
        let mut kept: Vec<Candidate> = Vec::new();
        for candidate in found {
            if kept.len() < MAX_CANDIDATES
                && kept.iter().all(|other| other.value != candidate.value)
            {
                kept.push(candidate);
            }
        }
        Self::new(name, kept)
    }
}

/// What `parse` found in a document.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Parsed {
    /// The name of the document type; empty when the classifier abstained.
    pub document_type: String,
    pub fields: Vec<ParsedField>,
    pub trades: Vec<Vec<ParsedField>>,
    pub lines: Vec<Vec<ParsedField>>,
    /// Checks that need the pages, such as the comparison with an electronic invoice. `reconcile` passes them on.
    #[serde(default)]
    pub checks: Vec<Check>,
    pub warnings: Vec<String>,
}
