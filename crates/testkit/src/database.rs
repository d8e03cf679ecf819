//! One database per test, cloned from a template that was migrated once.

use std::sync::Arc;

use domain::{Clock, IdGen, Secret};
use sqlx::postgres::{PgConnectOptions, PgConnection};
use sqlx::{AssertSqlSafe, Connection};
use store::{DatabaseUrl, SecretKeys, Store};

use crate::server::{maintenance, new_database_name};

/// An empty, migrated database of the test's own.
#[derive(Debug)]
pub struct TestDatabase {
    url: String,
    options: PgConnectOptions,
}

impl TestDatabase {
    /// A clone of the migrated template.
    pub async fn create() -> Self {
        let (server, mut connection) = maintenance().await;
        let template = ready_template(&server, &mut connection).await;
        let name = new_database_name();
        run(&mut connection, format!("CREATE DATABASE \"{name}\" TEMPLATE \"{template}\"")).await;
        Self::named(&server, &name)
    }

    /// A database with nothing in it, not even the schema.
    pub async fn create_bare() -> Self {
        let (server, mut connection) = maintenance().await;
        let name = new_database_name();
        run(
            &mut connection,
            format!("CREATE DATABASE \"{name}\" TEMPLATE template0 ENCODING 'UTF8'"),
        )
        .await;
        Self::named(&server, &name)
    }

    fn named(server: &PgConnectOptions, name: &str) -> Self {
        let options = server.clone().database(name);
        Self { url: url_of(&options), options }
    }

    pub fn name(&self) -> &str {
        self.options.get_database().expect("it was made under a name")
    }

    pub fn url(&self) -> &str {
        &self.url
    }

    pub async fn store(&self, clock: Arc<dyn Clock>, ids: Arc<dyn IdGen>) -> Store {
        let url: DatabaseUrl = self.url.parse().expect("our own URL is one");
        let store = Store::open(&url, 20, clock, ids).await.expect("the test database opens");
        let keys = SecretKeys::of(Secret::new("the secrets key of a test"));
        store.with_secret_keys(keys).await.expect("the key is the one of this database")
    }

    /// A connection past the store, as the server's superuser, to inspect and change rows directly.
    pub async fn superuser(&self) -> PgConnection {
        PgConnection::connect_with(&self.options).await.expect("the test database answers")
    }
}

impl TestDatabase {
    /// The way to this database for another user of the server.
    pub fn url_as(&self, user: &str, password: &str) -> String {
        url_of(&self.options.clone().username(user).password(password))
    }

    /// A connection past the store, as the role that does the work of one tenant.
    pub async fn application(&self) -> PgConnection {
        let options = self.options.clone().username("docket_app");
        PgConnection::connect_with(&options).await.expect("the application may connect")
    }

    /// The same, as the role that does the work across tenants.
    pub async fn system(&self) -> PgConnection {
        let options = self.options.clone().username("docket_system");
        PgConnection::connect_with(&options).await.expect("the system may connect")
    }

    pub async fn connect_as(&self, user: &str, password: &str) -> PgConnection {
        let options = self.options.clone().username(user).password(password);
        PgConnection::connect_with(&options).await.expect("the user may connect")
    }
}

/// The template's name contains the hash of the schema, so that a changed schema gets a new template.
async fn ready_template(server: &PgConnectOptions, connection: &mut PgConnection) -> String {
    const LOCK: i64 = 0x7465_6d70;
    let name = format!("docket_template_{:016x}", Store::schema_fingerprint());
    sqlx::query("SELECT pg_advisory_lock($1)").bind(LOCK).execute(&mut *connection).await.unwrap();
    let exists: bool =
        sqlx::query_scalar("SELECT EXISTS (SELECT FROM pg_database WHERE datname = $1)")
            .bind(&name)
            .fetch_one(&mut *connection)
            .await
            .unwrap();
    if !exists {
        make_template(server, connection, &name).await;
    }
    sqlx::query("SELECT pg_advisory_unlock($1)")
        .bind(LOCK)
        .execute(&mut *connection)
        .await
        .unwrap();
    name
}

/// Made under another name first: a template is there migrated, or not at all.
async fn make_template(server: &PgConnectOptions, connection: &mut PgConnection, name: &str) {
    let draft = format!("{name}_draft");
    run(connection, format!("DROP DATABASE IF EXISTS \"{draft}\" WITH (FORCE)")).await;
    run(connection, format!("CREATE DATABASE \"{draft}\" TEMPLATE template0 ENCODING 'UTF8'"))
        .await;
    let url: DatabaseUrl = url_of(&server.clone().database(&draft)).parse().unwrap();
    let environment = crate::fake_environment(&Arc::default());
    let store = Store::open(&url, 2, environment.clock, environment.ids)
        .await
        .expect("the template's schema comes up");
    store.close().await;
    run(connection, format!("ALTER DATABASE \"{draft}\" RENAME TO \"{name}\"")).await;
}

async fn run(connection: &mut PgConnection, statement: String) {
    let done = sqlx::raw_sql(AssertSqlSafe(statement.clone())).execute(connection).await;
    done.unwrap_or_else(|error| panic!("{statement}: {error}"));
}

fn url_of(options: &PgConnectOptions) -> String {
    use sqlx::ConnectOptions;
    options.to_url_lossy().to_string()
}
