//! The application's login may do the work of one tenant, and nothing else. Each statement is one that injected SQL would
//! try.

#![expect(
    clippy::panic,
    clippy::unwrap_used,
    reason = "the helpers of a test may do what a test may"
)]

use std::sync::Arc;
use std::time::Duration;

use sqlx::{AssertSqlSafe, Connection, PgConnection};
use store::{DatabaseUrls, OpenError, StatementTimeouts, Store, StoreError};
use testkit::{TestApp, TestDatabase};

/// The error code and message with which the server refuses a statement.
async fn refusal(connection: &mut PgConnection, statement: &str) -> (String, String) {
    let done = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(connection).await;
    let error = done.err().unwrap_or_else(|| panic!("allowed: {statement}"));
    let refusal = error.as_database_error().unwrap_or_else(|| panic!("{statement}: {error}"));
    (refusal.code().unwrap().into_owned(), refusal.message().to_owned())
}

#[tokio::test]
async fn the_setting_that_showed_every_tenant_shows_nothing() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.tenant("other").await;
    let mut connection = app.database.application().await;
    let own = format!(
        "SET docket.every_tenant = 'on'; SET docket.tenant_id = '{}'",
        acme.tenant.tenant_id
    );
    sqlx::raw_sql(AssertSqlSafe(own)).execute(&mut connection).await.unwrap();
    for table in ["tenants", "users", "audit_log"] {
        let seen = format!("SELECT DISTINCT tenant_id FROM {table}");
        let seen: Vec<uuid::Uuid> =
            sqlx::query_scalar(AssertSqlSafe(seen)).fetch_all(&mut connection).await.unwrap();
        assert_eq!(seen, [acme.tenant.tenant_id.0], "{table}");
    }
}

#[tokio::test]
async fn the_application_cannot_assume_another_role() {
    let database = TestDatabase::create().await;
    let mut connection = database.application().await;
    // These reset to the role of the login itself.
    for statement in ["RESET ROLE", "RESET SESSION AUTHORIZATION", "SET ROLE NONE"] {
        sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(&mut connection).await.unwrap();
        let user: String = sqlx::query_scalar("SELECT current_user || ' ' || session_user")
            .fetch_one(&mut connection)
            .await
            .unwrap();
        assert_eq!(user, "docket_app docket_app", "{statement}");
    }
    for statement in [
        "SET ROLE docket_system",
        "SET ROLE docket",
        "SET ROLE pg_read_all_data",
        "SET SESSION AUTHORIZATION docket_system",
        "SET SESSION AUTHORIZATION docket",
        "ALTER ROLE docket_app SUPERUSER",
        "ALTER ROLE docket_app BYPASSRLS",
        "ALTER ROLE docket_system PASSWORD 'x'",
        "CREATE ROLE another LOGIN",
        "GRANT docket_system TO docket_app",
        "DROP ROLE docket_backup",
    ] {
        let (code, words) = refusal(&mut connection, statement).await;
        assert_eq!(code, "42501", "{statement}: {words}");
    }
}

#[tokio::test]
async fn the_application_reaches_no_file_and_no_program_of_the_server() {
    let database = TestDatabase::create().await;
    let mut connection = database.application().await;
    for statement in [
        "COPY (SELECT 1) TO PROGRAM 'id'",
        "COPY (SELECT 1) TO '/tmp/docket-was-here'",
        "CREATE TEMP TABLE lines (line text); COPY lines FROM '/etc/passwd'",
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_read_file('pg_hba.conf')",
        "SELECT pg_ls_dir('.')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT rolpassword FROM pg_authid",
        "ALTER SYSTEM SET archive_command = 'id'",
        "CREATE FUNCTION run(text) RETURNS int AS 'libc', 'system' LANGUAGE c",
        "SELECT pg_reload_conf()",
        "SET session_replication_role = replica",
        "LOAD 'auto_explain'",
    ] {
        let (code, words) = refusal(&mut connection, statement).await;
        assert_eq!(code, "42501", "{statement}: {words}");
    }
}

