//! How often fields of a confidence were wrong, in steps of the confidence.

use std::collections::BTreeMap;

use domain::FieldKind;
use serde::{Deserialize, Serialize};

/// The thresholds that a confidence can have to reach, from strict to lenient. They are fixed, so that choosing among
/// them can be corrected for, and so that counts of different sources can be added.
pub const STEPS: [f64; 21] = [
    0.9995, 0.999, 0.9985, 0.998, 0.997, 0.996, 0.994, 0.992, 0.99, 0.985, 0.98, 0.97, 0.96, 0.94,
    0.92, 0.9, 0.85, 0.8, 0.7, 0.6, 0.5,
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

/// The evidence of one document type.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TypeEvidence {
    /// By how much the errors of one document (or issuer) belong together: the variance of the error rate divided by
    /// that of independent fields. Counts are divided by it before they are tested.
    pub design_effect: f64,
    /// For each kind of field the counts by step, the last for confidences below all steps.
    pub kinds: BTreeMap<String, Vec<Counts>>,
}

impl Default for TypeEvidence {
    fn default() -> Self {
        Self { design_effect: Self::ASSUMED_DESIGN_EFFECT, kinds: BTreeMap::new() }
    }
}

impl TypeEvidence {
    /// For data whose design effect nobody has measured: twice as many fields are needed as if they were independent.
    pub const ASSUMED_DESIGN_EFFECT: f64 = 2.0;

    pub fn add(&mut self, kind: FieldKind, confidence: f64, is_correct: bool) {
        let counts = Counts { total: 1, wrong: u32::from(!is_correct) };
        self.add_counts(kind, step_of(confidence), counts);
    }

    pub fn add_counts(&mut self, kind: FieldKind, step: usize, counts: Counts) {
        let steps = self.kinds.entry(kind.as_str().to_owned()).or_default();
        steps.resize(STEPS.len() + 1, Counts::default());
        steps[step.min(STEPS.len())].add(counts);
    }

    /// The fields at or above each step.
    pub fn at_or_above(&self) -> [Counts; STEPS.len()] {
        let mut sums = [Counts::default(); STEPS.len()];
        for counts in self.kinds.values() {
            let mut sum = Counts::default();
            for (to, step) in sums.iter_mut().zip(counts) {
                sum.add(*step);
                to.add(sum);
            }
        }
        sums
    }

    /// All fields of a kind.
    pub fn of_kind(&self, kind: FieldKind) -> Counts {
        let mut sum = Counts::default();
        for counts in self.kinds.get(kind.as_str()).into_iter().flatten() {
            sum.add(*counts);
        }
        sum
    }

    pub fn total(&self) -> Counts {
        let mut sum = Counts::default();
        for counts in self.kinds.values().flatten() {
            sum.add(*counts);
        }
        sum
    }

    /// Both together, with the larger design effect.
    #[must_use]
    pub fn merged(&self, other: &Self) -> Self {
        let mut merged = self.clone();
        merged.design_effect = merged.design_effect.max(other.design_effect);
        for (kind, steps) in &other.kinds {
            let to = merged.kinds.entry(kind.clone()).or_default();
            to.resize(STEPS.len() + 1, Counts::default());
            for (to, counts) in to.iter_mut().zip(steps) {
                to.add(*counts);
            }
        }
        merged
    }
}

/// Evidence by name of the document type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Evidence {
    pub types: BTreeMap<String, TypeEvidence>,
}

#[cfg(test)]
mod tests {
    use super::*;

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
    fn counts_add_up_over_kinds_and_sources() {
        let mut first = TypeEvidence { design_effect: 1.0, ..TypeEvidence::default() };
        first.add(FieldKind::Date, 0.9999, true);
        first.add(FieldKind::Date, 0.9, false);
        first.add(FieldKind::Money, 0.1, false);
        let mut second = TypeEvidence { design_effect: 1.5, ..TypeEvidence::default() };
        second.add(FieldKind::Isin, 0.995, true);
        let both = first.merged(&second);
        let above = both.at_or_above();
        assert_eq!(above[0], Counts { total: 1, wrong: 0 });
        assert_eq!(above[step_of(0.995)], Counts { total: 2, wrong: 0 });
        assert_eq!(above[STEPS.len() - 1], Counts { total: 3, wrong: 1 });
        assert_eq!(both.total(), Counts { total: 4, wrong: 2 });
        assert_eq!(both.of_kind(FieldKind::Date), Counts { total: 2, wrong: 1 });
        assert!((both.design_effect - 1.5).abs() < f64::EPSILON);
    }
}
