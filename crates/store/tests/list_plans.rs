//! How PostgreSQL goes about a page of documents: in the order of an index, as far as the page, and
//! nothing sorted. The plans are those of the product's role, under row-level security.

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
    INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                           status, created_at, updated_at, tags)
    SELECT md5(tenant_id || ' document ' || n)::uuid, tenant_id, CASE WHEN n % 50 = 7 THEN 'tiff' ELSE 'txt' END,
           'upload://' || n, 'Document ' || n, CASE WHEN n % 10 = 5 THEN 'batch' ELSE 'manual' END,
           n || '.txt', 'text/plain', 20000,
           CASE WHEN n % 20 = 0 THEN 'failed' WHEN n % 20 = 1 THEN 'uploaded' ELSE 'active' END,
           '2026-01-01Z'::timestamptz - make_interval(mins => n), '2026-02-03Z'::timestamptz - make_interval(mins => n),
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

/// The order of a list: its columns, its bounds, and where its first page begins and the page after a cursor in the
/// middle. Both are the values of $2 to $4, and of $15 to $17.
#[derive(Clone, Copy)]
struct Order {
    columns: &'static str,
    bounds: &'static str,
    first: [&'static str; 2],
    after: [&'static str; 2],
}

const NEWEST: Order = Order {
    columns: "listed_at DESC, doc_id DESC",
    bounds: include_str!("../sql/documents/orders/newest_bounds.sql"),
    first: ["NULL, NULL, NULL", NO_KEY],
    after: ["NULL, '2025-12-30T12:00:00Z', '80000000-0000-0000-0000-000000000000'", NO_KEY],
};
const OLDEST: Order = Order {
    columns: "listed_at, doc_id",
    bounds: include_str!("../sql/documents/orders/oldest_bounds.sql"),
    after: ["'2025-12-30T12:00:00Z', NULL, '80000000-0000-0000-0000-000000000000'", NO_KEY],
    ..NEWEST
};
const TITLE: Order = Order {
    columns: "title_key, doc_id",
    bounds: "(l.title_key, l.doc_id) > ($15, $17)",
    first: ["NULL, NULL, NULL", "'', NULL, '00000000-0000-0000-0000-000000000000'"],
    after: ["NULL, NULL, NULL", "'document 3', NULL, '80000000-0000-0000-0000-000000000000'"],
};
const TITLE_DESCENDING: Order = Order {
    columns: "title_key DESC, doc_id DESC",
    bounds: "(l.title_key, l.doc_id) < ($15, $17)",
    first: ["NULL, NULL, NULL", "'e', NULL, '80000000-0000-0000-0000-000000000000'"],
    ..TITLE
};
const CHANGED: Order = Order {
    columns: "changed_at DESC, doc_id DESC",
    bounds: "(l.updated_at, l.doc_id) < ($16, $17)",
    first: ["NULL, NULL, NULL", "NULL, 'infinity', '80000000-0000-0000-0000-000000000000'"],
    after: [
        "NULL, NULL, NULL",
        "NULL, '2026-02-02T12:00:00Z', '80000000-0000-0000-0000-000000000000'",
    ],
};
const NO_KEY: &str = "NULL, NULL, NULL";

/// A list, its order and the values of its conditions: status, type, source, tag, batch, owner and search.
struct List {
    text: &'static str,
    order: Order,
    values: String,
}

macro_rules! list {
    ($name:literal, $order:expr, $($values:tt)*) => {
        List {
            text: include_str!(concat!("../sql/documents/lists/", $name, ".sql")),
            order: $order,
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
        let added = match self.order.bounds {
            bounds if bounds == NEWEST.bounds || bounds == OLDEST.bounds => "true",
            _ => include_str!("../sql/documents/orders/added.sql"),
        };
        let statement = include_str!("../sql/documents/page.sql")
            .replace("{list}", self.text)
            .replace("{fitting}", include_str!("../sql/documents/fitting.sql"))
            .replace("{added}", added)
            .replace("{described}", include_str!("../sql/documents/described.sql"))
            .replace("{bounds}", self.order.bounds)
            .replace("{order}", self.order.columns);
        let types = "uuid, timestamptz, timestamptz, uuid, text, text, text, text, uuid, text, text, int, int, int, \
                     text, timestamptz, uuid";
        let prepare =
            format!("SET docket.tenant_id = '{TENANT}'; PREPARE list ({types}) AS {statement}");
        sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await.unwrap();
        (database, connection)
    }

    /// One page of 20 and what tells whether there is another, after looking at `most` documents at most.
    async fn explain(
        &self,
        connection: &mut PgConnection,
        how: &str,
        [bounds, key]: [&str; 2],
        most: u32,
    ) -> Vec<String> {
        let values = &self.values;
        let explain = format!(
            "EXPLAIN ({how}) EXECUTE list ('{TENANT}', {bounds}, {values}, {most}, 0, 21, {key})"
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
            let Order { first, after, .. } = self.order;
            for (which, after) in [("first page", first), ("after a cursor", after)] {
                writeln!(shown, "{which}, {mode} plan").unwrap();
                let plan = self.explain(&mut connection, "COSTS OFF", after, 10_000).await;
                let told = |line: &&String| {
                    // What each row is held against, and how row-level security asks for the tenant.
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

    /// How many rows of any one table a page reads when at most `most` documents are looked at.
    async fn rows_read(&self, most: u32) -> u64 {
        let (_database, mut connection) = self.prepare().await;
        let how = "ANALYZE, COSTS OFF, TIMING OFF, SUMMARY OFF, BUFFERS OFF";
        let mut worst = 0;
        for after in [self.order.first, self.order.after] {
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

fn lists() -> [(&'static str, List); 13] {
    const NONE: &str = "NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    [
        ("all documents", list!("all", NEWEST, "{NONE}")),
        (
            "of one status",
            list!("by_status", NEWEST, "'failed', NULL, NULL, NULL, NULL, NULL, NULL"),
        ),
        ("of one type", list!("by_type", NEWEST, "NULL, 'tiff', NULL, NULL, NULL, NULL, NULL")),
        (
            "of one source",
            list!("by_source", NEWEST, "NULL, NULL, 'batch', NULL, NULL, NULL, NULL"),
        ),
        ("with one tag", list!("by_tag", NEWEST, "NULL, NULL, NULL, 'rent', NULL, NULL, NULL")),
        (
            "of one batch",
            list!("of_batch", NEWEST, "NULL, NULL, NULL, NULL, '{BATCH}', NULL, NULL"),
        ),
        (
            "of one owner",
            list!("of_owner", NEWEST, "NULL, NULL, NULL, NULL, NULL, '{OWNER}', NULL"),
        ),
        ("oldest first", list!("all", OLDEST, "{NONE}")),
        (
            "with one tag oldest first",
            list!("by_tag", OLDEST, "NULL, NULL, NULL, 'rent', NULL, NULL, NULL"),
        ),
        ("by title", list!("by_title", TITLE, "{NONE}")),
        ("by title descending", list!("by_title", TITLE_DESCENDING, "{NONE}")),
        (
            "by own title",
            list!("by_own_title", TITLE, "NULL, NULL, NULL, NULL, NULL, '{OWNER}', NULL"),
        ),
        ("by change", list!("by_change", CHANGED, "{NONE}")),
    ]
}

#[tokio::test]
async fn every_list_comes_out_of_its_index_in_its_order() {
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

/// Rows that an index scan passes over are nowhere in its plan; the blocks that they are in are.
#[tokio::test]
async fn a_page_far_down_is_found_as_fast_as_the_first() {
    const NONE: &str = "NULL, NULL, NULL, NULL, NULL, NULL, NULL";
    let oldest = "'2025-12-28T16:00:00Z', '80000000-0000-0000-0000-000000000000'";
    // By title, the rows of a page are scattered over the table: their blocks differ from page to page.
    for (all, far_down, slack) in [
        (list!("all", NEWEST, "{NONE}"), [&*format!("NULL, {oldest}"), NO_KEY], 5),
        (
            list!("by_title", TITLE, "{NONE}"),
            ["NULL, NULL, NULL", "'document 98', NULL, '80000000-0000-0000-0000-000000000000'"],
            20,
        ),
    ] {
        let (_database, mut connection) = all.prepare().await;
        let mut blocks_of = async |after| {
            let how = "ANALYZE, BUFFERS, COSTS OFF, TIMING OFF, SUMMARY OFF";
            let plan = all.explain(&mut connection, how, after, 10_000).await;
            let whole = plan.iter().find(|line| line.contains("Buffers: shared hit=")).unwrap();
            number_after("hit=", whole)
        };
        let warm = blocks_of(all.order.first).await;
        let first = blocks_of(all.order.first).await;
        let far_down = blocks_of(far_down).await;
        assert!(far_down <= first + slack, "{far_down} blocks, {first} of the first page ({warm})");
    }
}

#[tokio::test]
async fn what_is_looked_for_and_not_found_ends_where_it_was_told_to() {
    let nothing_fits =
        list!("by_type", NEWEST, "'active', 'txt', 'manual', NULL, NULL, NULL, 'no such title'");
    let rows = nothing_fits.rows_read(100).await;
    assert_eq!(rows, 100);
}