#[tokio::test]
async fn the_application_cannot_remove_the_protections() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let mut connection = app.database.application().await;
    let own = format!("SET docket.tenant_id = '{}'", acme.tenant.tenant_id);
    sqlx::raw_sql(AssertSqlSafe(own)).execute(&mut connection).await.unwrap();
    for statement in [
        "ALTER TABLE documents DISABLE ROW LEVEL SECURITY",
        "ALTER TABLE documents NO FORCE ROW LEVEL SECURITY",
        "DROP POLICY own_tenant ON documents",
        "CREATE POLICY all_mine ON documents USING (true)",
        "ALTER TABLE audit_log DISABLE TRIGGER append_only",
        "DROP TRIGGER append_only ON audit_log",
        "DROP FUNCTION docket_refuse_truncate() CASCADE",
        "CREATE OR REPLACE FUNCTION docket_tenant() RETURNS uuid LANGUAGE sql AS 'SELECT NULL::uuid'",
        "ALTER TABLE audit_log OWNER TO docket_app",
        "UPDATE audit_log SET detail = '{}'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "DELETE FROM audit_chain_shards",
        "DROP TABLE audit_log",
        "CREATE TABLE mine ()",
        "UPDATE schedules SET next_at = now()",
        "DELETE FROM embedding_models",
        "DELETE FROM _sqlx_migrations",
    ] {
        let (code, words) = refusal(&mut connection, statement).await;
        assert_eq!(code, "42501", "{statement}: {words}");
    }
}

#[tokio::test]
async fn the_system_sees_every_tenant_and_changes_no_audit_row_either() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    app.tenant("other").await;
    let mut connection = app.database.system().await;
    let tenants: i64 = sqlx::query_scalar("SELECT count(*) FROM tenants")
        .fetch_one(&mut connection)
        .await
        .unwrap();
    assert_eq!(tenants, 2);
    for statement in [
        "UPDATE audit_log SET detail = '{}'",
        "DELETE FROM audit_log",
        "TRUNCATE audit_log",
        "SET ROLE docket",
        "ALTER TABLE documents DISABLE ROW LEVEL SECURITY",
        "COPY (SELECT 1) TO PROGRAM 'id'",
    ] {
        let (code, words) = refusal(&mut connection, statement).await;
        assert_eq!(code, "42501", "{statement}: {words}");
    }
}

#[tokio::test]
async fn both_roles_can_read_and_write_every_table_of_a_tenant() {
    let database = TestDatabase::create().await;
    let mut superuser = database.superuser().await;
    let closed: Vec<String> = sqlx::query_scalar(
        "SELECT format('%s for %s', c.relname, role) FROM pg_class AS c,
                unnest(ARRAY['docket_app', 'docket_system']) AS role
         WHERE c.relnamespace = 'public'::regnamespace AND c.relforcerowsecurity
           AND NOT (has_table_privilege(role, c.oid, 'SELECT') AND has_table_privilege(role, c.oid, 'INSERT'))",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    assert_eq!(closed, Vec::<String>::new(), "call docket_protect after 0015");
}

async fn open(url: &str) -> Store {
    let environment = testkit::fake_environment(&Arc::default());
    Store::open(&url.parse().unwrap(), 4, environment.clock, environment.ids).await.unwrap()
}

/// Waits until exactly these users are connected to the database, apart from the connection that checks.
async fn wait_for_users(superuser: &mut PgConnection, wanted: &[&str]) {
    const LOOKS: usize = 2000;
    let mut found: Vec<String> = Vec::new();
    for _ in 0..LOOKS {
        found = sqlx::query_scalar(
            "SELECT DISTINCT usename::text FROM pg_stat_activity
             WHERE datname = current_database() AND pid <> pg_backend_pid()
               AND backend_type = 'client backend' ORDER BY 1",
        )
        .fetch_all(&mut *superuser)
        .await
        .unwrap();
        if found == wanted {
            return;
        }
    }
    panic!("{found:?} are connected");
}

#[tokio::test]
async fn after_the_migrations_no_connection_is_a_superusers() {
    let database = TestDatabase::create_bare().await;
    let store = open(database.url()).await;
    store.check().await.unwrap();
    assert_eq!(store.login_weakness(), None);
    wait_for_users(&mut database.superuser().await, &["docket_app", "docket_system"]).await;
    store.close().await;
}

#[tokio::test]
async fn a_user_with_a_password_gets_logins_with_derived_passwords() {
    let database = TestDatabase::create_bare().await;
    let mut superuser = database.superuser().await;
    let admin = format!("admin_{}", database.name());
    let make = format!("CREATE ROLE \"{admin}\" SUPERUSER LOGIN PASSWORD 'first'");
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut superuser).await.unwrap();
    let [app, system] = ["app", "system"].map(|role| format!("docket_{role}_{admin}"));

    let store = open(&database.url_as(&admin, "first")).await;
    store.check().await.unwrap();
    assert_eq!(store.login_weakness(), None);
    wait_for_users(&mut superuser, &[&app, &system]).await;
    // A process on another machine knows the same passwords.
    let second = open(&database.url_as(&admin, "first")).await;
    second.check().await.unwrap();
    second.close().await;
    store.close().await;

    let change = format!("ALTER ROLE \"{admin}\" PASSWORD 'second'");
    sqlx::raw_sql(AssertSqlSafe(change)).execute(&mut superuser).await.unwrap();
    let store = open(&database.url_as(&admin, "second")).await;
    store.check().await.unwrap();
    assert_eq!(store.login_weakness(), None);
    store.close().await;
    let clean = format!(
        "DROP ROLE \"{app}\"; DROP ROLE \"{system}\"; REASSIGN OWNED BY \"{admin}\" TO CURRENT_USER;
         DROP OWNED BY \"{admin}\"; DROP ROLE \"{admin}\""
    );
    sqlx::raw_sql(AssertSqlSafe(clean)).execute(&mut superuser).await.unwrap();
}

