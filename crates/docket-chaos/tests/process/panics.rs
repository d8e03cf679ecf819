//! What a panic in a stage leaves in the log: where it happened, and nothing of the document.

use sqlx::Connection;

use crate::queue::queue_drills;
use crate::support::{DataFolder, Docket, eventually, jobs_where};

const SECRET: &str = "the clause about Mr Rosenthal";

#[tokio::test]
async fn a_panic_over_a_document_quotes_it_nowhere() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    queue_drills(folder.superuser().await, 1, &["drill_a"]).await;
    let mut superuser = folder.superuser().await;
    let update = sqlx::query(
        "UPDATE ingestion_runs SET config = jsonb_build_object('title', 'panic: ' || $1::text)",
    );
    update.bind(SECRET).execute(&mut superuser).await.unwrap();
    superuser.close().await.unwrap();
    let worker = Docket::on(&folder, ["worker"]).start_worker().await;
    eventually("it was tried", async || {
        jobs_where(folder.superuser().await, "error LIKE 'the stage drill_a crashed%'").await == 1
    })
    .await;
    assert_eq!(jobs_where(folder.superuser().await, "error LIKE '%Rosenthal%'").await, 0);
    let ended = worker.stop_by(rustix::process::Signal::TERM).await;
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let panicked = ended.stderr.lines().find(|line| line.contains("Docket panicked"));
    let panicked = panicked.unwrap_or_else(|| panic!("the log says it: {}", ended.stderr));
    assert!(panicked.contains("src/drill.rs:"), "and where: {panicked}");
    assert!(!ended.stderr.contains("Rosenthal"), "{}", ended.stderr);
    assert_eq!(server.stop().await.code, Some(0));
}
