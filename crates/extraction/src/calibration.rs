//! Confidence as a calibrated probability, and the calibration data.
//!
//! A [`Calibration`] has two parts. Its *models* turn what reconciliation knows about a value (score, alternatives, checks,
//! the other fields, source) into the probability that the value is correct. Its *data* is how often fields
//! with such a probability were correct: counts of the shipped calibration data, and of the fields that the tenant's
//! reviewers confirmed or corrected. [`acceptance`](crate::acceptance) tests the calibration data, and never the models.

mod data;
mod features;
pub mod fit;

use std::collections::BTreeMap;
use std::sync::LazyLock;

use domain::{Extraction, Field, FieldGroup, FieldKind};
use serde::{Deserialize, Serialize};
use thiserror::Error;

pub use data::{CalibrationData, Counts, FieldData, KnownField, STEPS, TypeData, step_of};
pub use features::{FEATURES, Features};

use crate::types::DocumentType;

/// The calibration that Docket ships with.
const BUILTIN: &str = include_str!("../calibration/builtin.json");

/// Confidences stay inside of this distance from 0 and 1: nothing supports certainty.
const MARGIN: f64 = 1e-4;

/// How the shipped calibration was made.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Provenance {
    /// The command that made it.
    pub made_by: String,
    /// The data that it was made from.
    pub data: String,
    pub method: String,
    pub documents: u32,
    pub fields: u32,
}

/// A logistic model of the probability that a value is correct.
///
/// The log-odds are `intercept + weights · features + kinds[kind] + fields[field]`. The terms of kinds and fields were
/// fitted with a penalty, so that a field with few examples stays near its kind, and a kind near the type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Model {
    pub intercept: f64,
    /// In the order of [`FEATURES`].
    pub weights: Vec<f64>,
    #[serde(default)]
    pub kinds: BTreeMap<String, f64>,
    #[serde(default)]
    pub fields: BTreeMap<String, f64>,
}

/// The models, the calibration data, and where both come from.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Calibration {
    pub version: u32,
    #[serde(default)]
    pub provenance: Provenance,
    /// By name of the document type. The empty name is the model of all types together, for types without their own.
    #[serde(default)]
    pub models: BTreeMap<String, Model>,
    /// Of the shipped calibration data.
    #[serde(default)]
    pub shipped: CalibrationData,
    /// Of the fields that the tenant's reviewers checked; never shipped.
    #[serde(skip)]
    pub reviewed: CalibrationData,
}

#[derive(Debug, Error)]
pub enum UnreadableCalibration {
    #[error("the calibration cannot be read: {0}")]
    Malformed(#[from] serde_json::Error),
    #[error(
        "the calibration has version {found}; this Docket reads version {}",
        Calibration::VERSION
    )]
    OtherVersion { found: u32 },
    #[error("the model of '{name}' has {found} weights instead of {}", FEATURES.len())]
    OtherFeatures { name: String, found: usize },
}

static SHIPPED: LazyLock<Calibration> =
    LazyLock::new(|| Calibration::read(BUILTIN).unwrap_or_default());

impl Calibration {
    pub const VERSION: u32 = 2;

    /// The calibration that Docket ships with.
    pub fn builtin() -> &'static Self {
        &SHIPPED
    }

    pub fn read(json: &str) -> Result<Self, UnreadableCalibration> {
        let read: Self = serde_json::from_str(json)?;
        if read.version != Self::VERSION {
            return Err(UnreadableCalibration::OtherVersion { found: read.version });
        }
        for (name, model) in &read.models {
            if model.weights.len() != FEATURES.len() {
                let found = model.weights.len();
                return Err(UnreadableCalibration::OtherFeatures { name: name.clone(), found });
            }
        }
        Ok(read)
    }

    /// This calibration with what the tenant's reviewers found.
    #[must_use]
    pub fn with_reviewed(mut self, reviewed: CalibrationData) -> Self {
        self.reviewed = reviewed;
        self
    }

    /// The probability that the value of a field is correct. `name` has no index: `seller.name`, `trades[].isin`.
    pub fn confidence(
        &self,
        document_type: &str,
        name: &str,
        kind: FieldKind,
        features: &Features,
    ) -> f64 {
        let model = self.models.get(document_type).or_else(|| self.models.get(""));
        let log_odds = match model {
            Some(model) => model.log_odds(name, kind, features),
            // Without any model, the score is all that there is.
            None => features.score(),
        };
        logistic(log_odds).clamp(MARGIN, 1.0 - MARGIN)
    }
}

