//! What can go wrong with a statement.

use std::sync::Arc;

use thiserror::Error;

use crate::write_check;

/// A statement or transaction that did not go through. Several callers may have shared it.
#[derive(Clone, Debug, Error)]
pub enum StoreError {
    /// The server is away, restarting or has no connection to spare. Trying again may help.
    #[error("the database is not available")]
    Unavailable(#[source] Arc<sqlx::Error>),
    /// The database refused the statement: a bug of ours, or a broken database.
    #[error("the database refused a statement")]
    Refused(#[source] Arc<sqlx::Error>),
    /// The server answers and takes no writes: its disk is full or failing, or it is a standby.
    #[error("the database takes no writes; its disk may be full")]
    NoWrites(#[source] Arc<sqlx::Error>),
    /// A stored value that this version does not understand.
    #[error("the database holds a {what} that this version does not know: '{value}'")]
    NotUnderstood { what: &'static str, value: String },
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

impl From<sqlx::Error> for StoreError {
    fn from(error: sqlx::Error) -> Self {
        let away = match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            // What a connection says that the server dropped between two messages.
            | sqlx::Error::Protocol(_)
            | sqlx::Error::BeginFailed => true,
            sqlx::Error::Database(refusal) => refusal.code().is_some_and(|code| is_away(&code)),
            _ => false,
        };
        write_check::note(&error);
        let error = Arc::new(error);
        if away { Self::Unavailable(error) } else { Self::Refused(error) }
    }
}

/// SQLSTATE classes of a server that is going away, coming up, out of resources, not writable (a standby, or a service
/// that makes a full database read-only) or whose disk fails, that undid this transaction in favour of another,
/// or that ended a statement at its time limit.
fn is_away(code: &str) -> bool {
    const ROLLED_BACK_FOR_ANOTHER: &str = "40";
    const CONNECTION: &str = "08";
    const OUT_OF_RESOURCES: &str = "53";
    const SHUTTING_DOWN_OR_STARTING: &str = "57P";
    const TOOK_TOO_LONG: &str = "57014";
    const READ_ONLY: &str = "25006";
    const SYSTEM_ERROR: &str = "58";
    [
        READ_ONLY,
        SYSTEM_ERROR,
        CONNECTION,
        OUT_OF_RESOURCES,
        SHUTTING_DOWN_OR_STARTING,
        ROLLED_BACK_FOR_ANOTHER,
        TOOK_TOO_LONG,
    ]
    .iter()
    .any(|class| code.starts_with(class))
}
