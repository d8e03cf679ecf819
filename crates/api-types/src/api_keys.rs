//! API keys.

use chrono::{DateTime, Utc};
use domain::{ApiKey, KeyCreator, Secret};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::RoleName;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct ApiKeyView {
    pub api_key_id: Uuid,
    pub name: String,
    pub role: RoleName,
    /// The public beginning of the key.
    #[schema(example = "dk_Zk3xPq0aBc9d")]
    pub prefix: String,
    pub created_at: DateTime<Utc>,
    /// The user who created the key, directly or with another key. The key is not valid while they are deactivated. Null if
    /// the operator created it, or if the user is not known.
    pub created_by: Option<KeyCreatorView>,
    /// Null if it does not expire.
    pub expires_at: Option<DateTime<Utc>>,
    /// Accurate to about 15 seconds.
    pub last_used_at: Option<DateTime<Utc>>,
    pub revoked_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct KeyCreatorView {
    pub user_id: Uuid,
    pub email: String,
    pub is_active: bool,
}

impl From<KeyCreator> for KeyCreatorView {
    fn from(creator: KeyCreator) -> Self {
        let KeyCreator { user_id, email, is_active } = creator;
        Self { user_id: user_id.0, email, is_active }
    }
}

impl From<ApiKey> for ApiKeyView {
    fn from(key: ApiKey) -> Self {
        Self {
            api_key_id: key.api_key_id.0,
            name: key.name,
            role: key.role.into(),
            prefix: key.prefix,
            created_at: key.created_at,
            created_by: key.created_by.map(Into::into),
            expires_at: key.expires_at,
            last_used_at: key.last_used_at,
            revoked_at: key.revoked_at,
        }
    }
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "scanner in the mail room", "role": "api_client"}))]
pub struct CreateApiKeyRequest {
    /// The purpose of the key.
    #[schema(example = "scanner in the mail room", min_length = 1, max_length = 100)]
    pub name: String,
    pub role: RoleName,
    /// Must be in the future. Without it the key does not expire.
    #[serde(default)]
    pub expires_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct CreatedApiKeyView {
    #[serde(flatten)]
    pub api_key: ApiKeyView,
    /// The key. It is not shown again, so store it now.
    #[schema(value_type = String)]
    pub key: Secret,
}