impl Model {
    pub fn log_odds(&self, name: &str, kind: FieldKind, features: &Features) -> f64 {
        let weighted =
            self.weights.iter().zip(features.values()).map(|(weight, value)| weight * value);
        let of = |terms: &BTreeMap<String, f64>, key: &str| terms.get(key).copied().unwrap_or(0.0);
        self.intercept
            + weighted.sum::<f64>()
            + of(&self.kinds, kind.as_str())
            + of(&self.fields, name)
    }
}

/// A field of an extraction with what its document type says about it.
#[derive(Debug)]
pub struct ScoredField<'a> {
    /// As the document type writes it: `seller.name`, `trades[].isin`.
    pub name: &'a str,
    /// Its place in the extraction: `seller.name`, `trades.0.isin`.
    pub path: String,
    pub kind: FieldKind,
    pub field: &'a Field,
    pub features: Features,
}

/// The fields with a value, and their features. The fields must be as [`reconcile`](crate) left them: their confidence is
/// the uncalibrated probability of the score.
pub fn scored_fields<'a>(
    document_type: &'a DocumentType,
    extraction: &'a Extraction,
) -> impl Iterator<Item = ScoredField<'a>> {
    let groups = [("trades", &extraction.trades), ("lines", &extraction.lines)];
    document_type.fields.iter().flat_map(move |spec| {
        let group = groups.iter().find_map(|(group, items)| {
            let name = spec.name.strip_prefix(group)?.strip_prefix("[].")?;
            Some((*group, name, items.as_slice()))
        });
        let found: Vec<(String, &FieldGroup, &Field)> = match group {
            Some((group, name, items)) => items
                .iter()
                .enumerate()
                .filter_map(|(at, item)| {
                    Some((format!("{group}.{at}.{name}"), item, item.get(name)?))
                })
                .collect(),
            None => extraction
                .fields
                .get(&spec.name)
                .map(|field| (spec.name.clone(), &extraction.fields, field))
                .into_iter()
                .collect(),
        };
        let found = found.into_iter().filter(|(.., field)| field.value.is_some());
        found.map(move |(path, group, field)| {
            let features = Features::of(spec.kind, field, group, extraction);
            ScoredField { name: &spec.name, path, kind: spec.kind, field, features }
        })
    })
}

pub(crate) fn logistic(log_odds: f64) -> f64 {
    1.0 / (1.0 + (-log_odds).exp())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn nothing_known() -> Features {
        let (group, extraction) = (FieldGroup::new(), Extraction::default());
        Features::of(FieldKind::Date, &Field::missing(), &group, &extraction)
    }

    #[test]
    fn the_shipped_calibration_can_be_read_and_says_where_it_comes_from() {
        let shipped = Calibration::read(BUILTIN).unwrap();
        assert_eq!(&shipped, Calibration::builtin());
        assert!(shipped.provenance.made_by.contains("bench-extraction calibrate"));
    }

    #[test]
    fn another_version_or_other_features_are_refused() {
        let refused = Calibration::read(r#"{"version": 9}"#).unwrap_err().to_string();
        assert!(refused.contains("version 9"), "{refused}");
        let few = r#"{"version": 2, "models": {"a": {"intercept": 0, "weights": [1.0]}}}"#;
        let refused = Calibration::read(few).unwrap_err().to_string();
        assert!(refused.contains("has 1 weights instead of"), "{refused}");
    }

    #[test]
    fn a_field_adds_its_own_term_to_that_of_its_kind() {
        let model = Model {
            intercept: 1.0,
            weights: vec![0.0; FEATURES.len()],
            kinds: [("money".to_owned(), -0.5)].into(),
            fields: [("fees".to_owned(), -1.0)].into(),
        };
        let features = nothing_known();
        let log_odds = |name, kind| model.log_odds(name, kind, &features);
        assert!((log_odds("fees", FieldKind::Money) - -0.5).abs() < 1e-12);
        assert!((log_odds("net_amount", FieldKind::Money) - 0.5).abs() < 1e-12);
        assert!((log_odds("date", FieldKind::Date) - 1.0).abs() < 1e-12);
    }

    #[test]
    fn a_type_without_a_model_uses_the_model_of_all_types() {
        let model =
            Model { intercept: 2.0, weights: vec![0.0; FEATURES.len()], ..Model::default() };
        let calibration =
            Calibration { models: [(String::new(), model)].into(), ..Calibration::default() };
        let features = nothing_known();
        let confidence = calibration.confidence("own_type", "date", FieldKind::Date, &features);
        assert!((confidence - logistic(2.0)).abs() < 1e-12);
    }
}
