//! Users.

use chrono::{DateTime, Utc};
use domain::{Role, Secret, User};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use uuid::Uuid;

/// The role of a user or API key in its tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum RoleName {
    Admin,
    User,
    Reviewer,
    Viewer,
    Auditor,
    ApiClient,
}

impl From<Role> for RoleName {
    fn from(role: Role) -> Self {
        match role {
            Role::Admin => Self::Admin,
            Role::User => Self::User,
            Role::Reviewer => Self::Reviewer,
            Role::Viewer => Self::Viewer,
            Role::Auditor => Self::Auditor,
            Role::ApiClient => Self::ApiClient,
        }
    }
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Self {
        match name {
            RoleName::Admin => Self::Admin,
            RoleName::User => Self::User,
            RoleName::Reviewer => Self::Reviewer,
            RoleName::Viewer => Self::Viewer,
            RoleName::Auditor => Self::Auditor,
            RoleName::ApiClient => Self::ApiClient,
        }
    }
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct UserView {
    pub user_id: Uuid,
    pub tenant_id: Uuid,
    pub email: String,
    pub role: RoleName,
    /// A deactivated user cannot sign in.
    pub active: bool,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

impl From<User> for UserView {
    fn from(user: User) -> Self {
        Self {
            user_id: user.user_id.0,
            tenant_id: user.tenant_id.0,
            role: user.role.into(),
            active: user.is_active(),
            email: user.email.to_string(),
            created_at: user.created_at,
            updated_at: user.updated_at,
        }
    }
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"email": "ada@example.com", "password": "correct horse battery", "role": "user"}))]
pub struct CreateUserRequest {
    #[schema(example = "ada@example.com", format = Email, max_length = 254)]
    pub email: String,
    /// At least 8 characters, at most 71 bytes.
    #[schema(example = "correct horse battery", min_length = 8, max_length = 71, value_type = String)]
    pub password: Secret,
    pub role: RoleName,
}

/// Only the given fields are changed. Any change ends all sessions of the user.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"role": "reviewer"}))]
pub struct UpdateUserRequest {
    #[serde(default)]
    pub role: Option<RoleName>,
    #[serde(default)]
    pub active: Option<bool>,
    #[serde(default)]
    #[schema(min_length = 8, max_length = 71, value_type = Option<String>)]
    pub password: Option<Secret>,
}
