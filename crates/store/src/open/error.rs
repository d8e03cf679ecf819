//! Errors of opening a database, each with what to do about it.

use thiserror::Error;

#[derive(Debug, Error)]
pub enum OpenError {
    #[error(
        "cannot reach the database {database}: {reason}. Check that PostgreSQL is running there and \
         that the host, port, user, password and database name in database_url are right"
    )]
    Unreachable { database: String, reason: String },
    #[error(
        "the PostgreSQL server is version {found}, Docket needs {} or newer. Upgrade the server, or \
         leave database_url empty to use Docket's own",
        Self::OLDEST_MAJOR
    )]
    ServerTooOld { found: String },
    #[error(
        "the database stores text as {found}, Docket needs UTF8. Create it again with \
         CREATE DATABASE name ENCODING 'UTF8' TEMPLATE template0"
    )]
    NotUtf8 { found: String },
    #[error(
        "this PostgreSQL has no pgvector, which Docket needs for search. Install it on the server \
         (on Debian the package is postgresql-{major}-pgvector), or use the PostgreSQL that is bundled with Docket \
         when it is built by make: leave database_url empty"
    )]
    NoPgvector { major: i32 },
    #[error(
        "the database user {user} may not set up the database: {reason}. Connect as the database's \
         owner (ALTER DATABASE … OWNER TO {user}), and if it is about the extension, run \
         CREATE EXTENSION vector as a superuser first"
    )]
    NotAllowed { user: String, reason: String },
    #[error(
        "the database user {user} may not use the roles docket_app and docket_system: {reason}. Run \
         this once as an administrator of the server: CREATE ROLE docket_app NOLOGIN; CREATE ROLE \
         docket_system NOLOGIN; GRANT docket_app TO docket_system; ALTER ROLE \"{user}\" NOINHERIT; \
         GRANT docket_app, docket_system TO \"{user}\"; (docs/database-roles.md explains them)"
    )]
    RolesMissing { user: String, reason: String },
    #[error(
        "the user in {setting} has the wrong rights: {problem}. docs/database-roles.md has the \
         statements that create the right one"
    )]
    UnfitLogin { setting: &'static str, problem: String },
    #[error("the private PostgreSQL does not accept Docket's own logins: {reason}")]
    LoginRefused { reason: String },
    #[error(
        "the database has schema {found}, this Docket needs {needed}. Set migration_database_url, or \
         run docket migrate with it"
    )]
    OlderSchema { found: i64, needed: i64 },
    #[error(
        "the database has schema {found}, this Docket knows schemas up to {known}. A newer Docket \
         has used it: start that version or a later one"
    )]
    NewerSchema { found: i64, known: i64 },
    #[error(
        "schema step {version} of the database is not the one of this Docket. The database \
         was set up by a modified Docket: use that one, or restore a backup"
    )]
    OtherHistory { version: i64 },
    #[error("setting up the database failed: {reason}")]
    Failed {
        reason: String,
        #[source]
        source: sqlx::Error,
    },
}

impl OpenError {
    pub(super) const OLDEST_MAJOR: i32 = 15;

    pub(super) fn statement(source: sqlx::Error) -> Self {
        Self::Failed { reason: brief(&source), source }
    }
}

/// A short message: the server's own if it sent one.
pub(super) fn brief(error: &sqlx::Error) -> String {
    match error {
        sqlx::Error::Database(refusal) => refusal.message().to_owned(),
        sqlx::Error::Io(io) => io.to_string(),
        other => other.to_string(),
    }
}
