//! A transaction that belongs to no tenant.

use chrono::{DateTime, Utc};
use domain::Scope;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};

use uuid::Uuid;

use crate::{Store, StoreError, Tx, sql};

/// Sees the rows of every tenant. For signing in, operator commands and housekeeping only.
#[derive(Debug)]
pub struct AcrossTenants {
    inner: Transaction<'static, Postgres>,
    store: Store,
}

impl Store {
    pub async fn across_tenants(&self) -> Result<AcrossTenants, StoreError> {
        let inner =
            self.open_transaction("BEGIN; SET LOCAL docket.every_tenant = 'on'".to_owned()).await?;
        Ok(AcrossTenants { inner, store: self.clone() })
    }

    /// The same, with plans made for the queue's statements.
    pub async fn on_the_queue(&self) -> Result<AcrossTenants, StoreError> {
        let inner = self.open_transaction(sql!("setup/open_queue").to_owned()).await?;
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

    /// Goes on inside one tenant, in the same transaction.
    pub async fn enter(mut self, scope: &Scope) -> Result<Tx, StoreError> {
        // A UUID cannot hold SQL.
        let narrowing = format!(
            "SET LOCAL docket.every_tenant = 'off'; SET LOCAL docket.tenant_id = '{}'",
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

    pub(crate) fn next_id(&self) -> Uuid {
        self.store.ids.next()
    }

    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
