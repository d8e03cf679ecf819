//! What the probability of a value depends on, beside its document type, kind and field.
//!
//! The list is short on purpose: each feature was kept because it improved the order of fields of issuers that the model
//! has not seen. `bench/README.md` names those that did not.

use std::collections::BTreeSet;

use domain::{Extraction, Field, FieldGroup, FieldKind, FieldSource};

/// The features, in the order of the weights.
pub const FEATURES: [&str; 11] = [
    "score",
    "score_of_amount",
    "no_alternative",
    "rival_of_zero",
    "repeated",
    "others_of_group",
    "check_passed",
    "check_failed",
    "ocr_alternative",
    "layout_memory",
    "other_source",
];

/// Log-odds beyond this say no more.
const MAX_LOG_ODDS: f64 = 12.0;
/// A rival of an amount of zero counts from these log-odds on, and up to their opposite.
const WEAKEST_RIVAL: f64 = -3.0;

/// The features of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Features([f64; FEATURES.len()]);

impl Features {
    /// `group` has the fields of the same trade or line, or of the header. All must be as reconciliation left them: their
    /// confidence is the probability of their score.
    pub fn of(kind: FieldKind, field: &Field, group: &FieldGroup, extraction: &Extraction) -> Self {
        let score = log_odds(field.confidence);
        let same_value = |value: &String| field.value.as_ref() == Some(value);
        let rival = field
            .alternatives
            .iter()
            .filter(|alternative| !same_value(&alternative.value))
            .map(|alternative| log_odds(alternative.confidence))
            .reduce(f64::max);
        let is_amount = kind == FieldKind::Money;
        let zero = field.value.as_ref().and_then(|value| value.parse::<f64>().ok()) == Some(0.0);
        // No fee or tax was found. An amount that is nearly one was perhaps missed.
        let rival_of_zero = rival
            .filter(|_| is_amount && zero)
            .map_or(0.0, |rival| rival.clamp(WEAKEST_RIVAL, -WEAKEST_RIVAL) - WEAKEST_RIVAL);
        let repetitions =
            field.alternatives.iter().filter(|alternative| same_value(&alternative.value)).count();
        let used: BTreeSet<&str> = field.checks.iter().map(String::as_str).collect();
        let any_check = |passed: bool| {
            let mut checks = extraction.checks.iter();
            checks.any(|check| check.passed == Some(passed) && used.contains(check.name.as_str()))
        };
        let failed = any_check(false);
        let flag = |is_set: bool| f64::from(u8::from(is_set));
        let is_from = |source| field.source == Some(source);
        let is_other = is_from(FieldSource::Derived) || is_from(FieldSource::LanguageModel);
        Self([
            score,
            if is_amount { score } else { 0.0 },
            flag(rival.is_none()),
            rival_of_zero,
            f64::from(u8::try_from(repetitions).unwrap_or(u8::MAX)).ln_1p(),
            median_of_others(field, group),
            flag(!failed && any_check(true)),
            flag(failed),
            flag(is_from(FieldSource::OcrAlternative)),
            flag(is_from(FieldSource::LayoutMemory)),
            flag(is_other),
        ])
    }

    pub fn values(&self) -> &[f64; FEATURES.len()] {
        &self.0
    }

    /// The log-odds of the uncalibrated score.
    pub fn score(&self) -> f64 {
        self.0[0]
    }
}

/// The median log-odds of the other fields with a value: whether the layout was understood. 0 without others.
fn median_of_others(field: &Field, group: &FieldGroup) -> f64 {
    let others = group.values().filter(|other| !std::ptr::eq(*other, field));
    let mut scores: Vec<f64> = others
        .filter(|other| other.value.is_some())
        .map(|other| log_odds(other.confidence))
        .collect();
    scores.sort_by(f64::total_cmp);
    scores.get(scores.len() / 2).copied().unwrap_or(0.0)
}

fn log_odds(probability: f64) -> f64 {
    let inside = probability.clamp(1e-9, 1.0 - 1e-9);
    (inside / (1.0 - inside)).ln().clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS)
}

#[cfg(test)]
mod tests {
    use domain::{Alternative, Check};

    use super::*;

