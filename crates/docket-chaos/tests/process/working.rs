//! Workers as processes: beside the server and inside it, stopped and killed.

use rustix::process::Signal;
use serde_json::json;
use testkit::TestDatabase;

use crate::queue::queue_drills;
use crate::support::{Client, DataFolder, Docket, Server, WorkerProcess, eventually, jobs_where};

const STAGES: [&str; 4] = ["drill_a", "drill_b", "drill_c", "drill_d"];

async fn drilling_worker(folder: &DataFolder) -> WorkerProcess {
    Docket::on(folder, ["worker"]).start_worker().await
}

async fn count(folder: &DataFolder, condition: &str) -> i64 {
    jobs_where(folder.superuser().await, condition).await
}

/// How many workers `/readyz` of a process knows in it.
async fn worker_checks(server: &Server) -> usize {
    let ready = Client::of(server).get("/readyz").await.body;
    let checks = ready["dependencies"].as_array().expect("a list").clone();
    assert!(!checks.is_empty(), "{ready}");
    checks.iter().filter(|check| check["name"] == "worker").count()
}

/// How many stages a process has run, by its own metrics.
async fn stages_done(server: &Server) -> usize {
    let metrics = Client::of(server).get("/metrics").await.body;
    let text = metrics.as_str().expect("text");
    let counts = text.lines().filter(|line| line.starts_with("docket_stages_total"));
    counts.map(|line| line.rsplit(' ').next().unwrap().parse::<usize>().unwrap()).sum()
}

#[tokio::test]
async fn a_server_works_on_what_waits_unless_it_is_told_not_to() {
    let folder = DataFolder::new();
    let idle = Docket::serve(&folder).without_workers().start().await;
    assert_eq!(worker_checks(&idle).await, 0, "there is no worker in it");
    queue_drills(folder.superuser().await, 2, &STAGES[..1]).await;
    let server = Docket::serve(&folder).start().await;
    assert_eq!(worker_checks(&server).await, 1);
    eventually("the work is done", async || count(&folder, "status = 'COMPLETED'").await == 2)
        .await;
    // Both report what they did, and only the one with workers processed anything.
    assert_eq!((stages_done(&idle).await, stages_done(&server).await), (0, 2));
    idle.stop().await.succeeded();
    server.stop().await.succeeded();
    folder.is_left_alone().await;
}

#[tokio::test]
async fn a_worker_of_its_own_shares_the_private_database() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    let worker = drilling_worker(&folder).await;
    queue_drills(folder.superuser().await, 3, &STAGES).await;
    eventually("the work is done", async || count(&folder, "status = 'COMPLETED'").await == 12)
        .await;
    let by_it = format!("worker_id = '{}'", worker.id);
    assert_eq!(count(&folder, &by_it).await, 12);
    // Without workers the rest goes on.
    worker.stop_by(Signal::TERM).await.succeeded();
    assert_eq!(Client::admin(&server).await.get("/v1/me").await.status, 200);
    server.stop().await.succeeded();
    folder.is_left_alone().await;
}

#[tokio::test]
async fn a_worker_needs_the_database_url_and_nothing_else() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let worker = Docket::on(&folder, ["worker"]).database_url(database.url()).start_worker().await;
    worker.stop_by(Signal::INT).await.succeeded();
    assert!(!folder.path().join("secrets").exists(), "it keeps no secrets");
}

#[tokio::test]
async fn a_worker_that_is_stopped_hands_back_what_it_cannot_finish() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    let worker = drilling_worker(&folder).await;
    queue_drills(folder.superuser().await, 20, &STAGES).await;
    eventually("it is at work", async || count(&folder, "status = 'PROCESSING'").await > 0).await;
    worker.stop_by(Signal::INT).await.succeeded();
    assert_eq!(count(&folder, "status = 'PROCESSING'").await, 0, "no lease is left to run out");
    assert_eq!(count(&folder, "expiries > 0 OR status = 'DEAD'").await, 0);
    assert!(
        count(&folder, "status = 'PENDING'").await > 0,
        "stopped too late to interrupt anything"
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn what_a_killed_worker_had_is_taken_up_by_another() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    let victim = drilling_worker(&folder).await;
    queue_drills(folder.superuser().await, 3, &STAGES).await;
    eventually("it is at work", async || count(&folder, "status = 'PROCESSING'").await == 3).await;
    victim.kill().await;
    assert_eq!(count(&folder, "status = 'PROCESSING'").await, 3);
    let heir = drilling_worker(&folder).await;
    let done = "status = 'COMPLETED' AND stage = 'drill_d'";
    eventually("the work is done", async || count(&folder, done).await == 3).await;
    assert_eq!(count(&folder, "expiries = 1").await, 3, "one stage each was begun again");
    let heir = heir.stop_by(Signal::TERM).await;
    assert_eq!(heir.code, Some(0));
    assert!(
        heir.stderr.contains("released the jobs of workers that stopped responding"),
        "{heir:?}"
    );
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_pipeline_of_unknown_stages_is_refused() {
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let worker = Docket::on(&folder, ["worker"]).database_url(database.url());
    let sentence = worker.env("DOCKET_PIPELINE", "drill_a,magic").finish().await.failed_with(2);
    assert!(sentence.starts_with("pipeline names the stage 'magic'"), "{sentence}");
}

#[tokio::test]
async fn a_worker_tells_how_it_is_and_what_it_has_done() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    let worker = Docket::on(&folder, ["worker", "--metrics-listen", "127.0.0.1:0"]);
    let mut worker = worker.start_worker().await;
    let watcher = Client::of_address(worker.metrics_address().await);
    for path in ["/healthz", "/health", "/readyz"] {
        let health = watcher.get(path).await;
        assert_eq!((health.status, &health.body["status"]), (200, &json!("ok")), "{health:?}");
    }
    queue_drills(folder.superuser().await, 2, &STAGES[..1]).await;
    eventually("the work is done", async || count(&folder, "status = 'COMPLETED'").await == 2)
        .await;
    let metrics = watcher.get("/metrics").await;
    let text = metrics.body.as_str().unwrap();
    let counted = text.lines().find(|line| line.starts_with("docket_stages_total"));
    assert!(counted.is_some_and(|line| line.ends_with(" 2")), "{text}");
    assert_eq!(watcher.get("/v1/documents").await.status, 404, "it serves nothing else");
    worker.stop_by(Signal::TERM).await.succeeded();
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_worker_makes_no_database_of_its_own() {
    let folder = DataFolder::new();
    let nothing = Docket::on(&folder, ["worker"]).finish().await.failed_with(1);
    assert!(nothing.starts_with("there is no Docket database in "), "{nothing}");
    assert!(!folder.path().exists());
}
