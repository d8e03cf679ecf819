//! Database URLs.

use std::fmt;
use std::str::FromStr;

use sqlx::postgres::{PgConnectOptions, PgSslMode};
use thiserror::Error;

use crate::private::PrivateServer;

/// `postgres://user:password@host:port/database`. The password never shows in logs or messages.
#[derive(Clone)]
pub struct DatabaseUrl {
    options: PgConnectOptions,
    shown: String,
}

/// The users that an operator chose for a database, one for each kind of work.
#[derive(Clone, Debug)]
pub struct DatabaseUrls {
    /// A member of `docket_app`.
    pub app: DatabaseUrl,
    /// A member of `docket_system`.
    pub system: DatabaseUrl,
    /// The owner of the tables. `None`: another process migrates, and the schema is only checked.
    pub migration: Option<DatabaseUrl>,
}

#[derive(Debug, Error)]
#[error("it must look like postgres://user:password@host:5432/database")]
pub struct InvalidDatabaseUrl;

impl FromStr for DatabaseUrl {
    type Err = InvalidDatabaseUrl;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let known_scheme = text.starts_with("postgres://") || text.starts_with("postgresql://");
        if !known_scheme {
            return Err(InvalidDatabaseUrl);
        }
        let options: PgConnectOptions = text.parse().map_err(|_| InvalidDatabaseUrl)?;
        let host = options.get_socket().map_or_else(
            || format!("{}:{}", options.get_host(), options.get_port()),
            |folder| folder.display().to_string(),
        );
        let database = options.get_database().unwrap_or("");
        let shown = format!("postgres://{}@{host}/{database}", options.get_username());
        Ok(Self { options, shown })
    }
}

impl fmt::Display for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for DatabaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "DatabaseUrl({self})")
    }
}

impl DatabaseUrl {
    pub(super) fn connect_options(&self) -> PgConnectOptions {
        self.options.clone().application_name("docket")
    }
}

/// The database `docket` of the private server; ignores `PG…` environment variables.
pub(super) fn private_connect_options(server: &PrivateServer) -> PgConnectOptions {
    PgConnectOptions::new_without_pgpass()
        .socket(server.socket_dir())
        .port(5432)
        .username(server.user())
        .database("docket")
        .ssl_mode(PgSslMode::Disable)
        .application_name("docket")
}
