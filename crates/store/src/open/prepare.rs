//! What happens on the first connection, before any other is made.
//!
//! Several processes may start on one empty database at the same moment. Everything that changes
//! the database is done under one advisory lock, and everything outside the database (the role, the
//! database itself) expects that somebody else was quicker.

use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection, Executor};
use tokio::time::{Instant, sleep};

use super::error::{OpenError, brief};

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

pub(super) fn schema_fingerprint() -> u64 {
    let checksums = MIGRATIONS.iter().flat_map(|step| step.checksum.iter());
    checksums.fold(0, |hash: u64, byte| hash.rotate_left(5).wrapping_mul(31) ^ u64::from(*byte))
}

/// Any number that nobody else is likely to lock: "docket" in hexadecimal.
const SETUP_LOCK: i64 = 0x646f_636b_6574;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long a private server that died under our hands may take to come back.
const RETURN_LIMIT: Duration = Duration::from_mins(1);
const RETURN_POLL: Duration = Duration::from_millis(50);

/// As whom sessions work.
#[derive(Clone, Copy, Debug)]
pub(super) enum SessionRole {
    /// The user of the URL: the tables' policies hold for it as they are.
    AsConnected,
    /// The user of the URL passes row-level security by, so sessions step down to a role that
    /// does not.
    Restricted,
}

impl SessionRole {
    pub(super) fn statement(self) -> Option<&'static str> {
        match self {
            Self::AsConnected => None,
            Self::Restricted => Some("SET ROLE docket_app"),
        }
    }
}

pub(super) async fn connect(options: &PgConnectOptions) -> Result<PgConnection, OpenError> {
    let unreachable = |reason| OpenError::Unreachable { database: shown(options), reason };
    match tokio::time::timeout(CONNECT_TIMEOUT, options.connect()).await {
        Ok(Ok(connection)) => Ok(connection),
        Ok(Err(error)) => Err(unreachable(brief(&error))),
        Err(_) => Err(unreachable(format!("no answer within {} s", CONNECT_TIMEOUT.as_secs()))),
    }
}

fn shown(options: &PgConnectOptions) -> String {
    let database = options.get_database().unwrap_or("");
    match options.get_socket() {
        Some(folder) => format!("'{database}' at {}", folder.display()),
        None => format!("'{database}' at {}:{}", options.get_host(), options.get_port()),
    }
}

/// A private server that was killed a moment ago can still look as if it served. Its minder brings
/// it back, so it is worth waiting for.
async fn connect_to_minded(options: &PgConnectOptions) -> Result<PgConnection, OpenError> {
    let began = Instant::now();
    loop {
        match connect(options).await {
            Err(OpenError::Unreachable { .. }) if began.elapsed() < RETURN_LIMIT => {
                sleep(RETURN_POLL).await;
            }
            outcome => return outcome,
        }
    }
}

/// Makes the database that `options` names on a private server, unless it is there.
pub(super) async fn create_database(options: &PgConnectOptions) -> Result<(), OpenError> {
    let mut connection = connect_to_minded(&options.clone().database("postgres")).await?;
    let made = sqlx::raw_sql("CREATE DATABASE docket").execute(&mut connection).await;
    connection.close().await.map_err(OpenError::statement)?;
    match made {
        Ok(_) => Ok(()),
        Err(error) if is_already_there(&error) => Ok(()),
        Err(error) => Err(OpenError::statement(error)),
    }
}

/// "Duplicate database", or the unique violation that two creations at once run into.
fn is_already_there(error: &sqlx::Error) -> bool {
    matches!(
        error.as_database_error().and_then(DatabaseError::code).as_deref(),
        Some("42P04" | "23505")
    )
}

pub(super) async fn bring_up_to_date(
    connection: &mut PgConnection,
) -> Result<SessionRole, OpenError> {
    check_server(connection).await?;
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(SETUP_LOCK)
        .execute(&mut *connection)
        .await
        .map_err(OpenError::statement)?;
    // The lock is the session's: it ends with the connection, however this goes.
    migrate(connection).await?;
    choose_session_role(connection).await
}

async fn check_server(connection: &mut PgConnection) -> Result<(), OpenError> {
    let (number, shown, encoding, has_vector): (i32, String, String, bool) = sqlx::query_as(
        "SELECT current_setting('server_version_num')::int, current_setting('server_version'),
                current_setting('server_encoding'),
                EXISTS (SELECT FROM pg_available_extensions WHERE name = 'vector')",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(OpenError::statement)?;
    let major = number / 10_000;
    if major < OpenError::OLDEST_MAJOR {
        return Err(OpenError::ServerTooOld { found: shown });
    }
    if encoding != "UTF8" {
        return Err(OpenError::NotUtf8 { found: encoding });
    }
    if !has_vector {
        return Err(OpenError::NoPgvector { major });
    }
    Ok(())
}

async fn migrate(connection: &mut PgConnection) -> Result<(), OpenError> {
    let known = MIGRATIONS.iter().map(|step| step.version).max().unwrap_or(0);
    match MIGRATIONS.run(&mut *connection).await {
        Ok(()) => Ok(()),
        Err(MigrateError::VersionMissing(found)) => Err(OpenError::NewerSchema { found, known }),
        Err(MigrateError::VersionMismatch(version)) => Err(OpenError::OtherHistory { version }),
        Err(MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) => {
            Err(refused(connection, error).await)
        }
        Err(other) => Err(OpenError::statement(sqlx::Error::Migrate(Box::new(other)))),
    }
}

/// Tells "you may not" from everything else that a schema step can fail with.
async fn refused(connection: &mut PgConnection, error: sqlx::Error) -> OpenError {
    const INSUFFICIENT_PRIVILEGE: &str = "42501";
    let code = error.as_database_error().and_then(DatabaseError::code);
    if code.as_deref() != Some(INSUFFICIENT_PRIVILEGE) {
        return OpenError::statement(error);
    }
    let user = sqlx::query_scalar("SELECT current_user::text").fetch_one(connection).await;
    OpenError::NotAllowed { user: user.unwrap_or_default(), reason: brief(&error) }
}

/// A superuser passes row-level security by. Then a role that does not is made (once per server)
/// and given what the product needs; the log of audit rows it may only read and add to.
async fn choose_session_role(connection: &mut PgConnection) -> Result<SessionRole, OpenError> {
    let passes_by: bool = sqlx::query_scalar(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user",
    )
    .fetch_one(&mut *connection)
    .await
    .map_err(OpenError::statement)?;
    if !passes_by {
        return Ok(SessionRole::AsConnected);
    }
    match connection.execute(include_str!("../../sql/setup/restricted_role.sql")).await {
        Ok(_) => Ok(SessionRole::Restricted),
        Err(error) => Err(refused(connection, error).await),
    }
}
