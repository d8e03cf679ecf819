//! What the probability of a value depends on, beside its document type, kind and field.

use std::collections::BTreeSet;

use domain::{Extraction, Field, FieldSource};

/// The features, in the order of the weights.
pub const FEATURES: [&str; 9] = [
    "score",
    "lead_over_alternative",
    "no_alternative",
    "check_passed",
    "check_failed",
    "document_check_failed",
    "ocr_alternative",
    "layout_memory",
    "other_source",
];

/// Log-odds beyond this say no more.
const MAX_LOG_ODDS: f64 = 8.0;

/// The features of one field.
#[derive(Clone, Debug, PartialEq)]
pub struct Features([f64; FEATURES.len()]);

impl Features {
    /// The field must be as reconciliation left it: its confidence is the probability of its score.
    pub fn of(field: &Field, extraction: &Extraction) -> Self {
        let score = log_odds(field.confidence);
        let rival = field
            .alternatives
            .iter()
            .filter(|alternative| field.value.as_ref() != Some(&alternative.value))
            .map(|alternative| log_odds(alternative.confidence))
            .reduce(f64::max);
        let lead = rival.map_or(0.0, |rival| (score - rival).clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS));
        let used: BTreeSet<&str> = field.checks.iter().map(String::as_str).collect();
        let ended = |passed: bool| {
            let names = &used;
            move |check: &&domain::Check| {
                check.passed == Some(passed) && names.contains(check.name.as_str())
            }
        };
        let failed = extraction.checks.iter().any(|check| ended(false)(&check));
        let passed = !failed && extraction.checks.iter().any(|check| ended(true)(&check));
        let any_failed = extraction.checks.iter().any(|check| check.passed == Some(false));
        let flag = |is_set: bool| f64::from(u8::from(is_set));
        let is_from = |source| field.source == Some(source);
        let is_other = is_from(FieldSource::Derived) || is_from(FieldSource::LanguageModel);
        Self([
            score,
            lead,
            flag(rival.is_none()),
            flag(passed),
            flag(failed),
            flag(any_failed),
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

fn log_odds(probability: f64) -> f64 {
    let inside = probability.clamp(1e-9, 1.0 - 1e-9);
    (inside / (1.0 - inside)).ln().clamp(-MAX_LOG_ODDS, MAX_LOG_ODDS)
}

#[cfg(test)]
mod tests {
    use domain::{Alternative, Check};

    use super::*;

    #[test]
    fn features_come_from_score_rivals_and_checks() {
        let alternative = |value: &str, confidence| Alternative {
            value: value.to_owned(),
            raw: value.to_owned(),
            confidence,
            page: None,
            area: None,
            source: FieldSource::Page,
        };
        let mut field = Field {
            value: Some("10.00".to_owned()),
            confidence: 0.5,
            alternatives: vec![alternative("10.00", 0.9), alternative("12.00", 0.1)],
            checks: vec!["total".to_owned()],
            source: Some(FieldSource::LayoutMemory),
            ..Field::missing()
        };
        let check =
            |name: &str, passed| Check { name: name.to_owned(), passed, detail: String::new() };
        let mut extraction = Extraction {
            checks: vec![check("total", Some(true)), check("dates", Some(false))],
            ..Extraction::default()
        };
        let features =
            |field: &Field, extraction: &Extraction| *Features::of(field, extraction).values();
        let nine_to_one = 9.0_f64.ln();
        let found = features(&field, &extraction);
        let expected = [0.0, nine_to_one, 0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 0.0];
        assert!(found.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-9), "{found:?}");
        field.alternatives.clear();
        extraction.checks = vec![check("total", Some(false))];
        let found = features(&field, &extraction);
        assert_eq!(found[1..6], [0.0, 1.0, 0.0, 1.0, 1.0]);
        extraction.checks = vec![check("total", None)];
        assert_eq!(features(&field, &extraction)[3..6], [0.0, 0.0, 0.0]);
        field.confidence = 1.0;
        assert!((features(&field, &extraction)[0] - MAX_LOG_ODDS).abs() < 1e-9);
    }
}
