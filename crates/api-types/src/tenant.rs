//! A tenant's rules, limits and usage.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{AcceptanceRules, TenantRules, TypeAcceptance};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TenantView {
    pub tenant_id: Uuid,
    pub name: String,
    /// All stages that a pipeline can contain, in order.
    #[schema(example = json!(["ingest", "preprocess", "ocr", "layout", "index"]))]
    pub stages: Vec<String>,
    pub rules: RulesView,
    pub acceptance: AcceptanceView,
    pub limits: LimitsView,
    pub usage: UsageView,
}

/// The rules that a tenant's administrators set for its documents.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesView {
    /// Regions of pages that nobody may read. A new mask takes effect on the pages and text of a document with its next run,
    /// and on access to its original at once.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub masks: Vec<MaskView>,
    /// The stages of the pipeline, unless a batch sets its own; empty for the default.
    #[serde(default)]
    pub pipeline: Vec<String>,
}

/// The error rate that the tenant accepts without review. What is absent has its default.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct AcceptanceView {
    /// The share of wrong values among accepted fields: 0.02 for 2 %, the default. 0 sends every field to review.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 0.5, example = 0.02)]
    pub accepted_error_rate: Option<f64>,
    /// The share of accepted documents that is sent to review anyway, by chance: 0.02 for 2 %, the default.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 1, example = 0.02)]
    pub review_share: Option<f64>,
    /// What differs for a document type, by its name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    #[schema(example = json!({"invoice": {"accepted_error_rate": 0.01}}))]
    pub types: BTreeMap<String, TypeAcceptanceView>,
}

#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct TypeAcceptanceView {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 0, maximum = 0.5)]
    pub accepted_error_rate: Option<f64>,
}

impl From<&AcceptanceRules> for AcceptanceView {
    fn from(rules: &AcceptanceRules) -> Self {
        let of_type = |own: &TypeAcceptance| TypeAcceptanceView {
            accepted_error_rate: own.accepted_error_rate,
        };
        Self {
            accepted_error_rate: rules.accepted_error_rate,
            review_share: rules.review_share,
            types: rules.types.iter().map(|(name, own)| (name.clone(), of_type(own))).collect(),
        }
    }
}

impl From<AcceptanceView> for AcceptanceRules {
    fn from(view: AcceptanceView) -> Self {
        let of_type = |own: TypeAcceptanceView| TypeAcceptance {
            accepted_error_rate: own.accepted_error_rate,
        };
        Self {
            accepted_error_rate: view.accepted_error_rate,
            review_share: view.review_share,
            types: view.types.into_iter().map(|(name, own)| (name, of_type(own))).collect(),
        }
    }
}

/// A region that is blanked out before a page is read, and in page images.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct MaskView {
    /// Left, top, right, bottom, as shares (0 to 1) of the page's width and height.
    #[serde(rename = "box")]
    #[schema(example = json!([0.0, 0.9, 1.0, 1.0]))]
    pub area: [f32; 4],
    /// Only on this page, counted from 1.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(minimum = 1)]
    pub page: Option<u32>,
    /// Only in files of these kinds: pdf, png, …
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub kinds: Vec<String>,
    /// Only in files whose name contains this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub file_name_contains: Option<String>,
}

/// The limits that the operator sets.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LimitsView {
    pub max_upload_bytes: u64,
    /// The most runs that may wait.
    pub queue_quota: u32,
    pub requests_per_second: u32,
    /// The most concurrent uploads per server.
    pub concurrent_uploads: u32,
    /// The limit of `usage.bytes`; null without a limit.
    pub storage_quota_bytes: Option<u64>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct UsageView {
    pub documents: i64,
    /// The size of the originals of documents that are not deleted. The same content counts once.
    pub bytes: i64,
    pub waiting_runs: i64,
    pub users: i64,
}

impl RulesView {
    /// Both have the same form, except that accepted error rates are shown apart.
    pub fn of(rules: &TenantRules) -> Result<Self, serde_json::Error> {
        let rules = TenantRules { acceptance: AcceptanceRules::default(), ..rules.clone() };
        serde_json::from_value(serde_json::to_value(rules)?)
    }
}

/// The result of verifying the audit log.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ChainView {
    pub rows: i64,
    pub is_whole: bool,
    /// What was changed, moved or removed, as sentences.
    pub faults: Vec<String>,
    /// How many signed checkpoints the log was compared with.
    pub checkpoints: usize,
    /// Later rows are protected by the hash chain only.
    pub last_checkpoint_at: Option<DateTime<Utc>>,
}

/// A signed statement of where the tenant's audit log ended at one time. Store it outside of Docket, one JSON document per
/// line; `docket audit verify --against` compares the log with it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CheckpointView {
    pub number: i64,
    pub taken_at: DateTime<Utc>,
    /// How many rows the log had.
    pub rows: i64,
    /// The signed text: a JSON document, unchanged byte by byte.
    pub statement: String,
    /// Ed25519, in Base64.
    pub signature: String,
    /// In Base64.
    pub public_key: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CheckpointPage {
    /// In the order of their numbers.
    pub items: Vec<CheckpointView>,
}

/// Which checkpoints to list.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct CheckpointQuery {
    /// Only checkpoints with a higher number.
    #[serde(default)]
    #[param(minimum = 0)]
    pub after: u32,
    /// The most items to return.
    #[serde(default = "default_checkpoint_limit")]
    #[param(minimum = 1, maximum = 1000)]
    pub limit: u32,
}

fn default_checkpoint_limit() -> u32 {
    100
}
