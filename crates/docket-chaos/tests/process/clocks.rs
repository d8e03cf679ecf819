//! Machines with wrong clocks on one PostgreSQL. `libfaketime` makes a process believe that it is another time; the
//! database's server is not told.

use std::path::{Path, PathBuf};

use rustix::process::Signal;
use serde_json::Value;
use testkit::TestDatabase;

use crate::queue::queue_drills;
use crate::support::{Client, DataFolder, Docket, Papers, Person, eventually, jobs_where};

const STAGES: [&str; 4] = ["drill_a", "drill_b", "drill_c", "drill_d"];

/// The library; `scripts/test` installs it. On other machines these tests pass without it, and say so.
fn faketime() -> Option<PathBuf> {
    let unpacked = reading::tools::folder().map(|tools| tools.join("*/root/usr/lib/*/faketime"));
    let folders = [Some(PathBuf::from("/usr/lib/*/faketime")), unpacked];
    let found = folders.into_iter().flatten().find_map(|folder| {
        let pattern = folder.join("libfaketimeMT.so.1");
        glob::glob(pattern.to_str()?).ok()?.find_map(Result::ok)
    });
    if found.is_none() {
        assert!(std::env::var_os("CI").is_none(), "scripts/need faketime installs libfaketime");
        println!("SKIPPED: libfaketime is not there; scripts/need faketime installs it");
    }
    found
}

/// On a machine whose clock is wrong by this much.
fn with_wrong_clock(docket: Docket, library: &Path, ahead: &str) -> Docket {
    docket
        .env("LD_PRELOAD", library.to_str().unwrap())
        .env("FAKETIME", ahead)
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("DONT_FAKE_MONOTONIC", "1")
}

/// The component `clock` of `/readyz`, which answers 200.
async fn clock_of(client: &Client) -> Value {
    let ready = client.get("/readyz").await;
    assert_eq!(ready.status, 200, "{ready:?}");
    let dependencies = ready.body["dependencies"].as_array().unwrap();
    dependencies.iter().find(|dependency| dependency["name"] == "clock").unwrap().clone()
}

#[tokio::test]
async fn no_job_fails_because_the_clock_of_a_worker_is_wrong() {
    const RUNS: i64 = 60;
    let Some(library) = faketime() else { return };
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let url = database.url();
    let server = Docket::serve(&folder).without_workers().database_url(url);
    let server = server.start().await;
    let worker = || Docket::on(&folder, ["worker"]).database_url(url);
    let honest = worker().start_worker().await;
    let mut wrong = Vec::new();
    for ahead in ["+12s", "+1h", "-1h"] {
        let worker = worker().and("--metrics-listen", "127.0.0.1:0");
        wrong.push(with_wrong_clock(worker, &library, ahead).start_worker().await);
    }
    queue_drills(database.superuser().await, 60, &STAGES).await;
    let count = async |condition| jobs_where(database.superuser().await, condition).await;
    let done = "status = 'COMPLETED' AND stage = 'drill_d'";
    eventually("the work is done", async || count(done).await == RUNS).await;
    assert_eq!(count("expiries > 0 OR attempts > 0 OR status = 'DEAD'").await, 0);

    let address = wrong[1].metrics_address().await;
    let client = Client::of_address(address);
    let clock = clock_of(&client).await;
    assert_eq!(clock["status"], "degraded", "{clock}");
    let problem = clock["problem"].as_str().unwrap();
    assert!(problem.contains("ahead of the database's") && problem.contains("NTP"), "{problem}");
    let metrics = client.get("/metrics").await.body;
    let skew = metrics
        .as_str()
        .unwrap()
        .lines()
        .find_map(|line| line.strip_prefix("docket_clock_skew_seconds ")?.parse::<f64>().ok());
    assert!((3590.0..3610.0).contains(&skew.unwrap()), "{skew:?}");
    assert_eq!(clock_of(&Client::of(&server)).await["status"], "ok");

    honest.stop_by(Signal::TERM).await.succeeded();
    for worker in wrong {
        let said = worker.stop_by(Signal::TERM).await;
        let warnings = said.stderr.matches("the clock of this machine differs from the database's");
        assert_eq!(warnings.count(), 1, "{}", said.stderr);
    }
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_server_that_is_days_ahead_deletes_nothing_and_delays_no_periodic_task() {
    let Some(library) = faketime() else { return };
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let serve = || Docket::serve(&folder).database_url(database.url());
    let server = serve().env("DOCKET_NO_WORKERS", "true").start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder()]).await;
    let mut superuser = database.superuser().await;
    // It failed a moment ago: its original is kept for a week.
    sqlx::raw_sql(
        "DELETE FROM jobs; UPDATE ingestion_runs SET status = 'failed', finished_at = now()",
    )
    .execute(&mut superuser)
    .await
    .unwrap();

    let ahead = with_wrong_clock(serve(), &library, "+8d").start().await;
    let mut count = async |what: &str| -> i64 {
        let statement = format!("SELECT count(*) FROM {what}");
        let statement = sqlx::query_scalar(sqlx::AssertSqlSafe(statement));
        statement.fetch_one(&mut superuser).await.unwrap()
    };
    let swept = "schedules WHERE name = 'sweep_originals' AND last_ended IS NOT NULL";
    eventually("it looks at originals", async || count(swept).await == 1).await;
    eventually("and does the rest", async || {
        count("schedules WHERE last_ended IS NULL").await == 0
    })
    .await;
    assert_eq!(count("schedules WHERE next_at > now() + interval '31 minutes'").await, 0);

    assert_eq!(count("blobs").await, 1, "the original is deleted");
    let clock = clock_of(&Client::of(&ahead)).await;
    assert!(
        clock["problem"].as_str().unwrap().contains("8 days ahead of the database's"),
        "{clock}"
    );

    assert_eq!(ahead.stop().await.code, Some(0));
    server.stop().await.succeeded();
}

#[tokio::test]
async fn uploads_through_a_server_that_is_ahead_are_processed_at_once() {
    let Some(library) = faketime() else { return };
    let (folder, database) = (DataFolder::new(), TestDatabase::create().await);
    let server =
        Docket::serve(&folder).env("DOCKET_NO_WORKERS", "true").database_url(database.url());
    let server = with_wrong_clock(server, &library, "+1h").start().await;
    let worker = Docket::on(&folder, ["worker"]).database_url(database.url()).start_worker().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let papers = Papers::texts(1);
    ada.sees(["ingest", papers.folder()]).await;
    let client = Client::admin(&server).await;
    eventually("it is processed", async || {
        client.get("/v1/documents").await.body["items"][0]["status"] == "active"
    })
    .await;
    worker.stop_by(Signal::TERM).await.succeeded();
    assert_eq!(server.stop().await.code, Some(0));
}
