//! Opening a database: reach it, check that it is one Docket can work on, bring its schema up to
//! date, and hand out a [`Store`].
//!
//! Three kinds of connections are made, so that no statement has more rights than its work needs:
//!
//! - the **migrating** one may be a superuser's. It makes roles and migrates, and is closed before
//!   anything else happens;
//! - those of the **application** (`docket_app`) work inside one tenant;
//! - those of the **system** (`docket_system`) do the work that spans tenants.

mod error;
mod logins;
mod password;
mod prepare;
mod url;

use std::sync::Arc;
use std::time::Duration;

use domain::{Clock, IdGen};
use sqlx::postgres::PgPoolOptions;
use sqlx::{AssertSqlSafe, Connection, PgPool};

pub use error::OpenError;
pub use url::{DatabaseUrl, DatabaseUrls, InvalidDatabaseUrl};

use crate::private::PrivateServer;
use crate::write_check::WriteCheck;
use crate::{SecretKeys, StoreError};
use logins::{Login, Logins};

/// The database, ready for use. Cheap to clone.
#[derive(Clone, Debug)]
pub struct Store {
    /// For the work of one tenant.
    pub(crate) app: PgPool,
    /// For work across tenants.
    pub(crate) system: PgPool,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) ids: Arc<dyn IdGen>,
    access: Arc<Access>,
    pub(crate) write_check: Arc<WriteCheck>,
    /// Without them, secrets can be neither kept nor used.
    pub(crate) secret_keys: Option<Arc<SecretKeys>>,
    #[cfg(feature = "sabotage")]
    pub(crate) unfenced: bool,
}

/// How connections to the database are made.
#[derive(Clone, Debug)]
struct Access {
    logins: Logins,
    max_connections: u32,
    timeouts: StatementTimeouts,
}

/// How long one statement may take before PostgreSQL ends it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StatementTimeouts {
    /// In transactions inside one tenant, as requests use.
    pub requests: Duration,
    /// In transactions across tenants, most of which run in the background.
    pub background: Duration,
}

impl Default for StatementTimeouts {
    fn default() -> Self {
        Self { requests: Duration::from_secs(30), background: Duration::from_mins(5) }
    }
}

