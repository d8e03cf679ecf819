//! How the server is set up.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// Every setting in force. Nothing secret is in it.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ConfigView {
    /// In the order in which they are explained.
    pub settings: Vec<SettingView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    #[schema(example = "upload_max_size_mb")]
    pub key: String,
    /// Text, a number, yes or no, or a list of words. Of a secret: `set` or `not set`.
    #[schema(value_type = Value, example = 50)]
    pub value: Value,
    pub is_secret: bool,
    pub origin: SettingOrigin,
    /// The file, the variable or the flag that it was taken from.
    #[schema(example = "DOCKET_UPLOAD_MAX_SIZE_MB")]
    pub origin_name: Option<String>,
    /// What it is for. Settings that are explained together have the same.
    pub help: String,
}

/// Where a value came from; the later ones beat the earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    Default,
    File,
    Environment,
    Flag,
}
