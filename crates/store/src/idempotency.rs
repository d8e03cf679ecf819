//! Idempotency keys: the answer is stored in the transaction of the work, so that there is never
//! one without the other, and a crash leaves no key in limbo.

use chrono::{DateTime, Duration, Utc};
use domain::IdempotencyClaim;
use serde_json::Value;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// What is known about a key at the moment it is claimed.
#[derive(Debug, PartialEq)]
pub enum Claimed {
    /// Never seen: do the work, then [`Tx::record_outcome`].
    Fresh,
    /// Done before: this was the outcome.
    Done(Value),
    /// Another request with this key is at work right now.
    InProgress,
    /// The key was used for a different request.
    OtherRequest,
}

impl Tx {
    /// How long a key is remembered.
    const REMEMBERED: Duration = Duration::hours(24);

    /// Takes the key for the rest of this transaction.
    pub async fn claim(&mut self, claim: &IdempotencyClaim) -> Result<Claimed, StoreError> {
        let actor = self.scope().actor().to_string();
        // Released with the transaction, however it ends.
        let held: bool =
            sqlx::query_scalar("SELECT pg_try_advisory_xact_lock(hashtextextended($1, 0))")
                .bind(format!("{}/{actor}/{}", self.tenant_id(), claim.key.as_str()))
                .fetch_one(self.connection())
                .await?;
        if !held {
            return Ok(Claimed::InProgress);
        }
        let known: Option<(Vec<u8>, Value)> = sqlx::query_as(sql!("idempotency/find"))
            .bind(self.tenant_id().0)
            .bind(actor)
            .bind(claim.key.as_str())
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        Ok(match known {
            None => Claimed::Fresh,
            Some((hash, outcome)) if hash == claim.request_hash => Claimed::Done(outcome),
            Some(_) => Claimed::OtherRequest,
        })
    }

    /// Remembers what came of the claimed work.
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
            .bind(self.now() + Self::REMEMBERED)
            .execute(self.connection())
            .await?;
        Ok(())
    }
}

impl AcrossTenants {
    /// Forgets keys and signed-out tokens whose time is over.
    pub async fn forget_expired(&mut self, now: DateTime<Utc>) -> Result<u64, StoreError> {
        let keys = sqlx::query(sql!("idempotency/forget_expired"))
            .bind(now)
            .execute(self.connection())
            .await?;
        let tokens = sqlx::query(sql!("access/forget_expired_tokens"))
            .bind(now)
            .execute(self.connection())
            .await?;
        Ok(keys.rows_affected() + tokens.rows_affected())
    }
}
