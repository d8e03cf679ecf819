//! A transaction that belongs to no tenant.
//!
//! It works as the role `docket_system`, on connections of its own: nothing that runs on a tenant's
//! connection can become that role.

use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::Scope;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};
use uuid::Uuid;

use crate::tx::{Writing, open_transaction};
use crate::{Store, StoreError, Tx, sql};

/// Sees the rows of every tenant. For signing in, operator commands and housekeeping only.
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

    /// The same, with plans made for the queue's statements.
    pub async fn on_the_queue(&self) -> Result<AcrossTenants, StoreError> {
        let inner = open_transaction(&self.system, sql!("setup/open_queue").to_owned()).await?;
        Ok(AcrossTenants { inner, store: self.clone() })
    }
}

impl AcrossTenants {
    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    /// Undoes everything now. Dropping does so too, but only when the connection is next used.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.inner.rollback().await?)
    }

    /// How long each further statement of this transaction may take; `None`: as long as it needs.
    pub async fn limit_statements(&mut self, limit: Option<Duration>) -> Result<(), StoreError> {
        // A number cannot hold SQL; 0 is PostgreSQL's word for no limit.
        let limit = limit.map_or(0, |limit| limit.as_millis());
        let statement = format!("SET LOCAL statement_timeout = {limit}");
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(self.connection()).await?;
        Ok(())
    }

    /// Goes on inside one tenant, in the same transaction and as the role of tenants' work.
    pub async fn enter(mut self, scope: &Scope) -> Result<Tx, StoreError> {
        // A UUID cannot hold SQL.
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
