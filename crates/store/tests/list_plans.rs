//! How PostgreSQL goes about a page of documents: in the order of an index, as far as the page, and
//! nothing sorted. The plans are those of the product's role, under row-level security.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::fmt::Write;

use sqlx::{AssertSqlSafe, PgConnection};
use testkit::TestDatabase;

const TENANT: &str = "00000000-0000-0000-0000-00000000000a";
const OTHER: &str = "00000000-0000-0000-0000-00000000000b";
const OWNER: &str = "user:00000000-0000-0000-0000-00000000000c";

/// Two tenants with five thousand documents each, of which one in twenty failed and nine in ten are
/// served. One owner brought in every tenth.
const FILL: &str = "
    SET session_replication_role = replica;
    INSERT INTO tenants (tenant_id, name, created_at)
    VALUES ('00000000-0000-0000-0000-00000000000a', 'acme', now()),
           ('00000000-0000-0000-0000-00000000000b', 'other', now());
    INSERT INTO documents (doc_id, tenant_id, source_type, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at)
    SELECT md5(tenant_id || ' document ' || n)::uuid, tenant_id, 'txt', 'upload://' || n, 'Document ' || n, 'manual',
           n || '.txt', 'text/plain', 20000,
           CASE WHEN n % 20 = 0 THEN 'failed' WHEN n % 20 = 1 THEN 'uploaded' ELSE 'active' END,
           '2026-01-01Z'::timestamptz - make_interval(mins => n), '2026-01-01Z'
    FROM tenants, generate_series(1, 5000) AS n;
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at)
    SELECT tenant_id, 'user:00000000-0000-0000-0000-00000000000' || CASE WHEN filename LIKE '%3.txt' THEN 'c' ELSE 'd' END,
           doc_id, created_at
    FROM documents;
    INSERT INTO document_versions (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256, is_active,
                                   created_at)
    SELECT tenant_id, doc_id, md5('run ' || doc_id)::uuid, 'v1', 'sha256:', sha256(title::bytea), true, created_at
    FROM documents WHERE status = 'active';
    ANALYZE documents, document_owners, document_versions;
    SET ROLE docket_app";

/// The first page, and the page after a cursor in the middle: moment and id, or neither.
const FIRST: &str = "NULL, NULL";
const AFTER: &str = "'2025-12-30T12:00:00Z', '80000000-0000-0000-0000-000000000000'";

async fn filled() -> (TestDatabase, PgConnection) {
    let database = TestDatabase::create().await;
    let mut connection = database.superuser().await;
    sqlx::raw_sql(FILL).execute(&mut connection).await.unwrap();
    let tenant = format!("SET docket.tenant_id = '{TENANT}'");
    sqlx::raw_sql(AssertSqlSafe(tenant)).execute(&mut connection).await.unwrap();
    (database, connection)
}

/// Both pages of a list: the nodes of their plans, and what is looked up in which index. Planned for
/// the values, and once for all values as a statement is that has been run often.
async fn plans(statement: &str, more: &str) -> String {
    let (_database, mut connection) = filled().await;
    let prepare = format!("PREPARE list AS {statement}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.unwrap();
    let mut shown = String::new();
    for mode in ["custom", "generic"] {
        for (which, after) in [("first page", FIRST), ("after a cursor", AFTER)] {
            let explain = format!(
                "SET plan_cache_mode = force_{mode}_plan;
                 EXPLAIN (COSTS OFF) EXECUTE list ('{TENANT}', NULL, NULL, NULL, {after}, 0, 21{more})"
            );
            let rows =
                sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(&mut connection).await.unwrap();
            writeln!(shown, "{which}, {mode} plan").unwrap();
            for row in rows {
                let line: String = sqlx::Row::get(&row, 0);
                if !line.trim_start().starts_with("Filter:") {
                    writeln!(shown, "  {line}").unwrap();
                }
            }
        }
    }
    assert!(!shown.contains(OTHER));
    shown
}

#[tokio::test]
async fn all_documents() {
    insta::assert_snapshot!(plans(include_str!("../sql/documents/page.sql"), "").await);
}

#[tokio::test]
async fn documents_of_one_status() {
    let statement = include_str!("../sql/documents/page_by_status.sql");
    insta::assert_snapshot!(plans(statement, ", 'failed'").await);
}

#[tokio::test]
async fn documents_of_one_owner() {
    let statement = include_str!("../sql/documents/page_of_owner.sql");
    insta::assert_snapshot!(plans(statement, &format!(", NULL, '{OWNER}'")).await);
}