    const NINE_TO_ONE: f64 = 2.197_224_577_336_22;

    fn alternative(value: &str, confidence: f64) -> Alternative {
        Alternative {
            value: value.to_owned(),
            raw: value.to_owned(),
            confidence,
            page: None,
            area: None,
            source: FieldSource::Page,
        }
    }

    fn amount(value: &str, confidence: f64, alternatives: Vec<Alternative>) -> Field {
        Field { value: Some(value.to_owned()), confidence, alternatives, ..Field::missing() }
    }

    /// The value of one feature.
    fn feature(name: &str, field: &Field, group: &FieldGroup, checks: &[(&str, bool)]) -> f64 {
        let check = |(name, passed): &(&str, bool)| Check {
            name: (*name).to_owned(),
            passed: Some(*passed),
            detail: String::new(),
        };
        let checks = checks.iter().map(check).collect();
        let extraction = Extraction { checks, ..Extraction::default() };
        let features = Features::of(FieldKind::Money, field, group, &extraction);
        features.values()[FEATURES.iter().position(|found| *found == name).unwrap()]
    }

    fn close(found: f64, expected: f64) {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    }

    #[test]
    fn the_score_counts_once_more_for_amounts() {
        let field = amount("10.00", 0.9, Vec::new());
        let of_kind =
            |kind| *Features::of(kind, &field, &FieldGroup::new(), &Extraction::default()).values();
        close(of_kind(FieldKind::Money)[0], NINE_TO_ONE);
        close(of_kind(FieldKind::Money)[1], NINE_TO_ONE);
        close(of_kind(FieldKind::Date)[1], 0.0);
        let certain = amount("10.00", 1.0, Vec::new());
        close(feature("score", &certain, &FieldGroup::new(), &[]), MAX_LOG_ODDS);
    }

    #[test]
    fn other_values_are_rivals_and_equal_values_are_repetitions() {
        let none = FieldGroup::new();
        let field =
            amount("10.00", 0.5, vec![alternative("10.00", 0.9), alternative("12.00", 0.1)]);
        close(feature("no_alternative", &field, &none, &[]), 0.0);
        close(feature("repeated", &field, &none, &[]), 2.0_f64.ln());
        close(feature("rival_of_zero", &field, &none, &[]), 0.0);
        let alone = amount("10.00", 0.5, vec![alternative("10.00", 0.9)]);
        close(feature("no_alternative", &alone, &none, &[]), 1.0);
        let zero = amount("0.00", 0.9, vec![alternative("1.23", 0.5)]);
        close(feature("rival_of_zero", &zero, &none, &[]), 3.0);
        let weak = amount("0", 0.9, vec![alternative("1.23", 0.0001)]);
        close(feature("rival_of_zero", &weak, &none, &[]), 0.0);
    }

    #[test]
    fn a_failed_check_counts_more_than_a_passed_one() {
        let none = FieldGroup::new();
        let checks = ["total", "dates"].map(str::to_owned).to_vec();
        let field = Field { checks, ..amount("10.00", 0.5, Vec::new()) };
        let both = |checks: &[(&str, bool)]| {
            ["check_passed", "check_failed"].map(|name| feature(name, &field, &none, checks) > 0.5)
        };
        assert_eq!(both(&[("total", true)]), [true, false]);
        assert_eq!(both(&[("total", true), ("dates", false)]), [false, true]);
        assert_eq!(both(&[("of another field", false)]), [false, false]);
    }

    #[test]
    fn the_other_fields_of_the_group_show_whether_the_layout_was_understood() {
        let group: FieldGroup = [("a", 0.9), ("b", 0.5), ("c", 0.1), ("d", 0.9999)]
            .into_iter()
            .map(|(name, confidence)| (name.to_owned(), amount("1", confidence, Vec::new())))
            .collect();
        // The others of d are 0.1, 0.5 and 0.9.
        close(feature("others_of_group", &group["d"], &group, &[]), 0.0);
        close(feature("others_of_group", &group["c"], &group, &[]), NINE_TO_ONE);
        close(feature("others_of_group", &group["d"], &FieldGroup::new(), &[]), 0.0);
    }
}
