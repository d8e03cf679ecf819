//! Errors of statements and transactions.

use std::sync::Arc;

use domain::UnknownValue;
use thiserror::Error;

use crate::write_check;

/// A statement or transaction that failed. Clonable, because several callers may have shared it.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// The server is down, restarting or out of connections. A retry may help.
    #[error("the database is not available")]
    Unavailable(#[source] Arc<sqlx::Error>),
    /// The database refused the statement: a bug in Docket, or a broken database.
    #[error("the database refused a statement")]
    Refused(#[source] Arc<sqlx::Error>),
    /// The server answers but accepts no writes: its disk is full or failing, or it is a standby.
    #[error("the database accepts no writes; its disk may be full")]
    NoWrites(#[source] Arc<sqlx::Error>),
    /// A stored value that this version cannot read.
    #[error("the database contains a {what} that this version does not know: '{value}'")]
    Unreadable { what: &'static str, value: String },
    #[error(
        "this process has no key for document passwords; set secrets_key to the one that the server uses"
    )]
    NoSecretsKey,
    #[error(
        "the key for document passwords is not the one that this database was used with. Set secrets_key \
         (DOCKET_SECRETS_KEY) to the content of secrets/master_key in the data folder of the first server, or \
         restore that file from a backup"
    )]
    OtherSecretsKey,
}

impl StoreError {
    pub fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::NoWrites(_))
    }
}

impl From<UnknownValue> for StoreError {
    fn from(UnknownValue { what, text: value }: UnknownValue) -> Self {
        Self::Unreadable { what, value }
    }
}

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let is_transient = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            // The error of a connection that the server closed between two messages.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::BeginFailed => true,
            sqlx::Error::Database(refusal) => refusal.code().is_some_and(|code| is_transient_code(&code)),
            _ => false,
        };
        write_check::note(&error);
        let error = Arc::new(error);
        if is_transient { Self::Unavailable(error) } else { Self::Refused(error) }
    }
}

/// SQLSTATE classes of transient errors: the server is starting, shutting down, out of resources, read-only (a standby, or
/// a service that makes a full database read-only) or its disk fails; or it rolled this transaction back because of
/// another one, or cancelled a statement at its timeout.
fn is_transient_code(code: &str) -> bool {
    const ROLLED_BACK: &str = "40";
    const CONNECTION: &str = "08";
    const OUT_OF_RESOURCES: &str = "53";
    const SHUTTING_DOWN_OR_STARTING: &str = "57P";
    const STATEMENT_TIMEOUT: &str = "57014";
    const READ_ONLY: &str = "25006";
    const SYSTEM_ERROR: &str = "58";
    [
        READ_ONLY,
        SYSTEM_ERROR,
        CONNECTION,
        OUT_OF_RESOURCES,
        SHUTTING_DOWN_OR_STARTING,
        ROLLED_BACK,
        STATEMENT_TIMEOUT,
    ]
    .iter()
    .any(|class| code.starts_with(class))
}
