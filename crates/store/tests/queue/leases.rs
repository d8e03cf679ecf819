//! Only the holder of a lease can change its job.

use chrono::Duration;
use domain::{Dependency, Failure, JobState};
use store::{Outcome, ProgressReport};

use crate::harness::{Harness, LEASE, lease_of, succeeded};

#[tokio::test]
async fn a_late_report_with_a_lost_lease_changes_nothing() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr", "index"]).await;
    let stale = harness.claim_one("stale", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    assert_eq!(harness.expire_leases(3).await, (1, 0));
    let successor = harness.claim_one("successor", "ocr").await;
    assert_eq!(successor.job_id, stale.job_id);

    let before = harness.all_rows().await;
    let late = [
        succeeded(Some(harness.next("index", true))),
        succeeded(None),
        Outcome::RetryScheduled { failure: Failure::retry("late"), not_before: harness.now() },
        Outcome::Paused {
            failure: Failure::unavailable(Dependency::ObjectStore, "late"),
            dependency: Dependency::ObjectStore,
            not_before: harness.now(),
        },
        Outcome::Failed { failure: Failure::permanent("late", "none") },
        Outcome::Released,
    ];
    for outcome in late {
        assert!(!harness.settle(lease_of(&stale), outcome).await);
    }
    assert_eq!(harness.heartbeat(&[lease_of(&stale)]).await, [lease_of(&stale)]);
    assert_eq!(harness.all_rows().await, before);

    assert!(
        harness.settle(lease_of(&successor), succeeded(Some(harness.next("index", false)))).await
    );
    assert!(
        !harness.settle(lease_of(&successor), succeeded(None)).await,
        "a second report is not accepted"
    );
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn of_two_leases_of_one_worker_on_a_job_only_the_newer_counts() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let stale = harness.claim_one("w", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    harness.expire_leases(3).await;
    let fresh = harness.claim_one("w", "ocr").await;
    let report = |job| store::Report { lease: lease_of(job), outcome: succeeded(None) };
    let mut across = harness.store.across_tenants().await.unwrap();
    let until = harness.now() + LEASE;
    let lost = across
        .renew_leases(&[(lease_of(&stale), until), (lease_of(&fresh), until)], harness.now())
        .await
        .unwrap();
    assert_eq!(lost, [lease_of(&stale)]);
    let accepted =
        across.settle_jobs(&[report(&stale), report(&fresh)], harness.now()).await.unwrap();
    assert_eq!(accepted, [lease_of(&fresh)]);
}

#[tokio::test]
async fn an_expired_lease_is_valid_until_the_job_is_released() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("slow", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    assert!(harness.heartbeat(&[lease_of(&job)]).await.is_empty());
    assert_eq!(harness.expire_leases(3).await, (0, 0));
    assert!(harness.settle(lease_of(&job), succeeded(None)).await);
}

#[tokio::test]
async fn a_heartbeat_renews_held_leases_and_returns_lost_ones() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    for _ in 0..3 {
        harness.submit(tenant, &["ocr"]).await;
    }
    let jobs = harness.claim("w", "ocr", 3).await;
    assert!(harness.settle(lease_of(&jobs[2]), Outcome::Released).await);
    for _ in 0..10 {
        harness.clock.advance(Duration::seconds(5));
        let leases: Vec<_> = jobs.iter().map(lease_of).collect();
        assert_eq!(harness.heartbeat(&leases).await, [lease_of(&jobs[2])]);
        assert_eq!(harness.expire_leases(3).await, (0, 0), "a fresh heartbeat is never touched");
    }
    let job = harness.job(tenant, jobs[0].job_id).await;
    assert_eq!(job.lease_until, Some(harness.now() + LEASE));
    let alive =
        harness.values("SELECT to_jsonb(updated_at) FROM ingestion_runs ORDER BY 1 DESC").await;
    assert_eq!(alive[0], alive[1]);
    assert_ne!(alive[1], alive[2]);
}

#[tokio::test]
async fn a_heartbeat_does_not_wait_for_a_report_nor_count_its_lease_as_lost() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    let mut across = harness.store.across_tenants().await.unwrap();
    let report = store::Report { lease: lease_of(&job), outcome: succeeded(None) };
    across.settle_jobs(&[report], harness.now()).await.unwrap();
    assert!(harness.heartbeat(&[lease_of(&job)]).await.is_empty());
    across.commit().await.unwrap();
}

