//! A transaction that belongs to no tenant.

use domain::Scope;
use sqlx::{AssertSqlSafe, PgConnection, Postgres, Transaction};

use uuid::Uuid;

use crate::{Store, StoreError, Tx};

/// Sees the rows of every tenant. For signing in, operator commands and housekeeping only.
#[derive(Debug)]
pub struct AcrossTenants {
    inner: Transaction<'static, Postgres>,
    store: Store,
}

impl Store {
    /// The statements take sets as arrays, so that one plan is good for all values; to plan the
    /// queue's anew each time would take longer than to run them.
    const OPENING: &str = "BEGIN; SET LOCAL docket.every_tenant = 'on'; \
                           SET LOCAL plan_cache_mode = 'force_generic_plan'";

    pub async fn across_tenants(&self) -> Result<AcrossTenants, StoreError> {
        let inner = self.pool.begin_with(Self::OPENING).await?;
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

    pub(crate) fn next_id(&self) -> Uuid {
        self.store.ids.next()
    }

    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }
}
