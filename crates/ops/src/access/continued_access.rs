//! Whether somebody who was let in still has access, for what goes on after its request was authenticated: event streams
//! and long uploads.
//!
//! A session is held against what this process knows of revocations, as every request is. Of a key the process knows
//! only that something was revoked, so it asks the database then; that is also repeated with every round of
//! housekeeping.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{Action, Actor, ApiKey, ApiKeyId, Caller};
use store::Store;

use crate::access::directory::AccessDirectory;
use crate::{Access, OpsError};

#[derive(Debug)]
pub(crate) struct ContinuedAccess {
    store: Store,
    access: Arc<AccessDirectory>,
    caller: Caller,
    /// How many times revocations were applied when the key was last asked for.
    rounds_seen: Option<u64>,
    key_expires_at: Option<DateTime<Utc>>,
}

impl Access {
    pub(crate) fn continued_access(&self, caller: &Caller) -> ContinuedAccess {
        ContinuedAccess {
            store: self.store.clone(),
            access: Arc::clone(&self.directory),
            caller: caller.clone(),
            rounds_seen: None,
            key_expires_at: None,
        }
    }
}

impl ContinuedAccess {
    /// `false` from the moment that a new request with the same credential would be refused.
    pub(crate) async fn holds(&mut self) -> bool {
        match (self.caller.actor, &self.caller.session) {
            (Actor::User(user_id), Some(session)) => {
                self.access.is_fresh(self.store.clock().as_ref())
                    && session.expires_at > self.store.clock().now()
                    && self.access.admits(user_id, session)
            }
            (Actor::ApiKey(key), _) => {
                self.access.is_fresh(self.store.clock().as_ref()) && self.key_is_valid(key).await
            }
            // Authentication is off, or it is Docket itself.
            (Actor::User(_) | Actor::System, _) => true,
        }
    }

    async fn key_is_valid(&mut self, id: ApiKeyId) -> bool {
        let rounds = self.access.rounds();
        if self.rounds_seen != Some(rounds) {
            match self.look_up(id).await {
                Ok(Some(key)) if key.is_valid() => {
                    (self.rounds_seen, self.key_expires_at) = (Some(rounds), key.expires_at);
                }
                Ok(_) => return false,
                // When the database stays away, the directory becomes too old to be trusted.
                Err(error) => tracing::debug!(%error, "a key cannot be looked up for now"),
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
