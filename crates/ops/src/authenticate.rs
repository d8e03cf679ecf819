//! From a credential to a [`Caller`].

use std::sync::Arc;

use domain::{Actor, ApiKeyRecord, Caller, TraceId};
use sha2::{Digest, Sha256};
use store::StoreError;
use thiserror::Error;

use crate::Ops;

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
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Ops {
    /// Who presents this bearer credential: a person's token or a machine's key.
    pub async fn authenticate(
        &self,
        credential: &str,
        trace_id: TraceId,
    ) -> Result<Caller, AuthError> {
        if !self.access.is_fresh(self.clock.now()) {
            return Err(AuthError::CannotTell);
        }
        let mut caller = if credential.starts_with(KEY_MARK) {
            self.caller_of_key(credential).await?
        } else {
            self.caller_of_token(credential)?
        };
        caller.trace_id = Some(trace_id);
        Ok(caller)
    }

    fn caller_of_token(&self, token: &str) -> Result<Caller, AuthError> {
        let token = self.tokens.verify(token, self.clock.now()).ok_or(AuthError::Refused)?;
        if self.access.admits(&token) { Ok(token.caller) } else { Err(AuthError::Refused) }
    }

    async fn caller_of_key(&self, credential: &str) -> Result<Caller, AuthError> {
        let prefix = credential.get(..KEY_PREFIX_LENGTH).ok_or(AuthError::Refused)?;
        let key = self.known_key(prefix).await?.ok_or(AuthError::Refused)?;
        let presented: [u8; 32] = Sha256::digest(credential).into();
        // The secret is random and 256 bits long: what the time of comparing hashes tells about it
        // is of no use to a guesser.
        if presented != key.secret_sha256 {
            return Err(AuthError::Refused);
        }
        self.access.note_use(key.api_key_id, self.clock.now());
        Ok(Caller {
            tenant_id: key.tenant_id,
            actor: Actor::ApiKey(key.api_key_id),
            role: key.role,
            name: key.name.clone(),
            token_id: None,
            trace_id: None,
        })
    }

    /// From memory; a key that is new to this process is looked up once.
    async fn known_key(&self, prefix: &str) -> Result<Option<Arc<ApiKeyRecord>>, StoreError> {
        if let Some(key) = self.access.key(prefix) {
            return Ok(Some(key));
        }
        let mut across = self.store.across_tenants().await?;
        let found = across.find_api_key_by_prefix(prefix).await?.map(Arc::new);
        across.commit().await?;
        if let Some(key) = &found {
            self.access.remember_key(key);
        }
        Ok(found)
    }
}
