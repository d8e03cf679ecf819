//! Authentication: turns a bearer credential into a [`Caller`].

use std::net::IpAddr;
use std::sync::Arc;

use domain::{Actor, ApiKeyRecord, Caller, TraceContext};
use sha2::{Digest, Sha256};
use store::StoreError;
use thiserror::Error;

use crate::rate::client_of;
use crate::{Access, RateLimited};

/// Every API key begins with this mark, so that people and secret scanners recognise it.
pub(crate) const KEY_MARK: &str = "dk_";
/// The length of a key's public prefix, including the mark.
pub(crate) const KEY_PREFIX_LENGTH: usize = 15;

#[derive(Debug, Error)]
pub enum AuthError {
    #[error("The credential is unknown, expired or revoked. Sign in again.")]
    InvalidCredential,
    /// The credential cache is stale: revocations may have been missed.
    #[error("Access cannot be checked at the moment. Try again shortly.")]
    Unavailable,
    #[error("This client presented too many unknown API keys. Try again later.")]
    TooManyUnknownKeys(RateLimited),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Access {
    /// Authenticates a bearer credential: a user's token or an API key.
    pub async fn authenticate(
        &self,
        credential: &str,
        client: IpAddr,
        trace: TraceContext,
    ) -> Result<Caller, AuthError> {
        if !self.credentials.is_fresh(self.store.clock().as_ref()) {
            return Err(AuthError::Unavailable);
        }
        let mut caller = if credential.starts_with(KEY_MARK) {
            self.caller_of_key(credential, client).await?
        } else {
            self.caller_of_token(credential)?
        };
        caller.trace = Some(trace);
        Ok(caller)
    }

    fn caller_of_token(&self, token: &str) -> Result<Caller, AuthError> {
        let token = self
            .tokens
            .verify(token, self.store.clock().now())
            .ok_or(AuthError::InvalidCredential)?;
        if self.credentials.is_session_valid(token.user_id, &token.session) {
            Ok(token.caller)
        } else {
            Err(AuthError::InvalidCredential)
        }
    }

    async fn caller_of_key(&self, credential: &str, client: IpAddr) -> Result<Caller, AuthError> {
        let prefix = credential.get(..KEY_PREFIX_LENGTH).ok_or(AuthError::InvalidCredential)?;
        let key = self.find_key(prefix, client).await?.ok_or(AuthError::InvalidCredential)?;
        let presented: [u8; 32] = Sha256::digest(credential).into();
        // No constant-time comparison is needed: the secret is random and 256 bits long, so the timing of comparing
        // hashes does not help an attacker.
        let now = self.store.clock().now();
        if presented != key.secret_sha256 || key.is_expired(now) {
            return Err(AuthError::InvalidCredential);
        }
        self.credentials.record_use(key.api_key_id, now);
        Ok(Caller {
            tenant_id: key.tenant_id,
            actor: Actor::ApiKey(key.api_key_id),
            role: key.role,
            name: key.name.clone(),
            session: None,
            trace: None,
        })
    }

    /// Reads the key from the cache, or looks it up in the database once. A rate limit per client and a limit of
    /// concurrent lookups protect the database from clients that guess keys.
    async fn find_key(
        &self,
        prefix: &str,
        client: IpAddr,
    ) -> Result<Option<Arc<ApiKeyRecord>>, AuthError> {
        if let Some(key) = self.credentials.key(prefix) {
            return Ok(Some(key));
        }
        self.unknown_keys.check(&client_of(client)).map_err(AuthError::TooManyUnknownKeys)?;
        let _permit = self.key_lookups.acquire().await.map_err(|_| AuthError::Unavailable)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_api_key_by_prefix(prefix).await?.map(Arc::new);
        across.commit().await?;
        if let Some(key) = &found {
            self.credentials.add_key(key);
        }
        Ok(found)
    }
}
