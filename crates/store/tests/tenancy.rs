//! Row-level security: what a query without its `WHERE` sees.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use domain::{Action, Caller, Role};
use sqlx::{AssertSqlSafe, Connection, PgConnection};
use testkit::TestApp;

/// All tables that hold rows of tenants.
async fn tenant_tables(connection: &mut PgConnection) -> Vec<String> {
    sqlx::query_scalar(
        "SELECT c.relname::text FROM pg_class c
         JOIN pg_attribute a ON a.attrelid = c.oid AND a.attname = 'tenant_id'
         WHERE c.relkind IN ('r', 'p') AND c.relnamespace = 'public'::regnamespace
         ORDER BY 1",
    )
    .fetch_all(connection)
    .await
    .unwrap()
}

async fn count(connection: &mut PgConnection, table: &str) -> i64 {
    let statement = format!("SELECT count(*) FROM {table}");
    sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(connection).await.unwrap()
}

#[tokio::test]
async fn every_table_of_tenants_is_protected_even_from_its_owner() {
    let app = TestApp::start().await;
    let mut superuser = app.database.superuser().await;
    let tables = tenant_tables(&mut superuser).await;
    assert!(tables.len() >= 7, "{tables:?}");
    for table in tables {
        let forced: bool = sqlx::query_scalar(
            "SELECT relrowsecurity AND relforcerowsecurity FROM pg_class WHERE relname = $1",
        )
        .bind(&table)
        .fetch_one(&mut superuser)
        .await
        .unwrap();
        assert!(forced, "{table} is not under row-level security: call docket_protect");
    }
}

#[tokio::test]
async fn a_forgotten_where_sees_only_the_named_tenant() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    app.user(&other, Role::User).await;
    let mut connection = app.database.application().await;
    for table in ["tenants", "users", "audit_log", "audit_chain_shards"] {
        // No tenant named: nothing.
        assert_eq!(count(&mut connection, table).await, 0, "{table}");
        let mut tx = connection.begin().await.unwrap();
        let narrowing = format!("SET LOCAL docket.tenant_id = '{}'", acme.tenant.tenant_id);
        sqlx::raw_sql(AssertSqlSafe(narrowing)).execute(&mut *tx).await.unwrap();
        let seen = format!("SELECT DISTINCT tenant_id FROM {table}");
        let seen: Vec<uuid::Uuid> =
            sqlx::query_scalar(AssertSqlSafe(seen)).fetch_all(&mut *tx).await.unwrap();
        assert_eq!(seen, [acme.tenant.tenant_id.0], "{table}");
        tx.rollback().await.unwrap();
    }
}

#[tokio::test]
async fn a_row_cannot_be_written_into_another_tenant() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    let mut connection = app.database.application().await;
    let mut tx = connection.begin().await.unwrap();
    let narrowing = format!("SET LOCAL docket.tenant_id = '{}'", acme.tenant.tenant_id);
    sqlx::raw_sql(AssertSqlSafe(narrowing)).execute(&mut *tx).await.unwrap();
    let moved = sqlx::query("UPDATE users SET tenant_id = $1").bind(other.tenant.tenant_id.0);
    let error = moved.execute(&mut *tx).await.unwrap_err();
    assert!(error.to_string().contains("row-level security"), "{error}");
}

#[tokio::test]
async fn no_role_changes_or_deletes_an_audit_row() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let mut connection = app.database.application().await;
    for statement in
        ["UPDATE audit_log SET detail = '{}'", "DELETE FROM audit_log", "TRUNCATE audit_log"]
    {
        let error = sqlx::raw_sql(statement).execute(&mut connection).await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("permission denied") || text.contains("append-only"), "{text}");
    }
}

