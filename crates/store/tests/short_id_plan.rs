//! A short id is looked up in an index, also by the product's role under row-level security.

use sqlx::AssertSqlSafe;
use testkit::TestDatabase;

const TENANT: &str = "00000000-0000-0000-0000-00000000000a";

const FILL: &str = "
    INSERT INTO tenants (tenant_id, name, created_at) VALUES ('00000000-0000-0000-0000-00000000000a', 'acme', now());
    INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at)
    SELECT md5('document ' || n)::uuid, tenant_id, 'txt', 'upload://' || n, 'Document ' || n, 'manual', n || '.txt',
           'text/plain', 20000, 'active', now(), now()
    FROM tenants, generate_series(1, 5000) AS n;
    ANALYZE documents;
    SET ROLE docket_app";

#[tokio::test]
async fn a_short_id_is_looked_up_in_an_index() {
    let database = TestDatabase::create().await;
    let mut connection = database.superuser().await;
    sqlx::raw_sql(FILL).execute(&mut connection).await.unwrap();
    let statement = include_str!("../sql/short_ids/find.sql");
    let prepare = format!("SET docket.tenant_id = '{TENANT}'; PREPARE find AS {statement}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.unwrap();
    for mode in ["custom", "generic"] {
        let explain = format!(
            "SET plan_cache_mode = force_{mode}_plan;
             EXPLAIN (COSTS OFF) EXECUTE find ('{TENANT}', '5f8a1295', '5f8a1295g', 50)"
        );
        let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut connection).await.unwrap();
        let plan: Vec<String> = rows.iter().map(|row| sqlx::Row::get(row, 0)).collect();
        let plan = plan.join("\n");
        assert!(plan.contains("documents_by_reversed_id"), "{mode}: {plan}");
        let condition = "reversed_id >= ";
        let is_looked_up =
            plan.lines().any(|line| line.contains("Index Cond:") && line.contains(condition));
        assert!(is_looked_up, "{mode}: {plan}");
    }
}
