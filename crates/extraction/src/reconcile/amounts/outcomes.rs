//! The chosen combination as the outcomes of its fields.

use domain::FieldSource;
use rust_decimal::Decimal;

use super::parts::Part;
use super::{Base, Combination};
use crate::parsed::{Candidate, ParsedField};
use crate::reconcile::Outcome;

/// The share of the combinations with some property, each weighted by its score.
pub(super) fn share(
    combinations: &[Combination<'_>],
    best: &Combination<'_>,
    same: &dyn Fn(&Combination<'_>) -> bool,
) -> f64 {
    let weight = |combination: &Combination<'_>| (combination.score - best.score).exp();
    let total: f64 = combinations.iter().map(weight).sum();
    combinations.iter().filter(|combination| same(combination)).map(weight).sum::<f64>() / total
}

pub(super) fn part_sum(combination: &Combination<'_>, field: usize) -> Decimal {
    combination.parts.iter().filter(|part| part.field == field).map(|part| part.value).sum()
}

pub(super) fn base_outcome(bases: &ParsedField, best: &Combination<'_>) -> Outcome {
    let derived = |value: Decimal, from: Option<&Candidate>| Candidate {
        value: value.to_string(),
        raw: from.map(|from| from.raw.clone()).unwrap_or_default(),
        page: from.and_then(|from| from.page),
        area: from.and_then(|from| from.area),
        source: derived_source(from.into_iter()),
        score: from.map_or(0.0, |from| from.score),
        currency: None,
    };
    match best.base {
        Base::Candidate(index) => Outcome::of(bases, Some(index)),
        Base::Converted(index, value) => Outcome {
            chosen: Some(derived(value, bases.candidates.get(index))),
            ..Outcome::of(bases, None)
        },
        Base::Derived(value) => {
            Outcome { chosen: Some(derived(value, None)), ..Outcome::of(bases, None) }
        }
    }
}

pub(super) fn additive_outcome(field: &ParsedField, best: &Combination<'_>, at: usize) -> Outcome {
    let parts: Vec<&Part<'_>> = best.parts.iter().filter(|part| part.field == at).collect();
    let chosen =
        combined(&parts.iter().map(|part| (part.candidate, part.value)).collect::<Vec<_>>());
    let is_part = |candidate: &&Candidate| {
        !parts.iter().any(|part| {
            part.candidate.area == candidate.area && part.candidate.raw == candidate.raw
        })
    };
    let others = field.candidates.iter().filter(is_part).take(5).cloned().collect();
    Outcome { chosen: Some(chosen), probability: 0.0, others }
}

/// The source of a value that follows from others. What follows from a choice of a language model is one too.
fn derived_source<'c>(mut from: impl Iterator<Item = &'c Candidate>) -> FieldSource {
    if from.any(|candidate| candidate.source == FieldSource::LanguageModel) {
        FieldSource::LanguageModel
    } else {
        FieldSource::Derived
    }
}

/// The sum of amounts as one candidate. The sum of none is zero.
fn combined(parts: &[(&Candidate, Decimal)]) -> Candidate {
    let value: Decimal = parts.iter().map(|(_, value)| *value).sum();
    let raw: Vec<&str> = parts.iter().map(|(candidate, _)| candidate.raw.as_str()).collect();
    let page = parts.first().and_then(|(candidate, _)| candidate.page);
    let areas = parts.iter().filter(|(c, _)| c.page == page).filter_map(|(c, _)| c.area);
    let score = parts.iter().map(|(candidate, _)| candidate.score).fold(f32::MAX, f32::min);
    let source = match parts {
        [(candidate, value)] if candidate.value.parse() == Ok(*value) => candidate.source,
        parts => derived_source(parts.iter().map(|(candidate, _)| *candidate)),
    };
    Candidate {
        value: value.to_string(),
        raw: raw.join(" + "),
        page,
        area: areas.reduce(|all, area| all.around(&area)),
        source,
        score: if parts.is_empty() { 0.0 } else { score },
        currency: parts.first().and_then(|(candidate, _)| candidate.currency.clone()),
    }
}

/// The sum of the candidates that are more likely a term than not.
pub(super) fn sum_of_likely(field: &ParsedField) -> Outcome {
    let likely: Vec<(&Candidate, Decimal)> = field
        .candidates
        .iter()
        .filter(|candidate| candidate.score > 0.0)
        .filter_map(|candidate| candidate.value.parse().ok().map(|value| (candidate, value)))
        .collect();
    let others = field.candidates.iter().filter(|c| c.score <= 0.0).take(5).cloned().collect();
    if likely.is_empty() {
        return Outcome { chosen: None, probability: 0.0, others };
    }
    Outcome { chosen: Some(combined(&likely)), probability: 0.5, others }
}
