//! A page of trades is read from an index in its order, also by the product's role under row-level security.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use sqlx::{AssertSqlSafe, PgConnection};
use testkit::TestDatabase;

const TENANT: &str = "00000000-0000-0000-0000-00000000000a";

/// Five thousand documents with one trade each, of one hundred securities. One in a hundred is matched, one in a hundred
/// approved.
const FILL: &str = "
    INSERT INTO tenants (tenant_id, name, created_at) VALUES ('00000000-0000-0000-0000-00000000000a', 'acme', now());
    INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at)
    SELECT md5('document ' || n)::uuid, tenant_id, 'txt', 'upload://' || n, 'Document ' || n, 'manual', n || '.txt',
           'text/plain', 20000, 'active', now(), now()
    FROM tenants, generate_series(1, 5000) AS n;
    SET session_replication_role = replica;
    INSERT INTO results (result_id, tenant_id, doc_id, run_id, result_version, payload, confidences, document_type,
                         type_version, state, is_reviewed, sampled_for_review, created_at)
    SELECT md5('result ' || doc_id)::uuid, tenant_id, doc_id, md5('run ' || doc_id)::uuid, 1, '{}', '{}', 'a', 1,
           'current', false, false, now()
    FROM documents;
    INSERT INTO trades (trade_id, tenant_id, document_id, result_id, run_id, position, confidence_score,
                        raw_extracted_data, match_status, review_status, isin, trade_date, created_at, updated_at)
    SELECT md5('trade ' || n)::uuid, '00000000-0000-0000-0000-00000000000a', md5('document ' || n)::uuid,
           md5('result ' || md5('document ' || n)::uuid)::uuid, md5('run ' || n)::uuid, 0, 0.9, '{}',
           CASE WHEN n % 100 = 3 THEN 'matched' ELSE 'pending' END,
           CASE WHEN n % 100 = 5 THEN 'approved' ELSE 'pending' END, 'ISIN' || n % 100,
           '2026-01-01'::date - n / 10, '2026-01-01Z'::timestamptz - make_interval(mins => n), now()
    FROM generate_series(1, 5000) AS n;
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source)
    SELECT tenant_id, 'a key', doc_id, created_at, title, filename, source FROM documents
    UNION ALL
    SELECT tenant_id, 'a user', doc_id, created_at, title, filename, source FROM documents WHERE title LIKE '%77';
    ANALYZE documents, document_owners, results, trades;
    SET ROLE docket_app";

/// The plan of the first page of 21, for an owner or NULL, with these values of the filters.
async fn plan_of(connection: &mut PgConnection, owner: &str, filters: &str) -> String {
    let explain = format!(
        "EXPLAIN (COSTS OFF) EXECUTE page ('{TENANT}', {owner}, NULL, NULL, {filters}, 21)"
    );
    let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(connection).await.unwrap();
    let plan: Vec<String> = rows.iter().map(|row| sqlx::Row::get(row, 0)).collect();
    plan.join("\n")
}

/// A connection on which the statement is prepared as `page`.
async fn prepared(database: &TestDatabase, statement: &str) -> PgConnection {
    let mut connection = database.superuser().await;
    // PostgreSQL reads from an index alone only what VACUUM has seen.
    for statement in [FILL, "RESET ROLE", "VACUUM (ANALYZE) trades", "SET ROLE docket_app"] {
        sqlx::raw_sql(statement).execute(&mut connection).await.unwrap();
    }
    let prepare = format!("SET docket.tenant_id = '{TENANT}'; PREPARE page AS {statement}");
    sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.unwrap();
    connection
}

#[tokio::test]
async fn a_page_of_trades_is_read_from_the_index_of_its_filter() {
    let database = TestDatabase::create().await;
    let mut connection = prepared(&database, include_str!("../sql/trades/page.sql")).await;
    let of_document = "'f5d5d0a2-6a0b-4d4a-9d0c-000000000000', NULL, NULL, NULL, NULL, NULL";
    for (filters, index, is_sorted) in [
        ("NULL, NULL, NULL, NULL, NULL, NULL", "trades_recent", false),
        ("NULL, 'ISIN7', NULL, NULL, NULL, NULL", "trades_by_isin", false),
        ("NULL, NULL, NULL, NULL, 'matched', NULL", "trades_by_match", false),
        ("NULL, NULL, NULL, NULL, NULL, 'approved'", "trades_by_review", false),
        (of_document, "trades_of_document", false),
        ("NULL, NULL, '2025-12-01', '2025-12-02', NULL, NULL", "trades_by_date", true),
    ] {
        let plan = plan_of(&mut connection, "NULL", filters).await;
        assert!(plan.contains(index), "{filters}: {plan}");
        assert_eq!(plan.contains("Sort Key"), is_sorted, "{filters}: {plan}");
        assert!(!plan.contains("Seq Scan on trades"), "{filters}: {plan}");
    }
}

#[tokio::test]
async fn an_owner_of_few_documents_does_not_scan_the_trades_of_the_tenant() {
    let database = TestDatabase::create().await;
    let mut connection = prepared(&database, include_str!("../sql/trades/page_of_owner.sql")).await;
    let no_filter = "NULL, NULL, NULL, NULL, NULL, NULL";
    // More often than PostgreSQL considers a generic plan after.
    for _ in 0..7 {
        let plan = plan_of(&mut connection, "'a user'", no_filter).await;
        assert!(plan.contains("trades_of_document"), "{plan}");
        assert!(!plan.contains("trades_recent") && !plan.contains("Seq Scan on trades"), "{plan}");
        let plan = plan_of(&mut connection, "'a key'", no_filter).await;
        assert!(plan.contains("trades_recent"), "the owner of all documents: {plan}");
    }
}