#[tokio::test]
async fn row_level_security_applies_to_the_owner_of_the_tables() {
    // On an external server, Docket is often the plain owner of its tables, without the right to create roles. Row-level
    // security must apply there too. The first database creates the roles, which belong to the server.
    drop(testkit::TestDatabase::create().await);
    let database = testkit::TestDatabase::create_bare().await;
    let mut superuser = database.superuser().await;
    let name: String = sqlx::query_scalar("SELECT current_database()::text")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    let owner = format!("owner_of_{name}");
    for statement in [
        format!("CREATE ROLE \"{owner}\" LOGIN NOINHERIT PASSWORD 'x'"),
        format!("ALTER DATABASE \"{name}\" OWNER TO \"{owner}\""),
        "CREATE EXTENSION vector".to_owned(),
        // What an administrator does once for such a user.
        format!("GRANT docket_app, docket_system TO \"{owner}\""),
    ] {
        sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut superuser).await.unwrap();
    }
    let url = database.url_as(&owner, "x");
    let environment = testkit::fake_environment(&std::sync::Arc::default());
    let store = store::Store::open(
        &url.parse().unwrap(),
        2,
        environment.clock.clone(),
        environment.ids.clone(),
    )
    .await
    .unwrap();
    let weakness = store.login_weakness().map(str::to_owned);
    assert_eq!(weakness, Some(format!("{owner} may not create other logins")));
    let mut across = store.across_tenants().await.unwrap();
    let tenants = ["one", "two"].map(|name| domain::Tenant {
        tenant_id: domain::TenantId(environment.ids.next()),
        name: name.to_owned(),
        created_at: environment.clock.now(),
    });
    for tenant in &tenants {
        assert!(across.insert_tenant(tenant).await.unwrap());
    }
    across.commit().await.unwrap();

    let mut plain = database.connect_as(&owner, "x").await;
    assert_eq!(count(&mut plain, "tenants").await, 0, "the owner must name a tenant");
    let scope = Caller::system(tenants[0].tenant_id).permit(Action::ReadAudit).unwrap();
    let mut tx = store.begin(&scope).await.unwrap();
    tx.append_audit(domain::AuditEntry {
        action: domain::AuditAction::TenantCreated,
        entity: domain::Entity::Tenant(tenants[0].tenant_id),
        detail: serde_json::json!({}),
    })
    .await
    .unwrap();
    tx.commit().await.unwrap();
    // No policy lets it change a row, so it finds none to change.
    let changed =
        sqlx::query("UPDATE audit_log SET detail = '{}'").execute(&mut plain).await.unwrap();
    assert_eq!(changed.rows_affected(), 0);
    let emptied = sqlx::query("TRUNCATE audit_log").execute(&mut plain).await;
    assert!(emptied.unwrap_err().to_string().contains("append-only"));
    store.close().await;
    drop(plain);
    let cleanup = format!(
        "REASSIGN OWNED BY \"{owner}\" TO CURRENT_USER; DROP OWNED BY \"{owner}\"; \
                           DROP ROLE \"{owner}\""
    );
    sqlx::raw_sql(AssertSqlSafe(cleanup)).execute(&mut superuser).await.unwrap();
}

#[tokio::test]
async fn a_caller_that_is_dropped_while_a_transaction_opens_leaves_the_pool_clean() {
    let database = testkit::TestDatabase::create().await;
    let environment = testkit::fake_environment(&std::sync::Arc::default());
    let url = database.url().parse().unwrap();
    let store = store::Store::open(&url, 1, environment.clock.clone(), environment.ids.clone())
        .await
        .unwrap();
    let tenant_id = domain::TenantId(environment.ids.next());
    let scope = Caller::system(tenant_id).permit(Action::ManageUsers).unwrap();
    store.check().await.unwrap();
    for polls in 1..20 {
        let mut opening = Box::pin(store.read(&scope));
        for _ in 0..polls {
            let poll = std::future::poll_fn(|context| {
                std::task::Poll::Ready(opening.as_mut().poll(context).is_ready())
            });
            if poll.await {
                break;
            }
            tokio::task::yield_now().await;
        }
        drop(opening);
        // The one connection of the pool: inside a forgotten READ ONLY transaction this would fail.
        let mut across = store.across_tenants().await.unwrap();
        let tenant = domain::Tenant {
            tenant_id: domain::TenantId(environment.ids.next()),
            name: format!("tenant {polls}"),
            created_at: environment.clock.now(),
        };
        assert!(across.insert_tenant(&tenant).await.unwrap());
        across.commit().await.unwrap();
    }
}

#[tokio::test]
async fn a_key_of_a_tenant_that_does_not_exist_is_refused() {
    let app = TestApp::start().await;
    let mut superuser = app.database.superuser().await;
    let added = sqlx::raw_sql(
        "INSERT INTO api_keys (api_key_id, tenant_id, name, role, prefix, secret_sha256, created_by, created_at)
         SELECT gen_random_uuid(), gen_random_uuid(), 'key', 'admin', 'dk_none', sha256('x'), 'system', now()",
    )
    .execute(&mut superuser)
    .await;
    let refusal = added.unwrap_err().into_database_error().unwrap();
    assert_eq!(refusal.constraint(), Some("api_keys_tenant_id_fkey"));
}