impl Store {
    /// Two connections listen for notifications (`access.rs`, `jobs/notifications.rs`); each of the two roles needs another.
    pub const MIN_CONNECTIONS: u32 = 4;
    /// How long a request waits for a free connection before it fails.
    const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);
    /// A connection that was idle for longer is tested before it is used.
    const TRUSTED_IDLE: Duration = Duration::from_secs(2);

    /// Opens a database on an external server, with one user for everything.
    pub async fn open(
        url: &DatabaseUrl,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        let logins = prepare::with_one_user(&url.connect_options()).await?;
        Ok(Self::with_logins(logins, max_connections, clock, ids))
    }

    /// Opens a database on an external server, with users that the operator chose.
    pub async fn open_with_users(
        urls: &DatabaseUrls,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        let logins = prepare::with_given_users(urls).await?;
        Ok(Self::with_logins(logins, max_connections, clock, ids))
    }

    /// Opens the database of the private server; creates it on the first start.
    pub async fn open_private(
        server: &PrivateServer,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Result<Self, OpenError> {
        let options = url::private_connect_options(server);
        prepare::create_database(&options).await?;
        let logins = prepare::with_one_user(&options).await?;
        match logins.weakness() {
            // The private server always accepts the logins.
            Some(reason) => Err(OpenError::LoginRefused { reason: reason.to_owned() }),
            None => Ok(Self::with_logins(logins, max_connections, clock, ids)),
        }
    }

    fn with_logins(
        logins: Logins,
        max_connections: u32,
        clock: Arc<dyn Clock>,
        ids: Arc<dyn IdGen>,
    ) -> Self {
        let access = Access { logins, max_connections, timeouts: StatementTimeouts::default() };
        Self {
            app: access.app_pool(access.for_app()),
            system: access.system_pool(access.for_system()),
            clock,
            ids,
            access: Arc::new(access),
            write_check: Arc::default(),
            secret_keys: None,
            #[cfg(feature = "sabotage")]
            unfenced: false,
        }
    }

    /// The same database with other statement timeouts. Existing connections keep theirs, so call this right after
    /// opening.
    #[must_use]
    pub fn with_statement_timeouts(self, timeouts: StatementTimeouts) -> Self {
        let access = Access { timeouts, ..(*self.access).clone() };
        Self {
            app: access.app_pool(access.for_app()),
            system: access.system_pool(access.for_system()),
            access: Arc::new(access),
            ..self
        }
    }

    pub fn statement_timeouts(&self) -> StatementTimeouts {
        self.access.timeouts
    }

    /// Why the application's connections could assume a more powerful role, if they could: the server accepts one login of
    /// Docket only.
    pub fn login_weakness(&self) -> Option<&str> {
        self.access.logins.weakness()
    }

    /// The same database with connections of its own, which belong to the current runtime: a busy other runtime does not
    /// delay them. At most this many for each of the two roles.
    #[must_use]
    pub fn with_own_connections(&self, max_connections: u32) -> Self {
        let (app, system) =
            (self.access.app_pool(max_connections), self.access.system_pool(max_connections));
        Self { app, system, ..self.clone() }
    }

    /// A store that accepts reports on leased jobs without the lease token.
    #[cfg(feature = "sabotage")]
    #[doc(hidden)]
    #[must_use]
    pub fn unfenced(&self) -> Self {
        Self { unfenced: true, ..self.clone() }
    }

    /// Identifies the schema: changes with every migration.
    pub fn schema_fingerprint() -> u64 {
        prepare::schema_fingerprint()
    }

    /// Checks that the database answers, with both roles; and, after it refused a write, that it accepts writes again.
    pub async fn check(&self) -> Result<(), StoreError> {
        check_pool(&self.app).await?;
        check_pool(&self.system).await?;
        self.write_check.check(&self.system).await
    }

    /// Closes all connections, after those in use were returned.
    pub async fn close(&self) {
        self.app.close().await;
        self.system.close().await;
    }
}

impl Access {
    /// Two fifths of the connections are for work across tenants: the queue needs few, and requests need the rest.
    fn for_system(&self) -> u32 {
        (self.max_connections * 2 / 5).max(1)
    }

    fn for_app(&self) -> u32 {
        self.max_connections.saturating_sub(self.for_system()).max(1)
    }

    fn app_pool(&self, max_connections: u32) -> PgPool {
        pool(&self.logins.app, self.timeouts.requests, max_connections)
    }

    fn system_pool(&self, max_connections: u32) -> PgPool {
        pool(&self.logins.system, self.timeouts.background, max_connections)
    }
}

/// A dead idle connection says nothing about the server's current state: it is closed, and the next one is tried, until one
/// answers or a new one fails.
async fn check_pool(pool: &PgPool) -> Result<(), StoreError> {
    let mut idle = pool.num_idle();
    loop {
        let mut connection = pool.acquire().await?;
        match sqlx::query("SELECT 1").execute(&mut *connection).await {
            Ok(_) => return Ok(()),
            Err(_) if idle > 0 => idle -= 1,
            Err(error) => return Err(error.into()),
        }
        drop(connection.detach());
    }
}

/// Connects when a connection is first needed.
fn pool(login: &Login, statement_timeout: Duration, max_connections: u32) -> PgPool {
    let opening = login.opening(statement_timeout);
    PgPoolOptions::new()
        .max_connections(max_connections)
        .acquire_timeout(Store::ACQUIRE_TIMEOUT)
        // Only connections that may be stale are tested, instead of every one before each use.
        .test_before_acquire(false)
        .before_acquire(|connection, meta| {
            Box::pin(async move {
                let stale = meta.idle_for > Store::TRUSTED_IDLE;
                Ok(!stale || connection.ping().await.is_ok())
            })
        })
        .after_connect(move |connection, _| {
            let opening = opening.clone();
            Box::pin(async move {
                sqlx::raw_sql(AssertSqlSafe(opening)).execute(connection).await?;
                Ok(())
            })
        })
        .connect_lazy_with(login.options.clone())
}
