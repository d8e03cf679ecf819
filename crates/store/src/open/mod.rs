//! Opening a database: reach it, check that it is one Docket can work on, bring its schema up to
//! date, and hand out a [`Store`].

mod error;
mod prepare;
mod url;

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, IdGen};
use sqlx::postgres::{PgConnectOptions, PgConnection, PgPoolOptions};
use sqlx::{Connection, PgPool};

pub use error::OpenError;
pub use url::{DatabaseUrl, InvalidDatabaseUrl};

use crate::StoreError;
use crate::private::PrivateServer;
use prepare::SessionRole;

/// The database, ready for use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    pub(crate) pool: PgPool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdGen>,
    way: Arc<Way>,
    #[cfg(feature = "sabotage")]
    pub(crate) unfenced: bool,
}

/// How connections to the database are made.
#[derive(Debug)]
struct Way {
    options: PgConnectOptions,
    role: SessionRole,
}

impl Store {
    /// How long a request waits for a free connection before it is told to come back.
    const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
    /// A connection that lay idle longer than this is tried before it is trusted again.
    const TRUSTED_IDLE: Duration = Duration::from_secs(2);

    /// Opens a PostgreSQL that somebody else runs.
    pub async fn open(
        url: &DatabaseUrl,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        Self::open_with(url.connect_options(), max_connections, clock, ids).await
    }

    /// Opens the database inside the private server, making it on the first start.
    pub async fn open_private(
        server: &PrivateServer,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        let options = url::private_connect_options(server);
        prepare::create_database(&options).await?;
        Self::open_with(options, max_connections, clock, ids).await
    }

    async fn open_with(
        options: PgConnectOptions,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        let mut first = prepare::connect(&options).await?;
        let role = prepare::bring_up_to_date(&mut first).await?;
        first.close().await.map_err(OpenError::statement)?;
        let way = Arc::new(Way { options, role });
        let pool = way.pool(max_connections);
        Ok(Self {
            pool,
            clock,
            ids,
            way,
            #[cfg(feature = "sabotage")]
            unfenced: false,
        })
    }

    /// The same database through connections of its own, which belong to the runtime this is called
    /// in: whatever keeps another runtime busy does not hold them up.
    #[must_use]
    pub fn with_own_connections(&self, max_connections: u32) -> Self {
        Self { pool: self.way.pool(max_connections), ..self.clone() }
    }

    /// A store that lets anybody report on a leased job, whoever holds the lease.
    #[cfg(feature = "sabotage")]
    #[doc(hidden)]
    #[must_use]
    pub fn unfenced(&self) -> Self {
        Self { unfenced: true, ..self.clone() }
    }

    /// Tells one schema from another: changes with every migration.
    pub fn schema_fingerprint() -> u64 {
        prepare::schema_fingerprint()
    }

    /// Asks the database for a sign of life.
    pub async fn check(&self) -> Result<(), StoreError> {
        sqlx::query("SELECT 1").execute(&self.pool).await?;
        Ok(())
    }

    /// Closes every connection, after those in use come back.
    pub async fn close(&self) {
        self.pool.close().await;
    }
}

impl Way {
    /// Connects when a connection is first needed.
    fn pool(&self, max_connections: u32) -> PgPool {
        let role = self.role;
        PgPoolOptions::new()
            .max_connections(max_connections)
            .acquire_timeout(Store::ACQUIRE_TIMEOUT)
            // Instead of a ping before every use, only connections that may have gone stale.
            .test_before_acquire(false)
            .before_acquire(|connection, meta| {
                Box::pin(async move {
                    let stale = meta.idle_for > Store::TRUSTED_IDLE;
                    Ok(!stale || connection.ping().await.is_ok())
                })
            })
            .after_connect(move |connection, _| {
                Box::pin(async move { role.assume(connection).await })
            })
            .connect_lazy_with(self.options.clone())
    }
}

impl SessionRole {
    async fn assume(self, connection: &mut PgConnection) -> Result<(), sqlx::Error> {
        if let Some(statement) = self.statement() {
            sqlx::raw_sql(statement).execute(connection).await?;
        }
        Ok(())
    }
}
