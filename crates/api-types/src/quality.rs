//! The quality of extraction.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Which fields to measure.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct QualityQuery {
    /// Inclusive. Without it, 90 days before `to`.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Exclusive. Without it, now.
    #[serde(default)]
    pub to: Option<DateTime<Utc>>,
    /// Only this document type.
    #[serde(default, rename = "type")]
    #[param(max_length = 64, example = "invoice")]
    pub document_type: Option<String>,
    /// The length of `periods`.
    #[serde(default)]
    #[param(inline)]
    pub interval: QualityInterval,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum QualityInterval {
    Day,
    #[default]
    Week,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QualityView {
    pub from: DateTime<Utc>,
    pub to: DateTime<Utc>,
    pub interval: QualityInterval,
    /// By name.
    pub types: Vec<TypeQualityView>,
}

/// The quality of one document type.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TypeQualityView {
    pub document_type: String,
    /// The chosen error rate.
    pub accepted_error_rate: f64,
    /// A field is accepted from this confidence on; null when none is.
    pub threshold: Option<f64>,
    /// The bound of the expected error rate of fields from the threshold on; at most the chosen rate.
    pub error_bound: Option<f64>,
    /// The error rate of these fields is below this one with a probability of 95 %, when the errors of one issuer come
    /// together as often as in the calibration data. It can be above the chosen rate.
    pub error_upper_bound: Option<f64>,
    /// What the threshold is based on: `shipped`, `shipped_and_reviewed` or `reviewed` fields.
    #[schema(example = "shipped")]
    pub basis: String,
    /// Why no field is accepted; null when fields are accepted.
    pub shortfall: Option<String>,
    /// The kinds of fields that are not accepted, although others are.
    pub kinds_not_accepted: Vec<KindShortfallView>,
    #[serde(flatten)]
    pub measures: QualityMeasures,
    /// By name.
    pub fields: Vec<FieldQualityView>,
    /// In the order of time; periods without data are left out.
    pub periods: Vec<PeriodQualityView>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct KindShortfallView {
    #[schema(example = "money")]
    pub kind: String,
    pub reason: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FieldQualityView {
    #[schema(example = "trades[].isin")]
    pub field: String,
    /// Why the field is not accepted, although others of the type are; null when it is accepted.
    pub shortfall: Option<String>,
    #[serde(flatten)]
    pub measures: QualityMeasures,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PeriodQualityView {
    /// Midnight in UTC; of a Monday for weeks.
    pub starts_at: DateTime<Utc>,
    #[serde(flatten)]
    pub measures: QualityMeasures,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QualityMeasures {
    /// The extracted values.
    pub extracted: u32,
    pub accepted: u32,
    /// `accepted` / `extracted`; null without values.
    pub acceptance_rate: Option<f64>,
    /// The error of accepted fields that were reviewed, for any reason.
    pub error: MeasuredErrorView,
    /// The error of accepted fields of documents that were reviewed by chance: it stands for all accepted fields.
    pub sampled_error: MeasuredErrorView,
}

/// A measured error rate.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MeasuredErrorView {
    pub reviewed: u32,
    pub wrong: u32,
    /// Null without reviewed fields. The same holds for the interval.
    pub rate: Option<f64>,
    /// The ends of the 95 % confidence interval (Clopper–Pearson).
    pub low: Option<f64>,
    pub high: Option<f64>,
}
