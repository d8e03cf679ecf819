//! Every statement in `sql/` is one that the server understands, on the schema as it is.

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
        let prepared = connection.prepare(AssertSqlSafe(text).into_sql_str()).await;
        assert!(prepared.is_ok(), "{}: {}", file.display(), prepared.err().unwrap());
    }
}

/// All but `setup/`, whose files are scripts of several statements that run at every start.
fn statements_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() && path.file_name().is_some_and(|name| name != "setup") {
            found.extend(statements_below(&path));
        } else if path.extension().is_some_and(|extension| extension == "sql") {
            found.push(path);
        }
    }
    found
}
