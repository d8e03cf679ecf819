//! The chosen value of a field, with what was not chosen.

use domain::{Alternative, Field, FieldSource};

use super::{FieldEvidence, status};
use crate::parsed::{Candidate, ParsedField};
use crate::types::FieldSpec;

/// The most alternatives that a field lists.
const MAX_ALTERNATIVES: usize = 5;

#[derive(Clone, Debug, Default)]
pub(crate) struct Outcome {
    pub(crate) chosen: Option<Candidate>,
    /// The probability of the choice, also of the choice of none.
    pub(crate) probability: f64,
    pub(crate) others: Vec<Candidate>,
}

impl Outcome {
    /// The best candidate, without any constraint.
    pub(crate) fn best(field: &ParsedField) -> Self {
        Self::of(field, (!field.candidates.is_empty()).then_some(0))
    }

    /// The candidate with this index, or none.
    pub(crate) fn of(field: &ParsedField, index: Option<usize>) -> Self {
        let chosen = index.and_then(|index| field.candidates.get(index)).cloned();
        let probability = match &chosen {
            Some(candidate) => probability(candidate.score),
            None => none_probability(field),
        };
        let others = field
            .candidates
            .iter()
            .enumerate()
            .filter(|(at, _)| Some(*at) != index)
            .map(|(_, other)| other.clone())
            .take(MAX_ALTERNATIVES)
            .collect();
        // A value that is less likely than its absence is not chosen.
        Self { chosen, probability, others }
    }

    pub(crate) fn evidence(&self) -> FieldEvidence {
        let score = self.chosen.as_ref().map_or(0.0, |chosen| f64::from(chosen.score));
        let source = self.chosen.as_ref().map(|chosen| chosen.source);
        FieldEvidence {
            score,
            second: self.others.iter().map(|other| f64::from(other.score)).max_by(f64::total_cmp),
            candidates: self.others.len() + usize::from(self.chosen.is_some()),
            derived: source == Some(FieldSource::Derived),
            ocr_alternative: source == Some(FieldSource::OcrAlternative),
            ..FieldEvidence::default()
        }
    }

    pub(crate) fn into_field(self, spec: Option<&FieldSpec>) -> Field {
        let alternatives = self.others.into_iter().map(|other| Alternative {
            confidence: round(probability(other.score)),
            value: other.value,
            raw: other.raw,
            page: other.page,
            area: other.area.map(|area| [area.left, area.top, area.right, area.bottom]),
            source: other.source,
        });
        let alternatives = alternatives.collect();
        let Some(chosen) = self.chosen else {
            let mut field = Field { alternatives, ..Field::missing() };
            field.status = status(None, spec);
            return field;
        };
        let value = Some(chosen.value);
        Field {
            status: status(value.as_ref(), spec),
            value,
            raw: Some(chosen.raw).filter(|raw| !raw.is_empty()),
            confidence: round(self.probability),
            page: chosen.page,
            area: chosen.area.map(|area| [area.left, area.top, area.right, area.bottom]),
            source: Some(chosen.source),
            alternatives,
            checks: Vec::new(),
        }
    }
}

pub(crate) fn probability(score: f32) -> f64 {
    1.0 / (1.0 + (-f64::from(score)).exp())
}

/// The probability that no candidate is the value.
pub(crate) fn none_probability(field: &ParsedField) -> f64 {
    let found: f64 = field.candidates.iter().map(|candidate| probability(candidate.score)).sum();
    (1.0 - found).clamp(1e-4, 1.0)
}

fn round(probability: f64) -> f64 {
    (probability.clamp(0.0, 1.0) * 1e8).round() / 1e8
}
