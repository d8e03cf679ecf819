//! Creating an API key.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chrono::{DateTime, Utc};
use domain::{
    Action, Actor, ApiKey, ApiKeyId, AuditAction, AuditEntry, Caller, Entity, KeyCreator, Name,
    Role, Scope, Secret,
};
use serde_json::json;
use sha2::{Digest, Sha256};
use store::NewApiKey;

use crate::access::authenticate::{KEY_MARK, KEY_PREFIX_LENGTH};
use crate::{Access, OpsError};

/// A request for an API key.
#[derive(Debug)]
pub struct RequestedApiKey {
    pub name: String,
    pub role: Role,
    /// `None`: it does not expire.
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new key with its secret, which is not stored and cannot be shown again.
#[derive(Debug)]
pub struct CreatedApiKey {
    pub key: ApiKey,
    pub secret: Secret,
}

impl Access {
    pub async fn create_api_key(
        &self,
        caller: &Caller,
        requested: RequestedApiKey,
    ) -> Result<CreatedApiKey, OpsError> {
        let scope = caller.permit(Action::ManageApiKeys)?;
        let name: Name =
            requested.name.parse().map_err(|error| OpsError::invalid("name", error))?;
        if requested.expires_at.is_some_and(|expires_at| expires_at <= self.store.clock().now()) {
            return Err(OpsError::invalid("expires_at", "The expiry date must be in the future."));
        }
        let (created_by, latest) = self.creator_of_key(caller, &scope).await?;
        let secret = self.new_secret();
        let new = NewApiKey {
            api_key_id: ApiKeyId(self.store.ids().next()),
            name: name.into_string(),
            role: requested.role,
            prefix: secret[..KEY_PREFIX_LENGTH].to_owned(),
            secret_sha256: Sha256::digest(&secret).into(),
            expires_at: requested.expires_at.into_iter().chain(latest).min(),
            created_by,
        };
        let mut tx = self.store.begin(&scope).await?;
        let key = tx.insert_api_key(new).await?;
        tx.append_audit(AuditEntry {
            action: AuditAction::ApiKeyCreated,
            entity: Entity::ApiKey(key.api_key_id),
            detail: json!({
                "name": key.name,
                "role": key.role,
                "prefix": key.prefix,
                "expires_at": key.expires_at,
            }),
        })
        .await?;
        tx.commit().await?;
        Ok(CreatedApiKey { key, secret: Secret::new(secret) })
    }

    /// The user who is responsible for a key that this caller creates, and the latest expiry it may have. A key that was
    /// created with another key has the same responsible user and expires no later.
    async fn creator_of_key(
        &self,
        caller: &Caller,
        scope: &Scope,
    ) -> Result<(Option<KeyCreator>, Option<DateTime<Utc>>), OpsError> {
        match caller.actor {
            Actor::User(user_id) => {
                let email = caller.name.clone();
                Ok((Some(KeyCreator { user_id, email, is_active: true }), None))
            }
            Actor::ApiKey(id) => {
                let mut tx = self.store.read(scope).await?;
                let parent = tx.find_api_key(id).await?;
                tx.commit().await?;
                let parent = parent.ok_or(OpsError::NotFound("API key"))?;
                Ok((parent.created_by, parent.expires_at))
            }
            Actor::System => Ok((None, None)),
        }
    }

    /// The mark, 72 random bits of public prefix and 256 random bits of secret.
    fn new_secret(&self) -> String {
        let mut bytes = [0; 41];
        self.random.fill(&mut bytes);
        format!("{KEY_MARK}{}", URL_SAFE_NO_PAD.encode(bytes))
    }
}
