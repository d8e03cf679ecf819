//! The commands that talk to a server: what they print, what they keep, and how they end.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::queue::queue_drills;
use crate::support::{
    Client, DataFolder, Docket, Finished, PASSWORD, Person, Server, address, eventually, jobs_where,
};

/// A server with jobs in several states: two of three are dead, in a pipeline whose stages no worker has.
async fn busy_server(folder: &DataFolder) -> Server {
    let server = Docket::serve(folder).without_workers().start().await;
    queue_drills(folder.superuser().await, 3, &["drill_a", "drill_b"]).await;
    let mut superuser = folder.superuser().await;
    sqlx::raw_sql(
        "UPDATE jobs SET status = 'DEAD', error = 'the file is encrypted', error_class = 'permanent',
                guidance = 'upload it without a password'
         WHERE job_id IN (SELECT job_id FROM jobs LIMIT 2);
         UPDATE ingestion_runs SET status = 'failed' WHERE run_id IN (SELECT run_id FROM jobs WHERE status = 'DEAD')",
    )
    .execute(&mut superuser)
    .await
    .unwrap();
    server
}

#[tokio::test]
async fn a_sign_in_is_kept_for_nobody_else_and_ends_with_a_sign_out() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let file = ada.home.path().join("credentials.json");
    assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o7777, 0o600);
    let kept: Value = serde_json::from_slice(&fs::read(&file).unwrap()).unwrap();
    let token = Client::of(&server).with(kept["token"].as_str().unwrap());
    assert_eq!(token.get("/v1/me").await.status, 200);

    let said = ada.sees(["logout"]).await;
    assert_eq!(said, format!("Signed out of {}/\n", address(&server)));
    assert!(!file.exists());
    assert_eq!(token.get("/v1/me").await.status, 401, "the server knows it too");
    assert_eq!(ada.sees(["logout"]).await, "You were not signed in\n");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_password_comes_from_standard_input_too_and_a_wrong_one_is_refused() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    let login = || ada.types(["login"]).and("--server", address(&server));
    login().finish_with_input(&format!("{PASSWORD}\n")).await.succeeded();
    let wrong = login().finish_with_input("wrong\n").await.failed_with(4);
    assert_eq!(wrong, "The email address or the password is wrong.");
    let none = login().finish().await.failed_with(2);
    assert!(none.starts_with("no password was given"), "{none}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn who_is_not_signed_in_or_finds_nobody_is_told_what_to_do() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).start().await;
    let ada = Person::new();
    let stranger = ada.types(["jobs"]).and("--server", address(&server)).finish().await;
    let sentence = stranger.failed_with(4);
    assert!(sentence.contains("Run `docket login --server http://127.0.0.1:"), "{sentence}");
    let stale =
        ada.types(["jobs"]).and("--server", address(&server)).env("DOCKET_TOKEN", "dk_none_none");
    assert!(stale.finish().await.failed_with(4).contains("Run `docket login`"));
    let unreachable =
        ada.types(["status", "--server", "http://127.0.0.1:1"]).finish().await.failed_with(3);
    assert!(
        unreachable.contains("Connection refused") && unreachable.contains("--server"),
        "{unreachable}"
    );
    let no_address =
        ada.types(["status", "--server", "localhost:8080"]).finish().await.failed_with(2);
    assert!(
        no_address.starts_with("'localhost:8080' is not the address of a server"),
        "{no_address}"
    );

    let key = Client::admin(&server).await;
    let (_, key) = key.make_key("scanner").await;
    let viewer = ada.types(["jobs"]).and("--server", address(&server)).env("DOCKET_TOKEN", &key);
    let forbidden = viewer.finish().await;
    assert_eq!(
        forbidden.code,
        Some(4),
        "an API key is a credential, and this one may not: {forbidden:?}"
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn jobs_and_queues_are_shown_to_people_and_to_programs() {
    let folder = DataFolder::new();
    let server = busy_server(&folder).await;
    let ada = Person::new();
    ada.signs_in(&server).await;

    let table = ada.sees(["jobs"]).await;
    assert_eq!(table.lines().count(), 4, "{table}");
    assert!(table.starts_with("JOB "), "{table}");
    assert!(table.contains("the file is encrypted"), "{table}");
    let pending = ada.reads(["jobs", "--status", "pending", "--stage", "drill_a", "--json"]).await;
    assert_eq!(pending["items"].as_array().unwrap().len(), 1);
    let run = pending["items"][0]["run_id"].as_str().unwrap();
    assert_eq!(ada.reads(["jobs", "--run", run, "--json"]).await["items"], pending["items"]);
    let one = ada.reads(["jobs", "--limit", "1", "--json"]).await;
    assert_eq!(one["items"].as_array().unwrap().len(), 1);
    assert_eq!(ada.sees(["jobs", "--stage", "none"]).await, "No job matches.\n");

    let status = ada.sees(["status"]).await;
    assert!(status.starts_with(&format!("Docket {} at ", env!("CARGO_PKG_VERSION"))), "{status}");
    assert!(status.contains("database     ok"), "{status}");
    assert!(status.contains("STAGE    WAITING  OLDEST  IN FLIGHT  DEAD  LAST MINUTE"), "{status}");
    let status = ada.reads(["status", "--json"]).await;
    let queue = &status["queues"][0];
    assert_eq!((&status["ready"], &queue["stage"]), (&json!(true), &json!("drill_a")));
    assert_eq!((&queue["waiting"], &queue["dead"]), (&json!(1), &json!(2)));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn dead_jobs_are_looked_at_and_requeued() {
    let folder = DataFolder::new();
    let server = busy_server(&folder).await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let dead = ada.reads(["dlq", "list", "--json"]).await;
    let ids: Vec<&str> = dead["items"]
        .as_array()
        .unwrap()
        .iter()
        .map(|job| job["job_id"].as_str().unwrap())
        .collect();
    assert_eq!(ids.len(), 2);
    let shown = ada.sees(["dlq", "show", &ids[0][28..]]).await;
    assert!(shown.starts_with(&format!("Job {}: Needs attention\n", ids[0])), "{shown}");
    assert!(shown.contains("What to do    upload it without a password"), "{shown}");
    let unknown_id = uuid::Uuid::nil().to_string();
    let missing = ada.types(["dlq", "show", &unknown_id]).finish().await.failed_with(1);
    assert_eq!(missing, "This job does not exist, or you don't have access.");

    let neither = ada.types(["dlq", "requeue"]).finish().await.failed_with(2);
    assert!(neither.starts_with("say which jobs to requeue"), "{neither}");
    let both = ada.types(["dlq", "requeue", ids[0], "--all"]).finish().await.failed_with(2);
    assert!(both.starts_with("give either ids or conditions"), "{both}");

    let some: Finished = ada.types(["dlq", "requeue", ids[0], &unknown_id]).finish().await;
    assert_eq!((some.code, some.stdout.as_str()), (Some(1), "Requeued 1 job\n"));
    assert!(
        some.stderr.contains(&format!(
            "docket: {unknown_id}: This job does not exist, or you don't have access.\n"
        )),
        "{some:?}"
    );
    let none = ada
        .sees(["dlq", "requeue", "--error-contains", "password", "--error-class", "poison"])
        .await;
    assert_eq!(none, "No failed job matches.\n");
    let by_filter =
        ["dlq", "requeue", "--stage", "drill_a", "--created-after", "2020-01-01", "--json"];
    assert_eq!(ada.reads(by_filter).await, json!({ "requeued": 1, "refused": [] }));
    assert_eq!(ada.sees(["dlq", "list"]).await, "Nothing needs attention.\n");

    let worker = Docket::on(&folder, ["worker"]).start_worker().await;
    let done = async || jobs_where(folder.superuser().await, "status = 'COMPLETED'").await == 6;
    eventually("all six stages are done", done).await;
    worker.stop_by(rustix::process::Signal::TERM).await.succeeded();
    let status = ada.reads(["status", "--json"]).await;
    let rates: Vec<&Value> = status["queues"]
        .as_array()
        .unwrap()
        .iter()
        .map(|queue| &queue["finished_last_minute"])
        .collect();
    assert_eq!(rates, [3, 3]);
    server.stop().await.succeeded();
}

#[tokio::test]
async fn failures_are_discarded_and_each_that_is_not_says_why() {
    let folder = DataFolder::new();
    let server = busy_server(&folder).await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let dead = ada.reads(["dlq", "list", "--json"]).await;
    let id = |at: usize| dead["items"][at]["job_id"].as_str().unwrap().to_owned();
    assert_eq!(ada.sees(["dlq", "discard", &id(0), &id(1)]).await, "Discarded 2 jobs\n");
    assert_eq!(ada.sees(["dlq", "list"]).await, "Nothing needs attention.\n");
    let shown = ada.sees(["dlq", "show", &id(0)]).await;
    assert!(shown.contains("Closed by     discarded"), "{shown}");
    let again: Finished = ada.types(["dlq", "discard", &id(0)]).finish().await;
    assert_eq!((again.code, again.stdout.as_str()), (Some(1), "Discarded 0 jobs\n"));
    let why = format!("docket: {}: This job needs no attention: it was discarded.\n", id(0));
    assert!(again.stderr.contains(&why), "{again:?}");
    assert_eq!(ada.sees(["dlq", "requeue", "--all"]).await, "No failed job matches.\n");
    assert_eq!(ada.sees(["dlq", "requeue", &id(0)]).await, "Requeued 1 job\n");
    server.stop().await.succeeded();
}
