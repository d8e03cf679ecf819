//! What users do with jobs and runs: retry, cancel, list.

use std::collections::BTreeSet;

use chrono::Duration;
use domain::{ClosedBy, Failure, FailureCode, JobId, JobState, RunConfig, RunStats, TenantId};
use serde_json::json;
use store::{Outcome, Window};

use crate::harness::{Harness, LEASE, lease_of, succeeded};

#[tokio::test]
async fn a_retried_job_is_reset_and_its_run_continues() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    assert!(!harness.retry(tenant, run.job_id).await, "only a dead job is retried");
    let began = harness.now();
    let job = harness.claim_one("w", "ocr").await;
    harness.schedule_retry(&job, Duration::seconds(1)).await;
    harness.clock.advance(Duration::seconds(1));
    let job = harness.claim_one("w", "ocr").await;
    let failure = Failure::poison("it crashed", "look at it");
    assert!(harness.settle(lease_of(&job), Outcome::Failed { failure }).await);

    harness.clock.advance(Duration::hours(1));
    assert!(harness.retry(tenant, run.job_id).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts, job.error), (JobState::Pending, 0, None));
    assert_eq!((job.next_run_at, job.error_class), (harness.now(), None));
    let other = harness.tenant("b").await;
    assert!(!harness.retry(other, run.job_id).await, "not a job of another tenant");

    let job = harness.claim_one("w", "ocr").await;
    assert!(harness.settle(lease_of(&job), succeeded(None)).await);
    let times =
        "SELECT jsonb_build_array(status, started_at, finished_at, error) FROM ingestion_runs";
    let shown = |moment: chrono::DateTime<chrono::Utc>| moment.to_rfc3339();
    let expected = json!(["succeeded", shown(began), shown(harness.now()), null]);
    assert_eq!(harness.values(times).await, [expected], "the start time stays");
    assert_eq!(harness.values("SELECT to_jsonb(status) FROM stages").await, ["succeeded"]);
    let events = "SELECT to_jsonb(topic) FROM outbox_events ORDER BY created_at";
    assert_eq!(
        harness.values(events).await,
        ["document.failed", "dead_jobs.changed", "document.completed"]
    );
    assert!(harness.audited().await.contains(&"JOB_RETRIED_BY_ADMIN".to_owned()));
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn cancelling_a_run_ends_the_lease_of_its_job() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "index"]).await;
    let job = harness.claim_one("w", "ocr").await;
    let other = harness.tenant("b").await;
    assert!(!harness.cancel(other, run.run_id).await, "not a job of another tenant");
    assert!(harness.cancel(tenant, run.run_id).await);
    assert!(!harness.cancel(tenant, run.run_id).await);

    assert_eq!(harness.heartbeat(&[lease_of(&job)]).await, [lease_of(&job)]);
    assert!(!harness.settle(lease_of(&job), succeeded(Some(harness.next("index", true)))).await);
    let dead = harness.job(tenant, run.job_id).await;
    assert_eq!((dead.status, dead.error_class.as_deref()), (JobState::Dead, Some("cancelled")));
    let runs = "SELECT jsonb_build_array(status, error) FROM ingestion_runs";
    assert_eq!(harness.values(runs).await, [json!(["failed", "cancelled"])]);
    assert_eq!(
        harness.values("SELECT to_jsonb(topic) FROM outbox_events").await,
        ["document.failed"]
    );
    assert_eq!(harness.audited().await, ["JOB_CREATED", "JOB_STARTED", "RUN_CANCELLED"]);
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn a_run_cancelled_before_it_started_and_then_retried_gets_its_start_time() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    assert!(harness.cancel(tenant, run.run_id).await);
    assert!(harness.retry(tenant, run.job_id).await);
    harness.clock.advance(Duration::seconds(5));
    harness.claim_one("w", "ocr").await;
    let times = "SELECT to_jsonb(started_at - created_at) FROM ingestion_runs";
    assert_eq!(harness.values(times).await, ["00:00:05"]);
}

#[tokio::test]
async fn a_cancel_that_waits_for_a_report_cancels_the_next_stage() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "index"]).await;
    let ocr = harness.claim_one("w", "ocr").await;
    let next = harness.next("index", true);
    let mut across = harness.store.across_tenants().await.unwrap();
    let report = store::Report { lease: lease_of(&ocr), outcome: succeeded(Some(next.clone())) };
    across.settle_jobs(&[report], harness.now()).await.unwrap();
    let commit = async {
        while !a_transaction_waits(&harness).await {
            tokio::task::yield_now().await;
        }
        across.commit().await.unwrap();
    };
    let (cancelled, ()) = tokio::join!(harness.cancel(tenant, run.run_id), commit);
    assert!(cancelled);
    assert_eq!(harness.job(tenant, next.job_id).await.status, JobState::Dead);
    assert_eq!(harness.job(tenant, run.job_id).await.status, JobState::Completed);
    assert_eq!(harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await, ["failed"]);
}

