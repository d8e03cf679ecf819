//! Comparing the values of a new document with what earlier ones taught.

use domain::FieldKind;

use super::context::Context;
use super::places::choices;
use super::{FieldMemory, Fingerprint, MemoryEntry, Rule};
use crate::scan::Scan;
use crate::scoring::Mention;
use crate::types::{DocumentType, FieldSpec};

/// Layouts below this similarity have nothing to do with each other: of documents of different issuers, 97 of 100 are less
/// similar.
const MIN_LAYOUT: f32 = 0.1;
/// From this similarity on, both documents are of one issuer.
const SAME_ISSUER: f32 = 0.3;
/// From this similarity on, both documents are of one issuer and form.
const SAME_FORM: f32 = 0.5;
/// Surroundings below this similarity are no match, and from the second number on a full one.
const MIN_MATCH: f32 = 0.5;
const FULL_MATCH: f32 = 0.9;
/// How much a full match adds to the score of a candidate, in log-odds.
const BOOST: f32 = 6.0;
/// How much the score of an amount is lowered that is not among the known terms of a sum.
const MISSING_TERM: f32 = 2.0;
/// Weaker matches are no statement of the memory.
pub(super) const MIN_STRENGTH: f32 = 0.3;

/// The entries that apply to a document, with their weights.
#[derive(Debug, Default)]
pub struct Recall<'a> {
    /// Each with how much it counts, from 0 to 1.
    fields: Vec<(&'a FieldMemory, f32)>,
}

/// What the memory says about a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Support {
    /// To be added to the candidate's score, in log-odds.
    pub log_odds: f32,
    /// Whether the memory has chosen the candidate.
    pub is_match: bool,
}

impl<'a> Recall<'a> {
    /// The entries of the document's type whose layouts are similar.
    pub fn new(entries: &'a [MemoryEntry], fingerprint: &Fingerprint, document_type: &str) -> Self {
        let similar = entries
            .iter()
            .filter(|entry| entry.document_type == document_type)
            .map(|entry| (entry, layout_weight(entry.fingerprint.similarity(fingerprint))))
            .filter(|(_, weight)| *weight > 0.0);
        let fields = similar
            .flat_map(|(entry, weight)| entry.fields.iter().map(move |field| (field, weight)))
            .map(|(field, weight)| (field, weight * field.counts.reliability()))
            .collect();
        Self { fields }
    }

    /// The type of the most similar document, when that certainly is of the same issuer and form.
    pub fn document_type(entries: &'a [MemoryEntry], fingerprint: &Fingerprint) -> Option<&'a str> {
        entries
            .iter()
            .map(|entry| (entry.fingerprint.similarity(fingerprint), entry))
            .filter(|(similarity, _)| *similarity >= SAME_FORM)
            .max_by(|a, b| a.0.total_cmp(&b.0))
            .map(|(_, entry)| entry.document_type.as_str())
    }

    pub fn is_empty(&self) -> bool {
        self.fields.is_empty()
    }

    /// What the memory says about a typed value as a candidate of a field.
    pub fn support(&self, spec: &FieldSpec, mention: &Mention) -> Support {
        let known = self.knows(&spec.name);
        if known <= 0.0 {
            return Support::default();
        }
        let strength = self.strength(&spec.name, &Context::of(mention));
        let missing = if spec.additive { MISSING_TERM * (known - strength).max(0.0) } else { 0.0 };
        Support { log_odds: BOOST * strength - missing, is_match: strength >= MIN_STRENGTH }
    }

    /// The values of a choice that the memory supports, by the places of the words that express them.
    pub fn choices(
        &self,
        field: &str,
        scan: &Scan,
        document_type: &DocumentType,
    ) -> Vec<(String, Support)> {
        if self.knows(field) <= 0.0 {
            return Vec::new();
        }
        let mut values: Vec<(String, f32)> = Vec::new();
        for place in choices(scan, document_type) {
            let strength = self.strength(field, &place.context);
            match values.iter_mut().find(|(value, _)| *value == place.value) {
                Some((_, known)) => *known = known.max(strength),
                None => values.push((place.value, strength)),
            }
        }
        let support = |strength: f32| Support {
            log_odds: BOOST * strength,
            is_match: strength >= MIN_STRENGTH,
        };
        values.into_iter().map(|(value, strength)| (value, support(strength))).collect()
    }

    /// From 0 to 1: how much the memory counts that knows a field, whatever it says about it.
    fn knows(&self, field: &str) -> f32 {
        let memories = self.fields.iter().filter(|(memory, _)| memory.field == field);
        memories.map(|(_, weight)| *weight).fold(0.0, f32::max)
    }

    /// From 0 to 1: how strongly the memory says that the value of a field is the one with these surroundings.
    pub(super) fn strength(&self, field: &str, context: &Context) -> f32 {
        let memories = self.fields.iter().filter(|(memory, _)| memory.field == field);
        let strengths = memories.map(|(memory, weight)| weight * memory.similarity(context));
        strengths.fold(0.0, f32::max)
    }
}

impl FieldMemory {
    /// From 0 to 1: how well a value with these surroundings fits one of the rules.
    fn similarity(&self, context: &Context) -> f32 {
        let similarities = self.rules.iter().map(|rule| {
            let similarity = match rule.terms.as_slice() {
                [term] => ramp(term.similarity(context), MIN_MATCH, FULL_MATCH),
                terms => {
                    let terms = terms.iter().map(|term| term.term_similarity(context));
                    ramp(terms.fold(0.0, f32::max), MIN_MATCH, FULL_MATCH)
                }
            };
            similarity * rule.certainty()
        });
        similarities.fold(0.0, f32::max)
    }
}

impl Rule {
    /// Less when it is not known which of several places counts.
    fn certainty(&self) -> f32 {
        #[expect(clippy::cast_precision_loss, reason = "a few places")]
        let places = self.places.max(1) as f32;
        1.0 / places.sqrt()
    }
}

fn layout_weight(similarity: f32) -> f32 {
    ramp(similarity, MIN_LAYOUT, SAME_ISSUER)
}

/// 0 up to `from`, 1 from `to` on, and linear between them.
fn ramp(value: f32, from: f32, to: f32) -> f32 {
    ((value - from) / (to - from)).clamp(0.0, 1.0)
}

/// Whether a value of the second kind can be one of a field of the first.
pub(super) fn fits(field: FieldKind, found: FieldKind) -> bool {
    use FieldKind::{Money, Number, Quantity};
    field == found
        || matches!((field, found), (Money | Number | Quantity, Money | Number | Quantity))
}
