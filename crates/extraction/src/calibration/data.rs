//! How often fields of a confidence were wrong, in steps of the confidence.

use std::collections::BTreeMap;

use domain::FieldKind;
use serde::{Deserialize, Serialize};

/// The thresholds that a confidence can have to reach, from strict to lenient. They are fixed, so that counts of
/// different sources can be added.
pub const STEPS: [f64; 40] = [
    0.9995, 0.999, 0.998, 0.997, 0.996, 0.995, 0.994, 0.993, 0.992, 0.991, 0.99, 0.9875, 0.985,
    0.9825, 0.98, 0.9775, 0.975, 0.9725, 0.97, 0.965, 0.96, 0.955, 0.95, 0.945, 0.94, 0.935, 0.93,
    0.92, 0.91, 0.9, 0.88, 0.86, 0.84, 0.82, 0.8, 0.75, 0.7, 0.65, 0.6, 0.5,
];

/// The first step that a confidence reaches; `STEPS.len()` below all of them.
pub fn step_of(confidence: f64) -> usize {
    STEPS.iter().position(|step| confidence >= *step).unwrap_or(STEPS.len())
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "[u32; 2]", into = "[u32; 2]")]
pub struct Counts {
    pub total: u32,
    pub wrong: u32,
}

impl From<[u32; 2]> for Counts {
    fn from([total, wrong]: [u32; 2]) -> Self {
        Self { total, wrong }
    }
}

impl From<Counts> for [u32; 2] {
    fn from(counts: Counts) -> Self {
        [counts.total, counts.wrong]
    }
}

impl Counts {
    pub fn add(&mut self, other: Self) {
        self.total += other.total;
        self.wrong += other.wrong;
    }
}

/// The calibration data of one field.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldData {
    pub kind: FieldKind,
    /// By step, the last for confidences below all steps.
    pub counts: Vec<Counts>,
}

impl FieldData {
    fn new(kind: FieldKind) -> Self {
        Self { kind, counts: vec![Counts::default(); STEPS.len() + 1] }
    }
}

/// The calibration data of one document type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypeData {
    /// By how much the errors of one issuer belong together: the variance of the error rate divided by that of
    /// independent fields. Counts are divided by it for the upper bound.
    pub design_effect: f64,
    /// How many documents the fields are of.
    pub documents: u32,
    /// For each step the most wrong fields that one document has at or above it.
    pub together: Vec<u32>,
    /// By name, as the document type writes it: `trades[].isin`.
    pub fields: BTreeMap<String, FieldData>,
}

impl Default for TypeData {
    fn default() -> Self {
        Self {
            design_effect: Self::ASSUMED_DESIGN_EFFECT,
            documents: 0,
            together: Vec::new(),
            fields: BTreeMap::new(),
        }
    }
}

/// A field of a document whose outcome is known.
#[derive(Clone, Copy, Debug)]
pub struct KnownField<'a> {
    pub name: &'a str,
    pub kind: FieldKind,
    pub confidence: f64,
    pub is_correct: bool,
}

impl TypeData {
    /// For data whose design effect nobody has measured.
    pub const ASSUMED_DESIGN_EFFECT: f64 = 2.0;

