//! What a report commits in one transaction.

use std::sync::Arc;

use chrono::Duration;
use domain::{Failure, JobState, RunStats, StageOutput};
use serde_json::json;
use store::Outcome;

use crate::harness::{Harness, lease_of, named, succeeded};

#[tokio::test]
async fn stage_next_job_run_events_and_audit_commit_together() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "layout", "index"]).await;
    let ocr = harness.claim_one("w", "ocr").await;
    assert_eq!(ocr.pipeline, run.pipeline);

    // Not committed: nothing changes.
    let before = harness.all_rows().await;
    let leased = harness.next("layout", true);
    let mut across = harness.store.across_tenants().await.unwrap();
    let report = store::Report { lease: lease_of(&ocr), outcome: succeeded(Some(leased.clone())) };
    assert_eq!(
        across.settle_jobs(std::slice::from_ref(&report), harness.now()).await.unwrap(),
        [lease_of(&ocr)]
    );
    drop(across);
    assert_eq!(harness.all_rows().await, before);

    // Committed: everything, with the next job leased to the reporting worker.
    assert!(harness.settle(report.lease, report.outcome).await);
    assert!(harness.claim("other", "layout", 1).await.is_empty());
    let job = harness.job(tenant, leased.job_id).await;
    assert_eq!((job.status, job.worker_id.as_deref()), (JobState::Processing, Some("w")));
    let lease = leased.lease.unwrap();
    assert_eq!(job.lease_until, Some(lease.until));

    // And the job after it for any worker.
    let open = harness.next("index", false);
    let layout = store::LeaseRef { job_id: leased.job_id, token: lease.token };
    assert!(harness.settle(layout, succeeded(Some(open.clone()))).await);
    let index = harness.claim_one("other", "index").await;
    assert_eq!(index.job_id, open.job_id);
    harness.clock.advance(Duration::seconds(3));
    assert!(harness.settle(lease_of(&index), succeeded(None)).await);

    let stages = "SELECT jsonb_build_array(name, status, worker_id, retries, artifacts) FROM stages
                  ORDER BY started_at, name DESC";
    assert_eq!(
        harness.values(stages).await,
        [
            json!(["ocr", "succeeded", "w", 0, [{ "name": "a" }]]),
            json!(["layout", "succeeded", "w", 0, [{ "name": "a" }]]),
            json!(["index", "succeeded", "other", 0, [{ "name": "a" }]]),
        ]
    );
    let ended =
        "SELECT jsonb_build_array(status, error, finished_at - started_at) FROM ingestion_runs";
    assert_eq!(harness.values(ended).await, [json!(["succeeded", null, "00:00:03"])]);
    let events = "SELECT jsonb_build_array(topic, payload->>'run_id') FROM outbox_events";
    assert_eq!(harness.values(events).await, [json!(["document.completed", run.run_id])]);
    let traces = "SELECT to_jsonb(trace_id) FROM audit_log WHERE action = 'JOB_COMPLETED'";
    // The trace is the caller's; the span is Docket's, and the log names the span.
    assert_eq!(harness.values(traces).await, vec![json!("000000000000000000f067aa0ba902b7"); 3]);
    assert_eq!(
        harness.audited().await,
        [
            "JOB_CREATED",
            "JOB_STARTED",
            "JOB_COMPLETED",
            "JOB_COMPLETED",
            "JOB_STARTED",
            "JOB_COMPLETED"
        ]
    );
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn retried_released_and_dead() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "index"]).await;

    let first = harness.claim_one("w", "ocr").await;
    assert!(harness.schedule_retry(&first, Duration::seconds(30)).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Pending, 1));
    assert_eq!(job.next_run_at, harness.now() + Duration::seconds(30));
    assert_eq!(job.error.as_deref(), Some("it broke"));
    assert_eq!(job.error_class.as_deref(), Some("retry"));

    harness.clock.advance(Duration::seconds(30));
    let second = harness.claim_one("w", "ocr").await;
    assert!(harness.settle(lease_of(&second), Outcome::Released).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Pending, 1), "a release uses up no attempt");

    let third = harness.claim_one("w", "ocr").await;
    let failure = Failure::permanent("a \0 in the file", "send another file");
    assert!(harness.settle(lease_of(&third), Outcome::Failed { failure }).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Dead, 1));
    assert_eq!(job.error.as_deref(), Some("a   in the file"));
    assert_eq!(job.guidance.as_deref(), Some("send another file"));
    assert!(harness.claim("w", "index", 1).await.is_empty());
    assert_eq!(harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await, ["failed"]);
    assert_eq!(harness.values("SELECT to_jsonb(status) FROM stages").await, ["failed"]);
    assert_eq!(
        harness.values("SELECT to_jsonb(topic) FROM outbox_events").await,
        ["document.failed"]
    );
    assert_eq!(
        harness.audited().await,
        [
            "JOB_CREATED",
            "JOB_STARTED",
            "JOB_RETRY_SCHEDULED",
            "JOB_STARTED",
            "JOB_RELEASED",
            "JOB_STARTED",
            "JOB_FAILED"
        ]
    );
    harness.assert_chain_intact(tenant).await;
}

/// Text of a document may contain NUL, which PostgreSQL cannot store.
#[tokio::test]
async fn nul_is_no_reason_to_refuse_an_outcome() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    let stats = RunStats { remarks: vec!["\0".to_owned()], ..RunStats::default() };
    let output = StageOutput { artifacts: vec![named("a\0b")], stats, effects: Vec::new() };
    let outcome = Outcome::Succeeded { output: Arc::new(output), next: None };
    assert!(harness.settle(lease_of(&job), outcome).await);
    let stored = "SELECT jsonb_build_array(artifacts, stats) FROM stages";
    let expected = json!([[{ "name": "a b" }], { "version": 1, "remarks": [" "] }]);
    assert_eq!(harness.values(stored).await, [expected]);
}

#[tokio::test]
async fn a_batch_of_several_tenants_settles_at_once() {
    let harness = Harness::open().await;
    let tenants = [harness.tenant("a").await, harness.tenant("b").await];
    for tenant in tenants {
        harness.flood(tenant, "ocr", 50).await;
    }
    let jobs = harness.claim("w", "ocr", 100).await;
    assert_eq!(jobs.len(), 100);
    let reports: Vec<_> = jobs
        .iter()
        .map(|job| store::Report { lease: lease_of(job), outcome: succeeded(None) })
        .collect();
    let mut across = harness.store.across_tenants().await.unwrap();
    assert_eq!(across.settle_jobs(&reports, harness.now()).await.unwrap().len(), 100);
    across.commit().await.unwrap();
    for tenant in tenants {
        harness.assert_chain_intact(tenant).await;
    }
}
