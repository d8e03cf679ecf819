//! Comparing the values of a new document with what earlier ones taught.

use std::collections::BTreeSet;

use domain::FieldKind;

use super::context::{Context, hashes};
use super::places::choices;
use super::tokens::Token;
use super::tuning::Tuning;
use super::{FieldMemory, Fingerprint, KnownPlace, MemoryEntry, Rule};
use crate::scan::Scan;
use crate::scoring::Mention;
use crate::types::{DocumentType, FieldSpec};

/// From this similarity on, both documents are of one issuer and form.
const SAME_FORM: f32 = 0.5;
/// Weaker matches are no statement of the memory.
pub(super) const MIN_STRENGTH: f32 = 0.3;
/// The most entries that a document is compared with: the work for a page stays bounded.
const MAX_ENTRIES: usize = 4;

/// What a document is recognised by.
#[derive(Clone, Debug, Default)]
pub struct Layout {
    pub fingerprint: Fingerprint,
    /// The words of its rows.
    vocabulary: BTreeSet<Token>,
}

impl Layout {
    pub fn of(scan: &Scan) -> Self {
        let vocabulary = scan.rows.iter().flat_map(|row| hashes(&row.words)).collect();
        Self { fingerprint: scan.fingerprint.clone(), vocabulary }
    }
}

/// The entries that apply to a document, with their weights.
#[derive(Debug, Default)]
pub struct Recall<'a> {
    known: Vec<Known<'a>>,
    /// The words of the document.
    vocabulary: BTreeSet<Token>,
    tuning: Tuning,
}

/// An entry as it applies to one document.
#[derive(Clone, Debug)]
struct Known<'a> {
    entry: &'a MemoryEntry,
    /// From 0 to 1: how similar both layouts are.
    weight: f32,
    /// Its places, with the words that both documents have.
    contexts: Vec<Context>,
    vocabulary: BTreeSet<Token>,
    /// Whether the document is known to have another form than the one of the entry.
    is_other_form: bool,
}

/// How similar a value's surroundings are to each place of each entry.
#[derive(Clone, Debug, Default)]
pub struct Compared(Vec<Vec<Similarity>>);

#[derive(Clone, Copy, Debug, Default)]
struct Similarity {
    place: f32,
    /// As a term of a sum.
    term: f32,
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
    pub fn new(entries: &'a [MemoryEntry], layout: &Layout, document_type: &str) -> Self {
        Self::with_tuning(entries, layout, document_type, Tuning::default())
    }

    pub fn with_tuning(
        entries: &'a [MemoryEntry],
        layout: &Layout,
        document_type: &str,
        tuning: Tuning,
    ) -> Self {
        let mut similar: Vec<(&MemoryEntry, f32)> = entries
            .iter()
            .filter(|entry| entry.document_type == document_type)
            .map(|entry| (entry, entry.fingerprint.similarity(&layout.fingerprint)))
            .filter(|(_, similarity)| *similarity > tuning.min_layout)
            .collect();
        similar.sort_by(|a, b| b.1.total_cmp(&a.1));
        similar.truncate(MAX_ENTRIES);
        let known = similar.into_iter().map(|(entry, similarity)| Known {
            entry,
            weight: ramp(similarity, tuning.min_layout, tuning.same_issuer),
            contexts: entry
                .places
                .iter()
                .map(|place| place.context.common(&layout.vocabulary))
                .collect(),
            vocabulary: entry.places.iter().flat_map(|place| place.context.words()).collect(),
            is_other_form: false,
        });
        Self { known: known.collect(), vocabulary: layout.vocabulary.clone(), tuning }
    }

    /// The memory for a document of one form: a choice has one of these values. Entries with other values count less.
    #[must_use]
    pub fn of_form(&self, field: &str, values: &[&str]) -> Self {
        let mut known = self.known.clone();
        for known in &mut known {
            let mut choices = known.entry.fields.iter().filter(|memory| memory.field == field);
            known.is_other_form = choices.any(|memory| {
                let same = |choice: &String| values.contains(&choice.as_str());
                !memory.choices.is_empty() && !memory.choices.iter().any(same)
            });
        }
        Self { known, vocabulary: self.vocabulary.clone(), tuning: self.tuning }
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
        self.known.is_empty()
    }

    /// Compares a typed value with every place of the memory. All fields share the comparison.
    pub fn compare(&self, mention: &Mention) -> Compared {
        if self.is_empty() {
            return Compared::default();
        }
        self.compare_context(mention.found.kind, &Context::of(mention))
    }

