//! Every statement in `sql/` is one that the server understands, on the schema as it is.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use testkit::TestDatabase;

const LIST_PARAMETERS: &str = "uuid, timestamptz, timestamptz, uuid, text, text, text, text, uuid, text, text, bigint, \
                               bigint, bigint, text, timestamptz, uuid";

#[tokio::test]
async fn every_statement_prepares() {
    let database = TestDatabase::create().await;
    let mut connection = database.superuser().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let statements = statements_below(&folder);
    assert!(statements.len() > 20);
    for file in statements {
        let text = fs::read_to_string(&file).unwrap();
        if !text.contains("{list}") {
            let prepared = connection.prepare(AssertSqlSafe(text).into_sql_str()).await;
            assert!(prepared.is_ok(), "{}: {}", file.display(), prepared.err().unwrap());
            continue;
        }
        for text in filled_in(&folder.join("documents"), &text) {
            // The types are given: no list uses every parameter.
            let prepare =
                format!("PREPARE filled_in ({LIST_PARAMETERS}) AS {text}; DEALLOCATE filled_in");
            let prepared = sqlx::raw_sql(AssertSqlSafe(prepare)).execute(&mut connection).await;
            assert!(prepared.is_ok(), "{}: {}", file.display(), prepared.err().unwrap());
        }
    }
}

/// A statement with a place for a list is one for each list, in each order that the list has.
fn filled_in(folder: &Path, text: &str) -> Vec<String> {
    let read = |name: &str| fs::read_to_string(folder.join(name)).unwrap();
    let mut filled = Vec::new();
    for entry in fs::read_dir(folder.join("lists")).unwrap() {
        let path = entry.unwrap().path();
        let list = fs::read_to_string(&path).unwrap();
        let orders: &[(String, &str)] = match path.file_stem().unwrap().to_str().unwrap() {
            "by_title" | "by_own_title" => &[
                ("(l.title_key, l.doc_id) > ($15, $17)".to_owned(), "title_key, doc_id"),
                ("true".to_owned(), "title_key DESC, doc_id DESC"),
            ],
            "by_change" => &[(
                "(l.updated_at, l.doc_id) < ($16, $17)".to_owned(),
                "changed_at DESC, doc_id DESC",
            )],
            _ => &[
                (read("orders/newest_bounds.sql"), "listed_at DESC, doc_id DESC"),
                (read("orders/oldest_bounds.sql"), "listed_at, doc_id"),
            ],
        };
        // A page that is sorted in memory has the key already.
        let is_sorted_list = list.contains("title_key") || list.contains("changed_at");
        if is_sorted_list && text.contains("{after}") {
            continue;
        }
        for (bounds, order) in orders {
            let text = text
                .replace("{list}", &list)
                .replace("{fitting}", &read("fitting.sql"))
                .replace("{added}", &read("orders/added.sql"))
                .replace("{described}", &read("described.sql"))
                .replace("{after}", "(title_key, doc_id) < ($15, $17)")
                .replace("{bounds}", bounds)
                .replace("{order}", order);
            filled.push(text);
        }
    }
    filled
}

/// All but `setup/`, whose files are scripts of several statements that run at every start, and what is only a part
/// of a statement.
fn statements_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_named = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
        if path.is_dir() {
            if !is_named(&["setup", "documents/lists", "documents/orders"]) {
                found.extend(statements_below(&path));
            }
        } else if is_named(&["documents/fitting.sql", "documents/described.sql"]) {
            // A part.
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            found.push(path);
        }
    }
    found
}
