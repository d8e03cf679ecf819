//! What a server caches in memory to check credentials without a database query.

use chrono::{DateTime, Utc};

use crate::{ApiKeyId, Role, TenantId, TokenId, UserId};

/// The data of an API key that authentication needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRecord {
    pub api_key_id: ApiKeyId,
    pub tenant_id: TenantId,
    pub name: String,
    pub role: Role,
    pub prefix: String,
    pub secret_sha256: [u8; 32],
    pub expires_at: Option<DateTime<Utc>>,
    /// The user who is responsible for it.
    pub created_by: Option<UserId>,
}

impl ApiKeyRecord {
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }
}

/// An event that revokes access before a token expires.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// The user signed out: one token.
    Token { token_id: TokenId, expires_at: DateTime<Utc> },
    /// The user was deactivated, or got another role or password: all sessions of earlier epochs.
    SessionsBefore { user_id: UserId, epoch: i64 },
    /// The key was revoked.
    Key { api_key_id: ApiKeyId },
}
