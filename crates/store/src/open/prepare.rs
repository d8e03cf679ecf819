//! Prepares a database on the first connection: checks, roles, migrations.
//!
//! Several processes may start on one empty database at the same moment. All changes of the database happen under one
//! advisory lock, and changes outside the database (roles, the database itself) tolerate that another process was first.

use std::time::Duration;

use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migrator};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{ConnectOptions, Connection};
use tokio::time::{Instant, sleep};

use super::DatabaseUrls;
use super::error::{OpenError, brief};
use super::logins::{self, Logins, User};
use crate::sql;

static MIGRATIONS: Migrator = sqlx::migrate!("./migrations");

pub(super) fn schema_fingerprint() -> u64 {
    let checksums = MIGRATIONS.iter().flat_map(|step| step.checksum.iter());
    checksums.fold(0, |hash: u64, byte| hash.rotate_left(5).wrapping_mul(31) ^ u64::from(*byte))
}

fn newest_migration() -> i64 {
    MIGRATIONS.iter().map(|step| step.version).max().unwrap_or(0)
}

/// An arbitrary lock id: "docket" in hexadecimal.
const SETUP_LOCK: i64 = 0x646f_636b_6574;

const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// How long to wait for a private server that is being restarted.
const RESTART_LIMIT: Duration = Duration::from_mins(1);
const RESTART_POLL: Duration = Duration::from_millis(50);

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

/// A private server that was just killed can still appear to run. Its supervisor restarts it, so wait for it.
async fn connect_to_supervised(options: &PgConnectOptions) -> Result<PgConnection, OpenError> {
    let began = Instant::now();
    loop {
        match connect(options).await {
            Err(OpenError::Unreachable { .. }) if began.elapsed() < RESTART_LIMIT => {
                sleep(RESTART_POLL).await;
            }
            outcome => return outcome,
        }
    }
}

/// Creates the database that `options` names on a private server, unless it exists, and the role that takes backups of
/// that server.
pub(super) async fn create_database(options: &PgConnectOptions) -> Result<(), OpenError> {
    let mut connection = connect_to_supervised(&options.clone().database("postgres")).await?;
    sqlx::raw_sql(sql!("setup/make_backup_role"))
        .execute(&mut connection)
        .await
        .map_err(OpenError::statement)?;
    let made = sqlx::raw_sql("CREATE DATABASE docket").execute(&mut connection).await;
    connection.close().await.map_err(OpenError::statement)?;
    match made {
        Ok(_) => Ok(()),
        Err(error) if already_exists(&error) => Ok(()),
        Err(error) => Err(OpenError::statement(error)),
    }
}

/// "Duplicate database", or the unique violation of two concurrent creations.
fn already_exists(error: &sqlx::Error) -> bool {
    matches!(
        error.as_database_error().and_then(DatabaseError::code).as_deref(),
        Some("42P04" | "23505")
    )
}

/// Prepares the database as the user of `options`, and creates Docket's logins.
pub(super) async fn with_one_user(options: &PgConnectOptions) -> Result<Logins, OpenError> {
    let (mut connection, user) = bring_up_to_date(options).await?;
    let logins = Logins::made(&mut connection, options, &user).await?;
    connection.close().await.map_err(OpenError::statement)?;
    Ok(logins)
}

/// Prepares the database as the user who migrates, or checks that it is prepared.
pub(super) async fn with_given_users(urls: &DatabaseUrls) -> Result<Logins, OpenError> {
    if let Some(migration) = &urls.migration {
        let (connection, _) = bring_up_to_date(&migration.connect_options()).await?;
        connection.close().await.map_err(OpenError::statement)?;
    } else {
        let mut connection = connect(&urls.app.connect_options()).await?;
        check_server(&mut connection).await?;
        check_schema(&mut connection).await?;
        connection.close().await.map_err(OpenError::statement)?;
    }
    Logins::given(urls.app.connect_options(), urls.system.connect_options()).await
}

/// Creates the roles and migrates. The returned connection still holds the lock.
async fn bring_up_to_date(options: &PgConnectOptions) -> Result<(PgConnection, User), OpenError> {
    let mut connection = connect(options).await?;
    check_server(&mut connection).await?;
    sqlx::query("SELECT pg_advisory_lock($1)")
        .bind(SETUP_LOCK)
        .execute(&mut connection)
        .await
        .map_err(OpenError::statement)?;
    // The lock belongs to the session and ends with the connection.
    let user = User::of(&mut connection).await?;
    logins::make_roles(&mut connection, &user).await?;
    migrate(&mut connection).await?;
    Ok((connection, user))
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
    let known = newest_migration();
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

/// For a user who may not migrate: checks that the schema is the one of this Docket.
async fn check_schema(connection: &mut PgConnection) -> Result<(), OpenError> {
    let needed = newest_migration();
    let found: Option<i64> = sqlx::query_scalar("SELECT max(version) FROM _sqlx_migrations")
        .fetch_one(connection)
        .await
        .map_err(OpenError::statement)?;
    match found.unwrap_or(0) {
        found if found > needed => Err(OpenError::NewerSchema { found, known: needed }),
        found if found < needed => Err(OpenError::OlderSchema { found, needed }),
        _ => Ok(()),
    }
}

/// Distinguishes missing rights from other errors of a migration.
async fn refused(connection: &mut PgConnection, error: sqlx::Error) -> OpenError {
    if !logins::is_not_allowed(&error) {
        return OpenError::statement(error);
    }
    let user = sqlx::query_scalar("SELECT current_user::text").fetch_one(connection).await;
    OpenError::NotAllowed { user: user.unwrap_or_default(), reason: brief(&error) }
}
