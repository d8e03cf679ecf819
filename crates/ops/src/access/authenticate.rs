//! From a credential to a [`Caller`].

use std::net::IpAddr;
use std::sync::Arc;

use domain::{Actor, ApiKeyRecord, Caller, TraceContext};
use sha2::{Digest, Sha256};
use store::StoreError;
use thiserror::Error;

use crate::rate::client_of;
use crate::{Access, TooMany};

/// Every API key begins with this, so that people and secret scanners recognise one.
pub(crate) const KEY_MARK: &str = "dk_";
/// How much of a key is its public prefix, mark included.
pub(crate) const KEY_PREFIX_LENGTH: usize = 15;

#[derive(Debug, Error)]
pub enum AuthError {
    #[error("the credential is not known, has expired or was revoked; sign in again")]
    Refused,
    /// The directory is too old to vouch for anybody.
    #[error("access cannot be checked at the moment; try again shortly")]
    CannotTell,
    #[error("too many unknown keys from this client; try again later")]
    TooManyUnknownKeys(TooMany),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Access {
    /// Who presents this bearer credential: a person's token or a machine's key.
    pub async fn authenticate(
        &self,
        credential: &str,
        client: IpAddr,
        trace: TraceContext,
    ) -> Result<Caller, AuthError> {
        if !self.directory.is_fresh(self.store.clock().as_ref()) {
            return Err(AuthError::CannotTell);
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
        let token =
            self.tokens.verify(token, self.store.clock().now()).ok_or(AuthError::Refused)?;
        if self.directory.admits(token.user_id, &token.session) {
            Ok(token.caller)
        } else {
            Err(AuthError::Refused)
        }
    }

    async fn caller_of_key(&self, credential: &str, client: IpAddr) -> Result<Caller, AuthError> {
        let prefix = credential.get(..KEY_PREFIX_LENGTH).ok_or(AuthError::Refused)?;
        let key = self.known_key(prefix, client).await?.ok_or(AuthError::Refused)?;
        let presented: [u8; 32] = Sha256::digest(credential).into();
        // The secret is random and 256 bits long: what the time of comparing hashes tells about it
        // is of no use to a guesser.
        let now = self.store.clock().now();
        if presented != key.secret_sha256 || key.is_expired(now) {
            return Err(AuthError::Refused);
        }
        self.directory.note_use(key.api_key_id, now);
        Ok(Caller {
            tenant_id: key.tenant_id,
            actor: Actor::ApiKey(key.api_key_id),
            role: key.role,
            name: key.name.clone(),
            session: None,
            trace: None,
        })
    }

    /// From memory; a key that is new to this process is looked up once. Whoever invents keys is
    /// stopped before they cost the database anything, and shares two connections with all others
    /// who do.
    async fn known_key(
        &self,
        prefix: &str,
        client: IpAddr,
    ) -> Result<Option<Arc<ApiKeyRecord>>, AuthError> {
        if let Some(key) = self.directory.key(prefix) {
            return Ok(Some(key));
        }
        self.unknown_keys.check(&client_of(client)).map_err(AuthError::TooManyUnknownKeys)?;
        let _turn = self.key_look_ups.acquire().await.map_err(|_| AuthError::CannotTell)?;
        let mut across = self.store.across_tenants().await?;
        let found = across.find_api_key_by_prefix(prefix).await?.map(Arc::new);
        across.commit().await?;
        if let Some(key) = &found {
            self.directory.remember_key(key);
        }
        Ok(found)
    }
}
