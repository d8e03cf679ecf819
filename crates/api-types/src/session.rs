//! Signing in, and who one is.

use chrono::{DateTime, Utc};
use domain::Secret;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

use crate::{RoleName, UserView};

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"email": "admin@localhost", "password": "correct horse battery"}))]
pub struct LoginRequest {
    #[schema(example = "admin@localhost")]
    pub email: String,
    #[schema(value_type = String)]
    pub password: Secret,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChangePasswordRequest {
    #[schema(value_type = String)]
    pub current_password: Secret,
    #[schema(value_type = String)]
    pub new_password: Secret,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LoginResponse {
    /// Send it as `Authorization: Bearer …`.
    #[schema(value_type = String)]
    pub token: Secret,
    pub expires_at: DateTime<Utc>,
    pub user: UserView,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum CallerKind {
    User,
    ApiKey,
}

/// The caller, as the presented credential says.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct MeView {
    pub kind: CallerKind,
    /// The user's id, or the key's.
    pub id: Uuid,
    pub tenant_id: Uuid,
    /// Servers before this field left it out.
    #[serde(default)]
    #[schema(required = true)]
    pub tenant_name: String,
    pub role: RoleName,
    /// The user's email address, or the key's name.
    pub name: String,
}