    pub(super) fn compare_context(&self, kind: FieldKind, context: &Context) -> Compared {
        let anchors = &self.tuning.anchors;
        let of_entry = |known: &Known<'_>| {
            let found = context.common(&known.vocabulary);
            let places = known.entry.places.iter().zip(&known.contexts);
            let similarity = |(place, stored): (&KnownPlace, &Context)| {
                if !fits(place.kind, kind) {
                    return Similarity::default();
                }
                let term = if place.kind == FieldKind::Money {
                    stored.term_similarity(&found, anchors)
                } else {
                    0.0
                };
                Similarity { place: stored.similarity(&found, anchors), term }
            };
            places.map(similarity).collect()
        };
        Compared(self.known.iter().map(of_entry).collect())
    }

    /// What the memory says about a value as a candidate of a field.
    pub fn support(&self, spec: &FieldSpec, compared: &Compared) -> Support {
        let known = if spec.additive { self.knows(spec) } else { 0.0 };
        let (strength, against) = self.strengths(&spec.name, spec.kind, compared);
        let missing = if spec.additive {
            self.tuning.missing_term * (known - strength).max(0.0)
        } else {
            0.0
        };
        let penalty = if spec.additive { self.tuning.term_penalty } else { self.tuning.penalty };
        let lowered = (penalty * against).max(missing);
        Support {
            log_odds: self.tuning.boost * strength - lowered,
            is_match: strength >= MIN_STRENGTH,
        }
    }

    /// The values of a choice that the memory supports, by the places of the words that express them.
    pub fn choices(
        &self,
        field: &str,
        scan: &Scan,
        document_type: &DocumentType,
    ) -> Vec<(String, Support)> {
        if !self.knows_field(field) {
            return Vec::new();
        }
        let mut values: Vec<(String, f32)> = Vec::new();
        for place in choices(scan, document_type) {
            let compared = self.compare_context(place.kind, &place.context);
            let (strength, _) = self.strengths(field, FieldKind::Choice, &compared);
            match values.iter_mut().find(|(value, _)| *value == place.value) {
                Some((_, known)) => *known = known.max(strength),
                None => values.push((place.value, strength)),
            }
        }
        let support = |strength: f32| Support {
            log_odds: self.tuning.boost * strength,
            is_match: strength >= MIN_STRENGTH,
        };
        values.into_iter().map(|(value, strength)| (value, support(strength))).collect()
    }

    pub(super) fn knows_field(&self, field: &str) -> bool {
        let mut fields = self.known.iter().flat_map(|known| &known.entry.fields);
        fields.any(|memory| memory.field == field)
    }

    pub(super) fn boost(&self) -> f32 {
        self.tuning.boost
    }

    /// The words of the document.
    pub(super) fn vocabulary(&self) -> &BTreeSet<Token> {
        &self.vocabulary
    }

    /// What the entries know about a field of text, each with how much it counts.
    pub(super) fn text_memories(&self, field: &str) -> impl Iterator<Item = (&FieldMemory, f32)> {
        self.known.iter().flat_map(move |known| {
            let memories = known.entry.fields.iter().filter(move |memory| memory.field == field);
            memories.map(|memory| (memory, self.weight(known, memory, memory.kind)))
        })
    }

    /// From 0 to 1: how much the memory counts that knows terms of a field, whatever it says about it.
    fn knows(&self, spec: &FieldSpec) -> f32 {
        let weights = self.known.iter().flat_map(|known| {
            let memories = known.entry.fields.iter().filter(|memory| memory.field == spec.name);
            // A document without fees does not say that later ones have none.
            let memories = memories.filter(|memory| !memory.rules.is_empty());
            memories.map(move |memory| self.weight(known, memory, spec.kind))
        });
        weights.fold(0.0, f32::max)
    }

    /// From 0 to 1: how strongly the memory says that the value is the one of a field, and that it is not.
    pub(super) fn strengths(
        &self,
        field: &str,
        kind: FieldKind,
        compared: &Compared,
    ) -> (f32, f32) {
        let (mut strength, mut against) = (0.0_f32, 0.0_f32);
        for (known, similarities) in self.known.iter().zip(&compared.0) {
            for memory in known.entry.fields.iter().filter(|memory| memory.field == field) {
                let weight = self.weight(known, memory, kind);
                let (is, is_not) = self.of_entry(known.entry, memory, similarities);
                strength = strength.max(weight * is);
                against = against.max(weight * is_not);
            }
        }
        (strength, against)
    }

    fn weight(&self, known: &Known<'_>, memory: &FieldMemory, kind: FieldKind) -> f32 {
        let form = match (known.is_other_form, kind) {
            (false, _) => 1.0,
            (true, FieldKind::Date) => self.tuning.other_form_date,
            (true, _) => self.tuning.other_form,
        };
        known.weight * form * memory.counts.reliability()
    }

    /// From 0 to 1: how well a value fits one of the field's places, and one of the others. Only one of both is above 0.
    fn of_entry(
        &self,
        entry: &MemoryEntry,
        memory: &FieldMemory,
        similarities: &[Similarity],
    ) -> (f32, f32) {
        let tuning = &self.tuning;
        let at = |place: usize| similarities.get(place).copied().unwrap_or_default();
        let fit = |rule: &Rule| match rule.terms.as_slice() {
            [term] => at(*term).place,
            terms => terms.iter().map(|term| at(*term).term).fold(0.0, f32::max),
        };
        let certainty = |rule: &Rule| if rule.is_likely { 1.0 } else { tuning.unlikely };
        let own = memory.rules.iter().map(fit).fold(0.0, f32::max);
        let is_other = |place: usize| {
            !memory.unknown.contains(&place)
                && !memory.rules.iter().any(|rule| rule.terms.contains(&place))
        };
        let others = (0..entry.places.len()).filter(|place| is_other(*place));
        let other = others.map(|place| at(place).place).fold(0.0, f32::max);
        let full = |similarity: f32| ramp(similarity, tuning.min_match, tuning.full_match);
        // Halfway between both the memory says little.
        let lead = |by: f32| ramp(by, -tuning.margin, tuning.margin);
        if own >= other {
            let best = memory.rules.iter().map(|rule| certainty(rule) * full(fit(rule)));
            (best.fold(0.0, f32::max) * lead(own - other), 0.0)
        } else {
            (0.0, full(other) * ramp(other - own, 0.0, tuning.margin))
        }
    }
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