#[tokio::test]
async fn an_expired_lease_releases_the_job_and_after_some_the_job_is_dead() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    for expiry in 1..=3 {
        harness.claim_one(&format!("w{expiry}"), "ocr").await;
        harness.clock.advance(LEASE);
        assert_eq!(harness.expire_leases(3).await, (0, 0), "at its end a lease still holds");
        harness.clock.advance(Duration::milliseconds(1));
        assert_eq!(harness.expire_leases(3).await, (1, usize::from(expiry == 3)));
    }
    let job = harness.job(tenant, run.job_id).await;
    assert_eq!((job.status, job.attempts, job.expiries), (JobState::Dead, 0, 3));
    assert_eq!(job.error.as_deref(), Some("the worker w3 stopped responding"));
    assert!(job.guidance.is_some());
    let runs = harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await;
    assert_eq!(runs, ["failed"]);
    let stages = harness.values("SELECT to_jsonb(status || ' ' || worker_id) FROM stages").await;
    assert_eq!(stages, ["failed w3"]);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert_eq!(events, ["document.failed"]);
    assert_eq!(
        harness.audited().await,
        [
            "JOB_CREATED",
            "JOB_STARTED",
            "JOB_RETRY_SCHEDULED",
            "JOB_STARTED",
            "JOB_RETRY_SCHEDULED",
            "JOB_STARTED",
            "JOB_FAILED"
        ]
    );
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn reports_and_heartbeats_in_every_order_do_not_block_each_other() {
    let harness = std::sync::Arc::new(Harness::open().await);
    let tenant = harness.tenant("a").await;
    harness.flood(tenant, "ocr", 40).await;
    for _ in 0..10 {
        let jobs = harness.claim("w", "ocr", 40).await;
        assert_eq!(jobs.len(), 40);
        let report = |job: &store::ClaimedJob| store::Report {
            lease: lease_of(job),
            outcome: Outcome::Released,
        };
        let forth: Vec<_> = jobs.iter().map(report).collect();
        let back: Vec<_> = jobs.iter().rev().map(report).collect();
        let reports = [forth, back].map(|reports| {
            let harness = std::sync::Arc::clone(&harness);
            tokio::spawn(async move {
                let mut across = harness.store.across_tenants().await.unwrap();
                let accepted = across.settle_jobs(&reports, harness.now()).await.unwrap().len();
                across.commit().await.unwrap();
                accepted
            })
        });
        let leases: Vec<_> = jobs.iter().rev().map(lease_of).collect();
        harness.heartbeat(&leases).await;
        let mut counted = 0;
        for report in reports {
            counted += report.await.unwrap();
        }
        assert_eq!(counted, 40);
    }
}

#[tokio::test]
async fn the_progress_of_a_stage_is_shown_while_it_runs() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    let progress = async || {
        let mut tx = harness.store.read(&Harness::scope(tenant)).await.unwrap();
        let stages = tx.list_stages(&[run.run_id]).await.unwrap();
        stages[0].progress_done.zip(stages[0].progress_total)
    };
    let job = harness.claim_one("w", "ocr").await;
    assert_eq!(progress().await, None);
    let mut across = harness.store.queue_transaction().await.unwrap();
    across
        .record_progress(
            &[ProgressReport { lease: lease_of(&job), done: 3, total: 10 }],
            harness.now(),
        )
        .await
        .unwrap();
    across.commit().await.unwrap();
    assert_eq!(progress().await, Some((3, 10)));
    let streamed = async || harness.store.read_progress(&[tenant]).await.unwrap();
    let [record] = streamed().await.try_into().unwrap();
    assert_eq!(record.payload()["done"], 3, "{record:?}");
    assert_eq!(harness.store.read_progress(&[harness.tenant("b").await]).await.unwrap(), []);

    assert!(harness.schedule_retry(&job, Duration::seconds(30)).await);
    assert_eq!(progress().await, None, "the next attempt starts again");
    assert_eq!(streamed().await, []);
    harness.clock.advance(Duration::seconds(30));
    harness.claim_one("w", "ocr").await;
    assert_eq!(progress().await, None);
}
