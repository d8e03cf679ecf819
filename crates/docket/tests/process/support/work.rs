//! A look at the jobs.

use sqlx::{Connection, PgConnection};

/// How many jobs fit the condition.
pub(crate) async fn jobs_where(mut superuser: PgConnection, condition: &str) -> i64 {
    let statement = format!("SELECT count(*) FROM jobs WHERE {condition}");
    let count = sqlx::query_scalar(sqlx::AssertSqlSafe(statement)).fetch_one(&mut superuser).await;
    superuser.close().await.unwrap();
    count.unwrap()
}
