//! The plans of document lists: a page is read from an index in its order, no further than needed, without a sort. The
//! plans are those of the product's role, under row-level security.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::fmt::Write;

use sqlx::{AssertSqlSafe, PgConnection};
use testkit::TestDatabase;

const TENANT: &str = "00000000-0000-0000-0000-00000000000a";
const OTHER: &str = "00000000-0000-0000-0000-00000000000b";
const OWNER: &str = "user:00000000-0000-0000-0000-00000000000c";

const BATCH: &str = "00000000-0000-0000-0000-00000000000e";

/// Two tenants with five thousand documents each, of which one in twenty failed and nine in ten are served. One in
/// fifty is a scan, every tenth has a tag, one owner brought in every tenth, and every tenth is in a batch.
const FILL: &str = "
    INSERT INTO tenants (tenant_id, name, created_at)
    VALUES ('00000000-0000-0000-0000-00000000000a', 'acme', now()),
           ('00000000-0000-0000-0000-00000000000b', 'other', now());
    INSERT INTO documents (doc_id, tenant_id, source_type, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at, tags)
    SELECT md5(tenant_id || ' document ' || n)::uuid, tenant_id, CASE WHEN n % 50 = 7 THEN 'tiff' ELSE 'txt' END,
           'upload://' || n, 'Document ' || n, CASE WHEN n % 10 = 5 THEN 'batch' ELSE 'manual' END,
           n || '.txt', 'text/plain', 20000,
           CASE WHEN n % 20 = 0 THEN 'failed' WHEN n % 20 = 1 THEN 'uploaded' ELSE 'active' END,
           '2026-01-01Z'::timestamptz - make_interval(mins => n), '2026-01-01Z',
           CASE WHEN n % 10 = 4 THEN ARRAY['rent'] ELSE '{}' END
    FROM tenants, generate_series(1, 5000) AS n;
    SET session_replication_role = replica;
    INSERT INTO document_owners (tenant_id, owner, doc_id, created_at, title, filename, source, tags)
    SELECT tenant_id, 'user:00000000-0000-0000-0000-00000000000' || CASE WHEN filename LIKE '%3.txt' THEN 'c' ELSE 'd' END,
           doc_id, created_at, title, filename, source, tags
    FROM documents;
    INSERT INTO batch_documents (batch_id, doc_id, tenant_id, outcome, added_at, created_at, title, filename)
    SELECT '00000000-0000-0000-0000-00000000000e', doc_id, tenant_id, 'new', created_at, created_at, title, filename
    FROM documents WHERE source = 'batch';
    INSERT INTO document_versions (tenant_id, doc_id, run_id, version_label, content_hash, content_sha256, is_active,
                                   created_at)
    SELECT tenant_id, doc_id, md5('run ' || doc_id)::uuid, 'v1', 'sha256:', sha256(title::bytea), true, created_at
    FROM documents WHERE status = 'active';
    ANALYZE documents, document_facets, document_owners, batch_documents, document_versions;
    SET ROLE docket_app";

/// The first page, and the page after a cursor in the middle: moment and id, or neither.
const FIRST: &str = "NULL, NULL";
const AFTER: &str = "'2025-12-30T12:00:00Z', '80000000-0000-0000-0000-000000000000'";

/// A list and the values of its conditions: status, type, source, tag, batch, owner and search.
struct List {
    list: &'static str,
    values: String,
}

macro_rules! list {
    ($name:literal, $($values:tt)*) => {
        List {
            list: include_str!(concat!("../sql/documents/lists/", $name, ".sql")),
            values: format!($($values)*),
        }
    };
}

impl List {
    /// Ready to be executed under the name `list`.
    async fn prepare(&self) -> (TestDatabase, PgConnection) {
        let database = TestDatabase::create().await;
        let mut connection = database.superuser().await;
        sqlx::raw_sql(FILL).execute(&mut connection).await.unwrap();
        let statement = include_str!("../sql/documents/page.sql")
            .replace("{list}", self.list)
            .replace("{matching}", include_str!("../sql/documents/matching.sql"));
        let prepare = format!("SET docket.tenant_id = '{TENANT}'; PREPARE list AS {statement}");
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.unwrap();
        (database, connection)
    }

    /// One page of 20 and what tells whether there is another, after scanning at most `max` documents.
    async fn explain(
        &self,
        connection: &mut PgConnection,
        how: &str,
        after: &str,
        most: u32,
    ) -> Vec<String> {
        let values = &self.values;
        let explain = format!(
            "EXPLAIN ({how}) EXECUTE list ('{TENANT}', NULL, {after}, {values}, {most}, 0, 21)"
        );
        let rows = sqlx::raw_sql(AssertSqlSafe(explain)).fetch_all(connection).await.unwrap();
        rows.iter().map(|row| sqlx::Row::get(row, 0)).collect()
    }

