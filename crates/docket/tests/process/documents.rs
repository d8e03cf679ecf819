//! `docket docs`, `docket show` and `docket rerun`.

use serde_json::{Value, json};

use crate::support::{DataFolder, Docket, Papers, Person, Server};

/// A server with two documents, and who brought them in.
async fn library(folder: &DataFolder) -> (Server, Person, Vec<String>) {
    let server = Docket::serve(folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(2);
    ada.sees(["ingest", papers.folder(), "--parallel", "1", "--wait"]).await;
    let listed = ada.reads(["docs", "--json"]).await;
    let ids = listed["items"].as_array().unwrap().iter();
    let ids = ids.map(|document| document["doc_id"].as_str().unwrap().to_owned()).collect();
    (server, ada, ids)
}

#[tokio::test]
async fn documents_are_listed_and_looked_at() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let table = ada.sees(["docs"]).await;
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[0].starts_with("DOCUMENT "), "{table}");
    assert_eq!(lines.len(), 3, "{table}");
    let first: Vec<&str> = lines[1].split_whitespace().collect();
    assert_eq!(first[..5], [&ids[0][28..], "Ready", "txt", "18", "B"], "{table}");
    assert!(lines[1].ends_with("  2.txt"), "{table}");
    let found = ada.reads(["docs", "--search", "1.tx", "--status", "active", "--json"]).await;
    assert_eq!(found["items"][0]["doc_id"], json!(ids[1]));
    assert_eq!(ada.sees(["docs", "--limit", "1"]).await.lines().count(), 3);
    let of_both = ["docs", "--type", "txt", "--source", "manual"];
    assert_eq!(ada.sees(of_both).await.lines().count(), 3);
    for none in [["--type", "pdf"], ["--source", "batch"], ["--tag", "rent"], ["--batch", &ids[0]]]
    {
        let seen = ada.sees(["docs", none[0], none[1]]).await;
        assert_eq!(seen, "No document matches.\n", "{none:?}");
    }
    let wrong = ada.types(["docs", "--type", "exe"]).finish().await.failed_with(2);
    assert!(wrong.contains("'exe' is not a supported kind of file"), "{wrong}");
    assert_eq!(ada.sees(["docs", "--status", "failed"]).await, "No document matches.\n");

    let shown = ada.sees(["show", &ids[0]]).await;
    assert!(shown.starts_with(&format!("Document {}: Ready\n", ids[0])), "{shown}");
    for part in
        ["  Title     2.txt\n", "Versions: 1\n  v1  ", "  current  sha256:", " succeeded after "]
    {
        assert!(shown.contains(part), "{part}: {shown}");
    }
    let stages: Vec<&str> = shown.lines().rev().take(8).collect();
    let names = ["package", "reconcile", "parse", "index", "layout", "ocr", "preprocess", "ingest"];
    for (stage, name) in stages.iter().zip(names) {
        let begins = stage.starts_with(&format!("    {name} "));
        assert!(begins && stage.contains(" succeeded "), "{shown}");
    }
    let document = ada.reads(["show", &ids[0], "--json"]).await;
    assert_eq!(document["runs"][0]["stages"][0]["status"], "succeeded");
    let unknown_id = uuid::Uuid::nil().to_string();
    let missing = ada.types(["show", &unknown_id]).finish().await.failed_with(1);
    assert_eq!(missing, "This document was deleted, or you don't have access.");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn documents_are_processed_again_and_the_reason_is_kept() {
    let folder = DataFolder::new();
    let (server, ada, ids) = library(&folder).await;
    let rerun = ["rerun", &ids[0], &ids[1], "--reason", "a better reader", "--wait"];
    let said = ada.sees(rerun).await;
    assert_eq!(said.lines().filter(|line| line.starts_with("succeeded  ")).count(), 2, "{said}");
    let shown = ada.sees(["show", &ids[1]]).await;
    assert!(shown.contains("Versions: 2\n  v2  "), "{shown}");
    assert!(shown.contains(" (reason: a better reader)\n"), "{shown}");

    let unknown_id = uuid::Uuid::nil().to_string();
    let some = ada.types(["rerun", &unknown_id, &ids[0]]).finish().await;
    assert_eq!(some.code, Some(1));
    assert_eq!(
        some.stderr,
        "docket: 00000000: This document was deleted, or you don't have access.\n"
    );
    assert!(some.stdout.starts_with(&format!("queued     {}  run ", &ids[0][28..])), "{some:?}");
    let some = ada.types(["rerun", &unknown_id, "--json"]).finish().await;
    let items: Value = serde_json::from_str(&some.stdout).unwrap();
    assert_eq!(
        items,
        json!({ "items": [{ "doc_id": unknown_id, "run_id": null, "status": "refused",
                            "problem": "This document was deleted, or you don't have access." }] })
    );
    assert_eq!(some.code, Some(1));
    let stage = ada.types(["rerun", &ids[0], "--from", "nope"]).finish().await.failed_with(2);
    assert!(stage.contains("nope"), "{stage}");
    server.stop().await.succeeded();
}

/// As the worker that has it would write: so far, of so many pages.
const WORKED_ON: &str = "
    UPDATE jobs SET status = 'PROCESSING', worker_id = 'elsewhere', started_at = now(),
           lease_token = job_id, lease_until = now() + interval '1 hour',
           progress_done = 812, progress_total = 3000";

#[tokio::test]
async fn of_a_stage_that_is_worked_on_people_see_how_far_it_is() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).env("DOCKET_NO_WORKERS", "true").start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder()]).await;
    let listed = ada.reads(["docs", "--status", "all", "--json"]).await;
    let id = listed["items"][0]["doc_id"].as_str().unwrap();
    let before = ada.sees(["show", id]).await;
    assert!(!before.contains(" of 3000"), "{before}");
    let mut superuser = folder.superuser().await;
    sqlx::query(WORKED_ON).execute(&mut superuser).await.unwrap();
    let shown = ada.sees(["show", id]).await;
    let stage = shown.lines().find(|line| line.starts_with("    ingest ")).unwrap();
    assert!(stage.contains(" processing ") && stage.ends_with("  812 of 3000"), "{shown}");
    drop(superuser);
    server.stop().await.succeeded();
}
