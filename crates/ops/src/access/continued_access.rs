//! Whether a caller still has access, for work that continues after its request was authenticated: event streams
//! and long uploads.
//!
//! A session is checked against the revocations that this process knows, as for every request. For an API key the cache
//! knows only that some key was revoked, so the key is looked up in the database then, and in every round of
//! housekeeping that applies revocations.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Action, Actor, ApiKey, ApiKeyId, Caller};
use store::Store;

use crate::access::credential_cache::CredentialCache;
use crate::{Access, OpsError};

#[derive(Debug)]
pub(crate) struct ContinuedAccess {
    store: Store,
    credentials: Arc<CredentialCache>,
    caller: Caller,
    /// The generation of the cache when the key was last looked up.
    checked_generation: Option<u64>,
    key_expires_at: Option<DateTime<Utc>>,
}

impl Access {
    pub(crate) fn continued_access(&self, caller: &Caller) -> ContinuedAccess {
        ContinuedAccess {
            store: self.store.clone(),
            credentials: Arc::clone(&self.credentials),
            caller: caller.clone(),
            checked_generation: None,
            key_expires_at: None,
        }
    }
}

impl ContinuedAccess {
    /// Whether a new request with the same credential would be accepted.
    pub(crate) async fn is_valid(&mut self) -> bool {
        match (self.caller.actor, &self.caller.session) {
            (Actor::User(user_id), Some(session)) => {
                self.credentials.is_fresh(self.store.clock().as_ref())
                    && session.expires_at > self.store.clock().now()
                    && self.credentials.is_session_valid(user_id, session)
            }
            (Actor::ApiKey(key), _) => {
                self.credentials.is_fresh(self.store.clock().as_ref())
                    && self.key_is_valid(key).await
            }
            // Authentication is off, or the caller is the system.
            (Actor::User(_) | Actor::System, _) => true,
        }
    }

    async fn key_is_valid(&mut self, id: ApiKeyId) -> bool {
        let generation = self.credentials.generation();
        if self.checked_generation != Some(generation) {
            match self.look_up(id).await {
                Ok(Some(key)) if key.is_valid() => {
                    (self.checked_generation, self.key_expires_at) =
                        (Some(generation), key.expires_at);
                }
                Ok(_) => return false,
                // If the database stays unavailable, the cache becomes stale and access ends.
                Err(error) => tracing::debug!(%error, "cannot look up an API key"),
            }
        }
        self.key_expires_at.is_none_or(|expires_at| expires_at > self.store.clock().now())
    }

    async fn look_up(&self, id: ApiKeyId) -> Result<Option<ApiKey>, OpsError> {
        let scope = Caller::system(self.caller.tenant_id).permit(Action::ManageApiKeys)?;
        let mut tx = self.store.read(&scope).await?;
        let key = tx.find_api_key(id).await?;
        tx.commit().await?;
        Ok(key)
    }
}
