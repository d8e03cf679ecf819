//! The server's configuration.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

/// All settings in effect, without secrets.
#[derive(Clone, Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct ConfigView {
    /// In the order of the commented defaults file.
    pub settings: Vec<SettingView>,
}

#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct SettingView {
    #[schema(example = "upload_max_size_mb")]
    pub key: String,
    /// A text, a number, a boolean or a list of texts. For a secret: `set` or `not set`.
    #[schema(value_type = Value, example = 50)]
    pub value: Value,
    pub is_secret: bool,
    pub origin: SettingOrigin,
    /// The file, environment variable or flag that sets it.
    #[schema(example = "DOCKET_UPLOAD_MAX_SIZE_MB")]
    pub origin_name: Option<String>,
    /// The purpose of the setting. Settings that are explained together have the same text.
    pub help: String,
}

/// Where a value comes from. Later ones override earlier ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum SettingOrigin {
    Default,
    File,
    Environment,
    Flag,
}
