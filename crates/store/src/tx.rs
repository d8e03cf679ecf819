//! A transaction inside one tenant.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use domain::{IdGen, Scope, TenantId};
use sqlx::{AssertSqlSafe, PgConnection, PgPool, Postgres, Transaction};
use uuid::Uuid;

use crate::{SecretKeys, Store, StoreError};

/// What statements need that write either for one tenant or across tenants.
pub(crate) struct Writing<'a> {
    pub(crate) connection: &'a mut PgConnection,
    pub(crate) ids: &'a dyn IdGen,
    /// The time of the transaction.
    pub(crate) now: DateTime<Utc>,
}

/// A transaction inside one tenant. Without [`Tx::commit`] it changes nothing.
#[derive(Debug)]
pub struct Tx {
    inner: Transaction<'static, Postgres>,
    scope: Scope,
    now: DateTime<Utc>,
    ids: Arc<dyn IdGen>,
    pub(crate) secret_keys: Option<Arc<SecretKeys>>,
}

impl Store {
    /// Opens a transaction that reads and writes the rows of the scope's tenant only.
    pub async fn begin(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_as("BEGIN", scope).await
    }

    /// Opens a read-only transaction.
    pub async fn read(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_as("BEGIN READ ONLY", scope).await
    }

    pub(crate) async fn begin_as(&self, begin: &str, scope: &Scope) -> Result<Tx, StoreError> {
        // One round trip for both. A UUID cannot contain SQL.
        let opening = format!("{begin}; SET LOCAL docket.tenant_id = '{}'", scope.tenant_id());
        Ok(Tx::new(open_transaction(&self.app, opening).await?, scope, self))
    }
}

/// Completes the `BEGIN` even when the caller is dropped. Otherwise a connection with an open transaction could return to
/// the pool, and the next request would run inside that transaction.
pub(crate) async fn open_transaction(
    pool: &PgPool,
    opening: String,
) -> Result<Transaction<'static, Postgres>, StoreError> {
    let pool = pool.clone();
    let opened = tokio::spawn(async move { pool.begin_with(AssertSqlSafe(opening)).await });
    match opened.await {
        Ok(transaction) => Ok(transaction?),
        Err(_) => Err(sqlx::Error::WorkerCrashed.into()),
    }
}

impl Tx {
    pub(crate) fn new(inner: Transaction<'static, Postgres>, scope: &Scope, store: &Store) -> Self {
        Self {
            inner,
            scope: scope.clone(),
            now: store.clock.now(),
            ids: Arc::clone(&store.ids),
            secret_keys: store.secret_keys.clone(),
        }
    }

    pub async fn commit(self) -> Result<(), StoreError> {
        Ok(self.inner.commit().await?)
    }

    /// Rolls back now. Dropping does so too, but only when the connection is next used: until then, the locks of this
    /// transaction block others.
    pub async fn rollback(self) -> Result<(), StoreError> {
        Ok(self.inner.rollback().await?)
    }

    /// The time of the transaction: all its rows have the same.
    pub fn now(&self) -> DateTime<Utc> {
        self.now
    }

    pub(crate) fn scope(&self) -> &Scope {
        &self.scope
    }

    pub(crate) fn tenant_id(&self) -> TenantId {
        self.scope.tenant_id()
    }

    pub(crate) fn next_id(&self) -> Uuid {
        self.ids.next()
    }

    pub(crate) fn connection(&mut self) -> &mut PgConnection {
        &mut self.inner
    }

    pub(crate) fn writing(&mut self) -> Writing<'_> {
        Writing { connection: &mut self.inner, ids: &*self.ids, now: self.now }
    }
}
