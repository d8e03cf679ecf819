//! API keys.

use chrono::{DateTime, Utc};
use domain::{ApiKey, Secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::RoleName;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ApiKeyView {
    pub api_key_id: Uuid,
    pub name: String,
    pub role: RoleName,
    /// How the key begins.
    #[schema(example = "dk_Zk3xPq0aBc9d")]
    pub prefix: String,
    pub created_at: DateTime<Utc>,
    /// Accurate to about 15 seconds.
    pub last_used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

impl From<ApiKey> for ApiKeyView {
    fn from(key: ApiKey) -> Self {
        Self {
            api_key_id: key.api_key_id.0,
            name: key.name,
            role: key.role.into(),
            prefix: key.prefix,
            created_at: key.created_at,
            last_used_at: key.last_used_at,
            revoked_at: key.revoked_at,
        }
    }
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct CreateApiKeyRequest {
    /// What the key is for.
    #[schema(example = "scanner in the mail room", min_length = 1, max_length = 100)]
    pub name: String,
    pub role: RoleName,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CreatedApiKeyView {
    #[serde(flatten)]
    pub api_key: ApiKeyView,
    /// The key itself. It is shown this once: keep it now.
    #[schema(value_type = String)]
    pub key: Secret,
}
