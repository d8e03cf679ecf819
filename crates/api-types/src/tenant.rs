//! A tenant's rules, limits and usage.

use domain::TenantRules;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct TenantView {
    pub tenant_id: Uuid,
    pub name: String,
    /// Every stage that this server has, in the order that documents pass them: what a pipeline can be made of.
    #[schema(example = json!(["ingest", "preprocess", "ocr", "layout", "index"]))]
    pub stages: Vec<String>,
    pub rules: RulesView,
    pub limits: LimitsView,
    pub usage: UsageView,
}

/// What a tenant's administrators decide about its documents.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct RulesView {
    /// Regions of pages that nobody may read. A new one takes effect on a document with its next run, and on who may
    /// read its original at once.
    #[serde(default)]
    #[schema(max_items = 100)]
    pub masks: Vec<MaskView>,
    /// The stages a document passes when its batch does not say otherwise; the usual ones when empty.
    #[serde(default)]
    pub pipeline: Vec<String>,
}

/// A region that is blanked out before a page is read, and in the pictures that people see.
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
    /// Only in files whose name holds this.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[schema(max_length = 255)]
    pub file_name_contains: Option<String>,
}

/// What the operator grants.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LimitsView {
    pub max_upload_bytes: u64,
    /// Runs that may wait at once.
    pub queue_quota: u32,
    pub requests_per_second: u32,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct UsageView {
    pub documents: i64,
    /// Of originals.
    pub bytes: i64,
    pub waiting_runs: i64,
    pub users: i64,
}

impl RulesView {
    /// Both have the same form.
    pub fn of(rules: &TenantRules) -> Result<Self, serde_json::Error> {
        serde_json::from_value(serde_json::to_value(rules)?)
    }

    pub fn rules(self) -> Result<TenantRules, serde_json::Error> {
        serde_json::from_value(serde_json::to_value(self)?)
    }
}

/// Whether the audit log is whole.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ChainView {
    pub rows: i64,
    pub is_whole: bool,
    /// What was changed, moved or removed, in sentences.
    pub faults: Vec<String>,
}