#[tokio::test]
async fn an_operator_may_choose_the_users_and_a_wrong_one_is_named() {
    let database = TestDatabase::create().await;
    let mut superuser = database.superuser().await;
    let [app, system] = ["app", "system"].map(|name| format!("{name}_of_{}", database.name()));
    let make = format!(
        "CREATE ROLE \"{app}\" LOGIN PASSWORD 'x' IN ROLE docket_app;
         CREATE ROLE \"{system}\" LOGIN PASSWORD 'x' IN ROLE docket_system"
    );
    sqlx::raw_sql(AssertSqlSafe(make)).execute(&mut superuser).await.unwrap();
    let [app_url, system_url] =
        [&app, &system].map(|user| database.url_as(user, "x").parse().unwrap());
    let environment = testkit::fake_environment(&Arc::default());
    let open = async |urls: DatabaseUrls| {
        Store::open_with_users(&urls, 4, environment.clock.clone(), environment.ids.clone()).await
    };

    // No user migrates: the schema is up to date.
    let urls = DatabaseUrls { app: app_url, system: system_url, migration: None };
    let store = open(urls.clone()).await.unwrap();
    store.check().await.unwrap();
    wait_for_users(&mut superuser, &[&app, &system]).await;
    store.close().await;

    let swapped = DatabaseUrls { app: urls.system.clone(), ..urls.clone() };
    let error = open(swapped).await.unwrap_err();
    assert!(matches!(error, OpenError::UnfitLogin { setting: "database_url", .. }), "{error}");
    let same = DatabaseUrls { system: urls.app.clone(), ..urls.clone() };
    let error = open(same).await.unwrap_err();
    assert!(
        matches!(error, OpenError::UnfitLogin { setting: "system_database_url", .. }),
        "{error}"
    );
    let powerful = DatabaseUrls { app: database.url().parse().unwrap(), ..urls };
    let error = open(powerful).await.unwrap_err();
    assert!(matches!(error, OpenError::UnfitLogin { setting: "database_url", .. }), "{error}");
    let clean = format!("DROP ROLE \"{app}\"; DROP ROLE \"{system}\"");
    sqlx::raw_sql(AssertSqlSafe(clean)).execute(&mut superuser).await.unwrap();
}

#[tokio::test]
async fn a_statement_that_exceeds_its_timeout_is_cancelled() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let limit = Duration::from_millis(50);
    let timeouts = StatementTimeouts { requests: limit, background: limit };
    let store = app.ops.store().clone().with_statement_timeouts(timeouts);
    // Another transaction holds a lock for longer than the timeout.
    let mut holder = app.database.superuser().await;
    let mut held = holder.begin().await.unwrap();
    sqlx::raw_sql("LOCK TABLE tenants").execute(&mut *held).await.unwrap();
    let mut across = store.across_tenants().await.unwrap();
    let error = across.list_tenants().await.unwrap_err();
    assert!(matches!(error, StoreError::Unavailable(_)), "{error:?}");
    drop(across);
    let scope = domain::Caller::system(acme.tenant.tenant_id).permit(domain::Action::ReadAudit);
    let mut tx = store.read(&scope.unwrap()).await.unwrap();
    assert!(tx.find_tenant().await.unwrap_err().is_unavailable());
    drop(tx);

    let mut across = store.across_tenants().await.unwrap();
    across.set_statement_timeout(None).await.unwrap();
    held.rollback().await.unwrap();
    assert_eq!(across.list_tenants().await.unwrap().len(), 1);
}
