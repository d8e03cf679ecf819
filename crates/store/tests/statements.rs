//! Every statement in `sql/` can be prepared on the current schema.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::fs;
use std::path::{Path, PathBuf};

use sqlx::{AssertSqlSafe, Executor, SqlSafeStr};
use testkit::TestDatabase;

#[tokio::test]
async fn every_statement_prepares() {
    let database = TestDatabase::create().await;
    let mut connection = database.superuser().await;
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let statements = statements_below(&folder);
    assert!(statements.len() > 20);
    for file in statements {
        let text = fs::read_to_string(&file).unwrap();
        for text in filled_in(&folder.join("documents"), &text) {
            let prepared = connection.prepare(AssertSqlSafe(text).into_sql_str()).await;
            assert!(prepared.is_ok(), "{}: {}", file.display(), prepared.err().unwrap());
        }
    }
}

/// A statement with a placeholder for a list is one statement for each list.
fn filled_in(folder: &Path, text: &str) -> Vec<String> {
    if !text.contains("{list}") {
        return vec![text.to_owned()];
    }
    let matching = fs::read_to_string(folder.join("matching.sql")).unwrap();
    let lists = fs::read_dir(folder.join("lists")).unwrap();
    let lists = lists.map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    lists.map(|list| text.replace("{list}", &list).replace("{matching}", &matching)).collect()
}

/// All but `setup/`, whose files are scripts of several statements that run at every start, and what is only a part
/// of a statement.
fn statements_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_named = |names: &[&str]| names.iter().any(|name| path.ends_with(name));
        if path.is_dir() {
            if !is_named(&["setup", "documents/lists"]) {
                found.extend(statements_below(&path));
            }
        } else if is_named(&["documents/matching.sql"]) {
            // A part.
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            found.push(path);
        }
    }
    found
}
