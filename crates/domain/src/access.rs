//! What a server keeps in memory to know whether a credential still counts, so that a request
//! needs no look-up.

use chrono::{DateTime, Utc};

use crate::{ApiKeyId, Role, TenantId, TokenId, UserId};

/// An API key as authentication sees it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiKeyRecord {
    pub api_key_id: ApiKeyId,
    pub tenant_id: TenantId,
    pub name: String,
    pub role: Role,
    pub prefix: String,
    pub secret_sha256: [u8; 32],
    pub expires_at: Option<DateTime<Utc>>,
    /// Who answers for it.
    pub created_by: Option<UserId>,
}

impl ApiKeyRecord {
    pub fn is_expired(&self, now: DateTime<Utc>) -> bool {
        self.expires_at.is_some_and(|expires_at| expires_at <= now)
    }
}

/// Something that takes access away before the token's own expiry.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Revocation {
    /// Signed out: this one token.
    Token { token_id: TokenId, expires_at: DateTime<Utc> },
    /// Deactivated, or given another role or password: every session of an earlier epoch.
    SessionsBefore { user_id: UserId, epoch: i64 },
    /// The key no longer counts.
    Key { api_key_id: ApiKeyId },
}
