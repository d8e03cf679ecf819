//! What commits together.

use std::sync::Arc;

use chrono::Duration;
use domain::{Failure, JobState, RunStats, StageOutput};
use serde_json::json;
use store::Outcome;

use crate::harness::{Harness, held, named, succeeded};

#[tokio::test]
async fn stage_next_job_run_events_and_audit_commit_together() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "layout", "index"]).await;
    let ocr = harness.claim_one("w", "ocr").await;
    assert_eq!(ocr.pipeline, run.pipeline);

    // Not committed: nothing of it is there.
    let before = harness.everything().await;
    let leased = harness.next("layout", true);
    let mut across = harness.store.across_tenants().await.unwrap();
    let report = store::Report { held: held(&ocr), outcome: succeeded(Some(leased.clone())) };
    assert_eq!(
        across.settle_jobs(std::slice::from_ref(&report), harness.now()).await.unwrap(),
        [held(&ocr)]
    );
    drop(across);
    assert_eq!(harness.everything().await, before);

    // Committed: all of it, the next job in the reporter's hands.
    assert!(harness.settle(report.held, report.outcome).await);
    assert!(harness.claim("other", "layout", 1).await.is_empty());
    let job = harness.job(tenant, leased.job_id).await;
    assert_eq!((job.status, job.worker_id.as_deref()), (JobState::Processing, Some("w")));
    let lease = leased.lease.unwrap();
    assert_eq!(job.lease_until, Some(lease.until));

    // And the one after it for anybody.
    let open = harness.next("index", false);
    let layout = store::Held { job_id: leased.job_id, token: lease.token };
    assert!(harness.settle(layout, succeeded(Some(open.clone()))).await);
    let index = harness.claim_one("other", "index").await;
    assert_eq!(index.job_id, open.job_id);
    harness.clock.advance(Duration::seconds(3));
    assert!(harness.settle(held(&index), succeeded(None)).await);

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
    // The trace is the caller's; its span is ours, and so is what stands in the log.
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
async fn put_off_released_and_given_up() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr", "index"]).await;

    let first = harness.claim_one("w", "ocr").await;
    assert!(harness.put_off(&first, Duration::seconds(30)).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Pending, 1));
    assert_eq!(job.next_run_at, harness.now() + Duration::seconds(30));
    assert_eq!(job.error.as_deref(), Some("it broke"));
    assert_eq!(job.error_class.as_deref(), Some("retry"));

    harness.clock.advance(Duration::seconds(30));
    let second = harness.claim_one("w", "ocr").await;
    assert!(harness.settle(held(&second), Outcome::Released).await);
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Pending, 1), "handing back costs no attempt");

    let third = harness.claim_one("w", "ocr").await;
    let failure = Failure::permanent("a \0 in the file", "send another file");
    assert!(harness.settle(held(&third), Outcome::GivenUp { failure }).await);
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

/// What stands in a document may hold what PostgreSQL's text does not.
#[tokio::test]
async fn nul_is_no_reason_to_refuse_an_outcome() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    let stats = RunStats { remarks: vec!["\0".to_owned()], ..RunStats::default() };
    let output = StageOutput { artifacts: vec![named("a\0b")], stats, effects: Vec::new() };
    let outcome = Outcome::Succeeded { output: Arc::new(output), next: None };
    assert!(harness.settle(held(&job), outcome).await);
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
        .map(|job| store::Report { held: held(job), outcome: succeeded(None) })
        .collect();
    let mut across = harness.store.across_tenants().await.unwrap();
    assert_eq!(across.settle_jobs(&reports, harness.now()).await.unwrap().len(), 100);
    across.commit().await.unwrap();
    for tenant in tenants {
        harness.assert_chain_intact(tenant).await;
    }
}