async fn a_transaction_waits(harness: &Harness) -> bool {
    let waiting = "SELECT to_jsonb(count(*)) FROM pg_stat_activity
                   WHERE datname = current_database() AND wait_event_type = 'Lock'";
    harness.values(waiting).await != [0]
}

#[tokio::test]
async fn the_queues_are_counted_by_stage() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    for _ in 0..4 {
        harness.submit(tenant, &["ocr"]).await;
    }
    let jobs = harness.claim("w", "ocr", 2).await;
    harness
        .settle(lease_of(&jobs[0]), Outcome::Failed { failure: Failure::permanent("x", "y") })
        .await;
    harness.clock.advance(LEASE);
    let mut tx = harness.store.read(&Harness::scope(tenant)).await.unwrap();
    let queues = tx.list_queues().await.unwrap();
    let [queue] = queues.as_slice() else { panic!("one stage, one queue") };
    assert_eq!((queue.waiting, queue.in_flight, queue.dead), (2, 1, 1));
    assert_eq!(queue.oldest, Some(harness.now() - LEASE));
    let dead = store::JobFilter { status: Some(JobState::Dead), ..Default::default() };
    let window = store::Window { after: None, skip: 0, limit: 10 };
    let listed = tx.list_jobs(&dead, &window).await.unwrap();
    assert_eq!(listed.iter().map(|job| job.job_id).collect::<Vec<_>>(), [jobs[0].job_id]);
}

#[tokio::test]
async fn a_discarded_job_is_not_listed_until_it_fails_again() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let other = harness.tenant("b").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    let fail = async || {
        let job = harness.claim_one("w", "ocr").await;
        let failure = Failure::permanent("it is encrypted", "enter its password")
            .with_code(Some(FailureCode::PasswordRequired));
        assert!(harness.settle(lease_of(&job), Outcome::Failed { failure }).await);
    };
    fail().await;
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.error_code.as_deref(), job.closed_by), (Some("password_required"), None));
    assert!(discard(&harness, other, run.job_id).await.is_empty(), "not a job of another tenant");
    assert_eq!(discard(&harness, tenant, run.job_id).await, [run.job_id]);
    assert!(discard(&harness, tenant, run.job_id).await.is_empty(), "twice is once");
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.closed_by), (JobState::Dead, Some(ClosedBy::Discarded)));
    let mut tx = harness.store.read(&Harness::scope(tenant)).await.unwrap();
    assert_eq!(tx.list_queues().await.unwrap().iter().map(|queue| queue.dead).sum::<i64>(), 0);
    tx.commit().await.unwrap();

    assert!(harness.retry(tenant, run.job_id).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.closed_by, job.error_code), (JobState::Pending, None, None));
    fail().await;
    assert_eq!(harness.job(tenant, run.job_id).await.closed_by, None);
    let discards = harness.audited().await.into_iter().filter(|action| action == "JOB_DISCARDED");
    assert_eq!(discards.count(), 1);
    harness.assert_chain_intact(tenant).await;
}

async fn discard(harness: &Harness, tenant: TenantId, job_id: JobId) -> Vec<JobId> {
    let mut tx = harness.store.begin(&Harness::scope(tenant)).await.unwrap();
    let discarded = tx.discard_dead_jobs(&[job_id]).await.unwrap();
    tx.commit().await.unwrap();
    discarded
}

#[tokio::test]
async fn a_run_with_unreadable_values_does_not_hide_the_other_runs() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let readable = harness.submit(tenant, &["ocr"]).await;
    let unreadable = harness.submit(tenant, &["ocr"]).await;
    let mut superuser = harness.database.superuser().await;
    sqlx::query(
        "UPDATE ingestion_runs SET config = '{\"version\": 99}', stats = '{\"pages\": \"three\"}'
         WHERE run_id = $1",
    )
    .bind(unreadable.run_id.0)
    .execute(&mut superuser)
    .await
    .unwrap();
    let mut tx = harness.store.read(&Harness::scope(tenant)).await.unwrap();
    let window = Window { after: None, skip: 0, limit: 10 };
    let runs = tx.list_runs(None, None, &window).await.unwrap();
    let ids: BTreeSet<_> = runs.iter().map(|run| run.run_id.0).collect();
    assert_eq!(ids, BTreeSet::from([readable.run_id.0, unreadable.run_id.0]));
    let run = tx.find_run(unreadable.run_id).await.unwrap().unwrap();
    assert_eq!((run.config, run.stats), (RunConfig::default(), RunStats::default()));
}
