//! The PostgreSQL server that test databases live on.

use std::path::PathBuf;

use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, ConnectOptions, Connection};
use store::private::{Durability, PrivateServer, Settings};

/// Set by whoever runs the tests: a superuser's way to the server.
pub(crate) const URL_VARIABLE: &str = "TEST_DATABASE_URL";
/// Every database of a run begins with this, and the run's id.
const DATABASE_PREFIX: &str = "docket_test";
const RUN_VARIABLE: &str = "DOCKET_TEST_RUN";

/// A private server with durability off, in a folder of its own.
#[derive(Debug)]
pub struct TestServer {
    server: PrivateServer,
    folder: PathBuf,
}

impl TestServer {
    pub async fn start(folder: PathBuf) -> anyhow::Result<Self> {
        let settings = Settings {
            durability: Durability::OffForTests,
            password_logins: true,
            ..Settings::new(folder.clone())
        };
        Ok(Self { server: PrivateServer::start_or_attach(settings).await?, folder })
    }

    /// The way to the server for any process of this machine and user.
    pub fn url(&self) -> String {
        let socket = self.folder.join("data").display().to_string().replace('/', "%2F");
        format!("postgres://{}@localhost/postgres?host={socket}", self.server.user())
    }

    pub async fn stop(self) -> anyhow::Result<()> {
        self.server.release().await?;
        Ok(())
    }
}

/// The name of a new database of this run.
pub(crate) fn new_database_name() -> String {
    static LAST: std::sync::atomic::AtomicU32 = std::sync::atomic::AtomicU32::new(0);
    let number = LAST.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    let run = std::env::var(RUN_VARIABLE).unwrap_or_else(|_| "bare".to_owned());
    format!("{DATABASE_PREFIX}_{run}_{}_{}_{number}", std::process::id(), start_of_this_process())
}

/// In clock ticks since the machine was started: process numbers come back when there were many processes.
fn start_of_this_process() -> String {
    let status = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the program's name in brackets, and may hold anything.
    let after_name = status.rsplit_once(')').map_or("", |(_, rest)| rest);
    after_name.split_whitespace().nth(19).unwrap_or("0").to_owned()
}

/// Leaves a server that it did not start running.
pub async fn remove_databases_of_this_run(url: &str, run: &str) -> anyhow::Result<()> {
    let mut connection = url.parse::<PgConnectOptions>()?.connect().await?;
    let names: Vec<String> =
        sqlx::query_scalar("SELECT datname FROM pg_database WHERE starts_with(datname, $1)")
            .bind(format!("{DATABASE_PREFIX}_{run}_"))
            .fetch_all(&mut connection)
            .await?;
    for name in names {
        let drop = format!("DROP DATABASE IF EXISTS \"{name}\" WITH (FORCE)");
        sqlx::raw_sql(AssertSqlSafe(drop)).execute(&mut connection).await?;
    }
    connection.close().await?;
    Ok(())
}

/// A connection to the server's own database, starting a server if none was named.
pub(crate) async fn maintenance() -> (PgConnectOptions, PgConnection) {
    let url = match std::env::var(URL_VARIABLE) {
        Ok(url) => url,
        Err(_) => lasting_server_url().await,
    };
    let options: PgConnectOptions = url.parse().expect("TEST_DATABASE_URL is a PostgreSQL URL");
    let connection = options.connect().await.expect("the test server answers");
    (options, connection)
}

/// Starts (or finds) a server that outlives this process.
async fn lasting_server_url() -> String {
    let user = std::env::var("USER").unwrap_or_else(|_| "unknown".to_owned());
    let folder = std::env::temp_dir().join(format!("docket-test-postgres-{user}"));
    let server = TestServer::start(folder).await.expect("a test server starts");
    let url = server.url();
    // Dropped without being released, it keeps running.
    drop(server);
    url
}