    /// Counts the fields of one document.
    pub fn add_document(&mut self, fields: &[KnownField<'_>]) {
        let mut wrong = [0; STEPS.len() + 1];
        for field in fields {
            let step = step_of(field.confidence);
            let counts = Counts { total: 1, wrong: u32::from(!field.is_correct) };
            self.add_counts(field.name, field.kind, step, counts);
            wrong[step] += counts.wrong;
        }
        self.add_wrong_of_document(&wrong);
    }

    /// Counts fields without their document: [`TypeData::add_wrong_of_document`] adds it.
    pub fn add_counts(&mut self, name: &str, kind: FieldKind, step: usize, counts: Counts) {
        let field = self.fields.entry(name.to_owned()).or_insert_with(|| FieldData::new(kind));
        if let Some(of_step) = field.counts.get_mut(step.min(STEPS.len())) {
            of_step.add(counts);
        }
    }

    /// Counts a document, with its wrong fields by step.
    pub fn add_wrong_of_document(&mut self, wrong: &[u32]) {
        self.documents += 1;
        self.together.resize(STEPS.len(), 0);
        let mut sum = 0;
        for (most, wrong) in self.together.iter_mut().zip(wrong) {
            sum += wrong;
            *most = sum.max(*most);
        }
    }

    /// The fields at or above each step.
    pub fn at_or_above(&self) -> [Counts; STEPS.len()] {
        self.sums(|_, _| true)
    }

    /// The fields of a kind at or above each step.
    pub fn of_kind(&self, kind: FieldKind) -> [Counts; STEPS.len()] {
        self.sums(|_, field| field.kind == kind)
    }

    /// One field at or above each step.
    pub fn of_field(&self, name: &str) -> [Counts; STEPS.len()] {
        self.sums(|found, _| found == name)
    }

    fn sums(&self, is_counted: impl Fn(&str, &FieldData) -> bool) -> [Counts; STEPS.len()] {
        let mut sums = [Counts::default(); STEPS.len()];
        for (_, field) in self.fields.iter().filter(|(name, field)| is_counted(name, field)) {
            let mut sum = Counts::default();
            for (to, step) in sums.iter_mut().zip(&field.counts) {
                sum.add(*step);
                to.add(sum);
            }
        }
        sums
    }

    /// All fields of a kind, at any confidence.
    pub fn total_of_kind(&self, kind: FieldKind) -> u32 {
        let of_kind = self.fields.values().filter(|field| field.kind == kind);
        of_kind.flat_map(|field| &field.counts).map(|counts| counts.total).sum()
    }

    pub fn total(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in self.fields.values().flat_map(|field| &field.counts) {
            sum.add(*counts);
        }
        sum
    }

    /// Both together, with the larger design effect.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let mut merged = self.clone();
        merged.design_effect = merged.design_effect.max(other.design_effect);
        merged.documents += other.documents;
        for (name, field) in &other.fields {
            for (step, counts) in field.counts.iter().enumerate() {
                merged.add_counts(name, field.kind, step, *counts);
            }
        }
        merged.together.resize(STEPS.len(), 0);
        for (most, of_other) in merged.together.iter_mut().zip(&other.together) {
            *most = (*most).max(*of_other);
        }
        merged
    }
}

/// Calibration data by name of the document type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct CalibrationData {
    pub types: BTreeMap<String, TypeData>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known(name: &str, kind: FieldKind, confidence: f64, is_correct: bool) -> KnownField<'_> {
        KnownField { name, kind, confidence, is_correct }
    }

    #[test]
    fn a_confidence_counts_at_the_first_step_that_it_reaches() {
        assert!(STEPS.is_sorted_by(|a, b| a > b));
        assert_eq!(step_of(0.999_9), 0);
        assert_eq!(step_of(0.999), 1);
        assert_eq!(step_of(0.5), STEPS.len() - 1);
        assert_eq!(step_of(0.1), STEPS.len());
        assert_eq!(step_of(f64::NAN), STEPS.len());
    }

    #[test]
    fn counts_add_up_over_fields_and_sources() {
        let mut first = TypeData { design_effect: 1.0, ..TypeData::default() };
        first.add_document(&[
            known("issued", FieldKind::Date, 0.9999, true),
            known("due", FieldKind::Date, 0.9, false),
            known("total", FieldKind::Money, 0.1, false),
        ]);
        let mut second = TypeData { design_effect: 1.5, ..TypeData::default() };
        second.add_document(&[known("isin", FieldKind::Isin, 0.995, true)]);
        let both = first.merged(&second);
        let above = both.at_or_above();
        assert_eq!(above[0], Counts { total: 1, wrong: 0 });
        assert_eq!(above[step_of(0.995)], Counts { total: 2, wrong: 0 });
        assert_eq!(above[STEPS.len() - 1], Counts { total: 3, wrong: 1 });
        assert_eq!(both.total(), Counts { total: 4, wrong: 2 });
        assert_eq!(both.of_kind(FieldKind::Date)[step_of(0.9)], Counts { total: 2, wrong: 1 });
        assert_eq!(both.of_field("due")[step_of(0.9)], Counts { total: 1, wrong: 1 });
        assert_eq!(both.total_of_kind(FieldKind::Money), 1);
        assert_eq!(both.documents, 2);
        assert!((both.design_effect - 1.5).abs() < f64::EPSILON);
    }

    #[test]
    fn wrong_fields_of_one_document_are_counted_together() {
        let mut data = TypeData::default();
        let wrong = |confidence| known("total", FieldKind::Money, confidence, false);
        data.add_document(&[wrong(0.995), wrong(0.9), wrong(0.9)]);
        data.add_document(&[wrong(0.995), wrong(0.995)]);
        let at = |data: &TypeData, confidence| data.together[step_of(confidence)];
        assert_eq!(at(&data, 0.999), 0);
        assert_eq!(at(&data, 0.995), 2, "the second document");
        assert_eq!(at(&data, 0.9), 3, "the first one");
        let mut other = TypeData::default();
        other.add_document(&[wrong(0.9995)]);
        assert_eq!(at(&data.merged(&other), 0.999), 1, "the larger of both");
        assert_eq!(at(&data.merged(&other), 0.9), 3);
    }
}
