//! Revocations of access.
//!
//! Every server caches the recent revocations. It reads them again on a timer and after each notification: notifications
//! make it fast, the timer makes it reliable.

use chrono::{DateTime, Utc};
use domain::{ApiKeyId, Revocation, TokenId, UserId};
use sqlx::postgres::PgListener;
use uuid::Uuid;

use crate::{AcrossTenants, Store, StoreError, Tx, sql};

const CHANNEL: &str = "docket_revocation";

/// Receives notifications of revocations.
#[derive(Debug)]
pub struct RevocationNotifications {
    listener: PgListener,
}

impl RevocationNotifications {
    /// Returns when something was revoked. It reconnects by itself, and returns after that too, because notifications may
    /// have been lost meanwhile.
    pub async fn changed(&mut self) -> Result<(), StoreError> {
        self.listener.try_recv().await?;
        Ok(())
    }
}

impl Store {
    pub async fn listen_for_revocations(&self) -> Result<RevocationNotifications, StoreError> {
        let mut listener = PgListener::connect_with(&self.app).await?;
        listener.listen(CHANNEL).await?;
        Ok(RevocationNotifications { listener })
    }
}

impl Tx {
    /// Revokes one token.
    pub async fn revoke_token(
        &mut self,
        token_id: TokenId,
        user_id: UserId,
        expires_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        sqlx::query(sql!("access/revoke_token"))
            .bind(token_id.0)
            .bind(self.tenant_id().0)
            .bind(user_id.0)
            .bind(self.now())
            .bind(expires_at)
            .execute(self.connection())
            .await?;
        self.notify_revocation().await
    }

    pub(crate) async fn notify_revocation(&mut self) -> Result<(), StoreError> {
        sqlx::query("SELECT pg_notify($1, '')").bind(CHANNEL).execute(self.connection()).await?;
        Ok(())
    }
}

impl AcrossTenants {
    /// Everything revoked at or after `since` that could still matter at `now`.
    pub async fn revocations_since(
        &mut self,
        since: DateTime<Utc>,
        now: DateTime<Utc>,
    ) -> Result<Vec<Revocation>, StoreError> {
        let rows: Vec<(String, Uuid, DateTime<Utc>, i64)> =
            sqlx::query_as(sql!("access/revocations_since"))
                .bind(since)
                .bind(now)
                .fetch_all(self.connection())
                .await?;
        rows.into_iter()
            .map(|(kind, id, moment, epoch)| revocation(&kind, id, moment, epoch))
            .collect()
    }
}

fn revocation(
    kind: &str,
    id: Uuid,
    moment: DateTime<Utc>,
    epoch: i64,
) -> Result<Revocation, StoreError> {
    match kind {
        "token" => Ok(Revocation::Token { token_id: TokenId(id), expires_at: moment }),
        "user" => Ok(Revocation::SessionsBefore { user_id: UserId(id), epoch }),
        "key" => Ok(Revocation::Key { api_key_id: ApiKeyId(id) }),
        other => Err(StoreError::Unreadable { what: "revocation", value: other.to_owned() }),
    }
}
