//! A transaction that spans tenants.
//!
//! It uses the role `docket_system`, on connections of its own: no statement on a tenant's connection can assume that
//! role.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::Scope;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};
use uuid::Uuid;

use crate::tx::{Writing, open_transaction};
use crate::{Store, StoreError, Tx, sql};

/// Sees the rows of all tenants. For signing in, the queue, operator commands and periodic tasks only.
#[derive(Debug)]
pub struct AcrossTenants {
    inner: Transaction<'static, Postgres>,
    store: Store,
}

impl Store {
    pub async fn across_tenants(&self) -> Result<AcrossTenants, StoreError> {
        let inner = open_transaction(&self.system, "BEGIN".to_owned()).await?;
        Ok(AcrossTenants { inner, store: self.clone() })
    }

    /// A transaction with planner settings for the queue's statements (`sql/setup/open_queue.sql`).
    pub async fn queue_transaction(&self) -> Result<AcrossTenants, StoreError> {
        let inner = open_transaction(&self.system, sql!("setup/open_queue").to_owned()).await?;
        Ok(AcrossTenants { inner, store: self.clone() })
    }
}

impl AcrossTenants {
    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    /// Rolls back now. Dropping does so too, but only when the connection is next used.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.inner.rollback().await?)
    }

    /// Limits how long each further statement of this transaction may take; `None`: no limit.
    pub async fn set_statement_timeout(
        &mut self,
        limit: Option<Duration>,
    ) -> Result<(), StoreError> {
        // A number cannot contain SQL; 0 means no limit.
        let limit = limit.map_or(0, |limit| limit.as_millis());
        let statement = format!("SET LOCAL statement_timeout = {limit}");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(self.connection()).await?;
        Ok(())
    }

    /// Continues the transaction inside one tenant, with the role `docket_app`.
    pub async fn enter(mut self, scope: &Scope) -> Result<Tx, StoreError> {
        // A UUID cannot contain SQL.
        let narrowing = format!(
            "SET LOCAL ROLE docket_app; SET LOCAL docket.tenant_id = '{}'",
            scope.tenant_id()
        );
        sqlx::raw_sql(AssertSqlSafe(narrowing)).execute(self.connection()).await?;
        Ok(Tx::new(self.inner, scope, &self.store))
    }

    #[cfg(feature = "sabotage")]
    pub(crate) fn is_unfenced(&self) -> bool {
        self.store.unfenced
    }

    pub(crate) fn now(&self) -> DateTime<Utc> {
        self.store.clock.now()
    }

    pub(crate) fn store(&self) -> &Store {
        &self.store
    }

    pub(crate) fn next_id(&self) -> Uuid {
        self.store.ids.next()
    }

    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    pub(crate) fn writing(&mut self, now: DateTime<Utc>) -> Writing<'_> {
        Writing { connection: &mut self.inner, ids: &*self.store.ids, now }
    }
}
