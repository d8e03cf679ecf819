//! Stale runs are taken over; all others are left alone.

use std::sync::Arc;
use std::time::Duration;

use domain::{Failure, JobState, TenantId};
use engine::{Scheduler, StageSettings, StaleAfter, stale_runs};
use serde_json::json;
use store::{JobClaim, LeaseRef, StageSlots};

use crate::harness::{Harness, quick, scripted};

fn watch(harness: &Harness) -> Scheduler {
    let clock = Arc::clone(&harness.environment.clock);
    Scheduler::default().with(stale_runs(harness.store.clone(), clock, StaleAfter::default()))
}

/// All rows that the task could have changed.
async fn all_rows(harness: &Harness) -> Vec<serde_json::Value> {
    let rows = "SELECT to_jsonb(j) FROM jobs j UNION ALL SELECT to_jsonb(r) FROM ingestion_runs r
                UNION ALL SELECT to_jsonb(a) FROM audit_log a ORDER BY 1";
    harness.values(rows).await
}

async fn run_task(harness: &Harness, watch: &Scheduler) {
    let done = watch.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(done, ["stale_runs"]);
}

/// A worker claims the job, and dies at once.
pub(crate) async fn claim_and_die(harness: &Harness) -> LeaseRef {
    let now = harness.environment.clock.now();
    let slots = StageSlots {
        stage: "ocr".parse().unwrap(),
        count: 1,
        is_reserved: false,
        last_tenant: TenantId(uuid::Uuid::nil()),
        lease_until: now + chrono::Duration::seconds(15),
    };
    let mut across = harness.store.queue_transaction().await.unwrap();
    let claim = JobClaim { stages: &[slots], max_jobs: 1, busy_tenants: &[], worker_id: "w1", now };
    let job = across.claim_jobs(&claim).await.unwrap().remove(0);
    across.commit().await.unwrap();
    LeaseRef { job_id: job.job_id, token: job.token }
}

async fn until(holds: impl Fn() -> bool) {
    while !holds() {
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn a_run_that_waits_for_a_worker_is_not_stale_however_long_it_waits() {
    let harness = Harness::open().await;
    let run = harness.submit(&["ocr"]).await;
    harness.clock.advance(chrono::Duration::days(3));
    let before = all_rows(&harness).await;
    run_task(&harness, &watch(&harness)).await;
    assert_eq!(all_rows(&harness).await, before, "it can be claimed as it is");
    assert_eq!(harness.job(run.job_id).await.status, JobState::Pending);
}

#[tokio::test]
async fn a_run_that_waits_for_its_next_attempt_is_not_stale() {
    let harness = Harness::open().await;
    let run = harness.submit(&["ocr"]).await;
    let (failing, _) =
        scripted("ocr", StageSettings::default(), |_| async { Err(Failure::retry("later")) });
    let worker = harness.worker(engine::Stages::default().with(failing));
    for _ in 0..4 {
        worker.run_until_idle().await.unwrap();
        harness.clock.advance(chrono::Duration::minutes(16));
    }
    // The fourth failure is retried after an hour.
    let job = harness.job(run.job_id).await;
    assert!(job.next_run_at > harness.environment.clock.now(), "{job:?}");
    let before = all_rows(&harness).await;
    run_task(&harness, &watch(&harness)).await;
    assert_eq!(all_rows(&harness).await, before);
}

#[tokio::test]
async fn a_job_without_a_heartbeat_is_taken_over_even_before_its_lease_ends() {
    let harness = Harness::open().await;
    let run = harness.submit(&["ocr"]).await;
    claim_and_die(&harness).await;
    // The dead worker's clock was a day ahead.
    harness.change("UPDATE jobs SET lease_until = lease_until + interval '1 day'").await;
    let watch = watch(&harness);
    harness.clock.advance(chrono::Duration::minutes(15));
    let before = all_rows(&harness).await;
    run_task(&harness, &watch).await;
    assert_eq!(all_rows(&harness).await, before, "not yet");

    harness.clock.advance(chrono::Duration::minutes(1));
    run_task(&harness, &watch).await;
    let job = harness.job(run.job_id).await;
    assert_eq!((job.status, job.expiries, job.attempts), (JobState::Pending, 1, 0));
    assert_eq!(job.error.as_deref(), Some("the worker w1 showed no sign of life"));
    let runs = harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await;
    assert_eq!(runs, ["running"], "taken over, not failed");
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn a_job_with_a_fresh_heartbeat_is_never_touched() {
    let harness = Harness::open().await;
    harness.submit(&["ocr"]).await;
    let held = claim_and_die(&harness).await;
    let watch = watch(&harness);
    for _ in 0..6 {
        harness.clock.advance(chrono::Duration::minutes(14));
        let now = harness.environment.clock.now();
        let mut across = harness.store.queue_transaction().await.unwrap();
        let until = now + chrono::Duration::seconds(15);
        assert!(across.renew_leases(&[(held, until)], now).await.unwrap().is_empty());
        across.commit().await.unwrap();
        harness.clock.advance(chrono::Duration::minutes(1));
        let before = all_rows(&harness).await;
        run_task(&harness, &watch).await;
        assert_eq!(all_rows(&harness).await, before);
    }
}

#[tokio::test]
async fn a_run_without_a_job_gets_one_for_its_next_stage() {
    let harness = Harness::open().await;
    let fresh = harness.submit(&["ocr", "index"]).await;
    harness.change("DELETE FROM jobs").await;
    let halfway = harness.submit(&["ocr", "index"]).await;
    let (stuck, runs) = scripted("index", StageSettings::default(), |_| {
        std::future::pending::<Result<(), Failure>>()
    });
    let worker = harness.worker(quick(&["ocr"]).with(stuck)).start();
    until(|| runs.load(std::sync::atomic::Ordering::SeqCst) > 0).await;
    worker.stop(Duration::ZERO).await;
    harness.change("DELETE FROM jobs WHERE stage = 'index'").await;

    let watch = watch(&harness);
    harness.clock.advance(chrono::Duration::minutes(61));
    run_task(&harness, &watch).await;
    let jobs =
        "SELECT jsonb_build_array(run_id, stage, status) FROM jobs WHERE status <> 'COMPLETED'
                ORDER BY run_id";
    assert_eq!(
        harness.values(jobs).await,
        [json!([fresh.run_id, "ocr", "PENDING"]), json!([halfway.run_id, "index", "PENDING"])]
    );
    harness.worker(quick(&["ocr", "index"])).run_until_idle().await.unwrap();
    let ended = harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await;
    assert_eq!(ended, ["succeeded", "succeeded"]);
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 4, "no stage twice");
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn a_run_whose_stages_have_all_succeeded_is_closed() {
    let harness = Harness::open().await;
    harness.submit(&["ocr"]).await;
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    harness
        .change(
            "UPDATE ingestion_runs SET status = 'running', finished_at = NULL;
         DELETE FROM jobs; DELETE FROM outbox_events",
        )
        .await;
    harness.clock.advance(chrono::Duration::minutes(16));
    run_task(&harness, &watch(&harness)).await;
    let runs = "SELECT jsonb_build_array(status, finished_at IS NOT NULL) FROM ingestion_runs";
    assert_eq!(harness.values(runs).await, [json!(["succeeded", true])]);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert_eq!(events, ["document.completed"]);
    assert_eq!(harness.count_audited("RUN_CLOSED").await, 1);
}