    /// Both pages of a list: the nodes of their plans, and what is looked up in which index. Planned for the values,
    /// and once for all values as a statement is that has been run often.
    async fn plans(&self) -> String {
        let (_database, mut connection) = self.prepare().await;
        let mut shown = String::new();
        for mode in ["custom", "generic"] {
            let set = format!("SET plan_cache_mode = force_{mode}_plan");
            sqlx::raw_sql(AssertSqlSafe(set)).execute(&mut connection).await.unwrap();
            for (which, after) in [("first page", FIRST), ("after a cursor", AFTER)] {
                writeln!(shown, "{which}, {mode} plan").unwrap();
                let plan = self.explain(&mut connection, "COSTS OFF", after, 10_000).await;
                let told = |line: &&String| {
                    // Conditions on each row, and the check of row-level security.
                    let others = ["Filter:", "InitPlan", "SubPlan", "Window:", "->  Result"];
                    !others.iter().any(|other| line.trim_start().starts_with(other))
                };
                for line in plan.iter().filter(told) {
                    writeln!(shown, "  {line}").unwrap();
                }
            }
        }
        assert!(!shown.contains(OTHER));
        shown
    }

    /// How many rows of any one table a page reads when at most `max` documents are scanned.
    async fn rows_read(&self, most: u32) -> u64 {
        let (_database, mut connection) = self.prepare().await;
        let how = "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF";
        let mut worst = 0;
        for after in [FIRST, AFTER] {
            let plan = self.explain(&mut connection, how, after, most).await;
            let scans = plan.iter().filter(|line| line.contains("Scan using"));
            worst = scans.map(|line| rows_of(line)).chain([worst]).max().unwrap();
        }
        worst
    }
}

/// `… (actual rows=21.00 loops=2)`
fn rows_of(line: &str) -> u64 {
    number_after("rows=", line) * number_after("loops=", line)
}

fn number_after(name: &str, line: &str) -> u64 {
    let (_, rest) = line.split_once(name).unwrap();
    let digits: String = rest.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn lists() -> [(&'static str, List); 7] {
    [
        ("all documents", list!("all", "NULL, NULL, NULL, NULL, NULL, NULL, NULL")),
        ("of one status", list!("by_status", "'failed', NULL, NULL, NULL, NULL, NULL, NULL")),
        ("of one type", list!("by_type", "NULL, 'tiff', NULL, NULL, NULL, NULL, NULL")),
        ("of one source", list!("by_source", "NULL, NULL, 'batch', NULL, NULL, NULL, NULL")),
        ("with one tag", list!("by_tag", "NULL, NULL, NULL, 'rent', NULL, NULL, NULL")),
        ("of one batch", list!("of_batch", "NULL, NULL, NULL, NULL, '{BATCH}', NULL, NULL")),
        ("of one owner", list!("of_owner", "NULL, NULL, NULL, NULL, NULL, '{OWNER}', NULL")),
    ]
}

#[tokio::test]
async fn every_list_is_read_from_its_index_in_order() {
    for (name, list) in lists() {
        let plans = list.plans().await;
        assert!(!plans.contains("Sort") && !plans.contains("Seq Scan"), "{name}: {plans}");
        insta::assert_snapshot!(name.replace(' ', "_"), plans);
    }
}

#[tokio::test]
async fn no_list_reads_more_than_its_page() {
    for (name, list) in lists() {
        let rows = list.rows_read(10_000).await;
        assert!((21..=23).contains(&rows), "{name}: {rows} rows for a page of 20");
    }
}

/// A plan does not show the rows that an index scan skips, but it shows their blocks.
#[tokio::test]
async fn a_later_page_is_read_as_fast_as_the_first() {
    let all = list!("all", "NULL, NULL, NULL, NULL, NULL, NULL, NULL");
    let (_database, mut connection) = all.prepare().await;
    let mut blocks_of = async |after| {
        let how = "ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF";
        let plan = all.explain(&mut connection, how, after, 10_000).await;
        let whole = plan.iter().find(|line| line.contains("Buffers: shared hit=")).unwrap();
        number_after("hit=", whole)
    };
    let warm = blocks_of(FIRST).await;
    let first = blocks_of(FIRST).await;
    let far_down =
        blocks_of("'2025-12-28T16:00:00Z', '80000000-0000-0000-0000-000000000000'").await;
    assert!(far_down <= first + 5, "{far_down} blocks, {first} of the first page ({warm})");
}

#[tokio::test]
async fn a_search_without_matches_ends_at_the_scan_limit() {
    let no_match = list!("by_type", "'active', 'txt', 'manual', NULL, NULL, NULL, 'no such title'");
    let rows = no_match.rows_read(100).await;
    assert_eq!(rows, 100);
}
