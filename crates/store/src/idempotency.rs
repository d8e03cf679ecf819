//! Idempotency keys. The outcome is stored in the transaction of the work, so that a crash cannot leave one without the
//! other.

use chrono::{DateTime, Duration, Utc};
use domain::IdempotencyClaim;
use serde_json::Value;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// The state of a key when it is claimed.
#[derive(Debug, PartialEq)]
pub enum KeyClaim {
    /// The key is new: do the work, then call [`Tx::record_outcome`].
    New,
    /// The work was done before, with this outcome.
    Done(Value),
    /// Another request with this key is in progress.
    InProgress,
    /// The key was used for a different request.
    OtherRequest,
}

impl Tx {
    /// How long a key is stored.
    const RETENTION: Duration = Duration::hours(24);

    /// Locks the key until this transaction ends.
    pub async fn claim_key(&mut self, claim: &IdempotencyClaim) -> Result<KeyClaim, StoreError> {
        let actor = self.scope().actor().to_string();
        // The lock ends with the transaction.
        let is_locked: bool =
            sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))")
                .bind(format!("{}/{actor}/{}", self.tenant_id(), claim.key.as_str()))
                .fetch_one(self.connection())
                .await?;
        if !is_locked {
            return Ok(KeyClaim::InProgress);
        }
        let known: Option<(Vec<u8>, Value)> = sqlx::query_as(sql!("idempotency/find"))
            .bind(self.tenant_id().0)
            .bind(actor)
            .bind(claim.key.as_str())
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        Ok(match known {
            None => KeyClaim::New,
            Some((hash, outcome)) if hash == claim.request_hash => KeyClaim::Done(outcome),
            Some(_) => KeyClaim::OtherRequest,
        })
    }

    /// Stores the outcome of the work under the claimed key.
    pub async fn record_outcome(
        &mut self,
        claim: &IdempotencyClaim,
        outcome: &Value,
    ) -> Result<(), StoreError> {
        sqlx::query(sql!("idempotency/record"))
            .bind(self.tenant_id().0)
            .bind(self.scope().actor().to_string())
            .bind(claim.key.as_str())
            .bind(claim.request_hash.as_slice())
            .bind(outcome)
            .bind(self.now() + Self::RETENTION)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

impl AcrossTenants {
    /// Deletes expired keys and expired tokens that were revoked.
    pub async fn delete_expired(&mut self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let keys = sqlx::query(sql!("idempotency/delete_expired"))
            .bind(now)
            .execute(self.connection())
            .await?;
        let tokens = sqlx::query(sql!("access/delete_expired_tokens"))
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(keys.rows_affected() + tokens.rows_affected())
    }
}
