//! What a lease protects.

use chrono::Duration;
use domain::{Dependency, Failure, JobState};
use store::{Outcome, Told};

use crate::harness::{Harness, LEASE, held, succeeded};

#[tokio::test]
async fn a_zombies_late_report_changes_nothing() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr", "index"]).await;
    let zombie = harness.claim_one("zombie", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    assert_eq!(harness.expire_leases(3).await, (1, 0));
    let heir = harness.claim_one("heir", "ocr").await;
    assert_eq!(heir.job_id, zombie.job_id);

    let before = harness.everything().await;
    let late = [
        succeeded(Some(harness.next("index", true))),
        succeeded(None),
        Outcome::PutOff { failure: Failure::retry("late"), not_before: harness.now() },
        Outcome::Paused {
            failure: Failure::unavailable(Dependency::ObjectStore, "late"),
            dependency: Dependency::ObjectStore,
            not_before: harness.now(),
        },
        Outcome::GivenUp { failure: Failure::permanent("late", "none") },
        Outcome::Released,
    ];
    for outcome in late {
        assert!(!harness.settle(held(&zombie), outcome).await);
    }
    assert_eq!(harness.heartbeat(&[held(&zombie)]).await, [held(&zombie)]);
    assert_eq!(harness.everything().await, before);

    assert!(harness.settle(held(&heir), succeeded(Some(harness.next("index", false)))).await);
    assert!(!harness.settle(held(&heir), succeeded(None)).await, "twice is once too many");
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn a_worker_that_holds_a_job_twice_counts_once() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let stale = harness.claim_one("w", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    harness.expire_leases(3).await;
    let fresh = harness.claim_one("w", "ocr").await;
    let report = |job| store::Report { held: held(job), outcome: succeeded(None) };
    let mut across = harness.store.across_tenants().await.unwrap();
    let until = harness.now() + LEASE;
    let lost = across
        .prolong_leases(&[(held(&stale), until), (held(&fresh), until)], harness.now())
        .await
        .unwrap();
    assert_eq!(lost, [held(&stale)]);
    let counted =
        across.settle_jobs(&[report(&stale), report(&fresh)], harness.now()).await.unwrap();
    assert_eq!(counted, [held(&fresh)]);
}

#[tokio::test]
async fn a_lease_that_ran_out_is_still_good_until_somebody_takes_over() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("slow", "ocr").await;
    harness.clock.advance(LEASE + Duration::seconds(1));
    assert!(harness.heartbeat(&[held(&job)]).await.is_empty());
    assert_eq!(harness.expire_leases(3).await, (0, 0));
    assert!(harness.settle(held(&job), succeeded(None)).await);
}

#[tokio::test]
async fn a_heartbeat_prolongs_what_is_held_and_names_what_is_lost() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    for _ in 0..3 {
        harness.submit(tenant, &["ocr"]).await;
    }
    let jobs = harness.claim("w", "ocr", 3).await;
    assert!(harness.settle(held(&jobs[2]), Outcome::Released).await);
    for _ in 0..10 {
        harness.clock.advance(Duration::seconds(5));
        let leases: Vec<_> = jobs.iter().map(held).collect();
        assert_eq!(harness.heartbeat(&leases).await, [held(&jobs[2])]);
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
async fn a_heartbeat_does_not_wait_for_a_report_under_way_nor_call_it_lost() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    let mut across = harness.store.across_tenants().await.unwrap();
    let report = store::Report { held: held(&job), outcome: succeeded(None) };
    across.settle_jobs(&[report], harness.now()).await.unwrap();
    assert!(harness.heartbeat(&[held(&job)]).await.is_empty());
    across.commit().await.unwrap();
}

#[tokio::test]
async fn an_expired_lease_is_taken_back_and_after_some_the_job_is_given_up() {
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
        let report =
            |job: &store::ClaimedJob| store::Report { held: held(job), outcome: Outcome::Released };
        let forth: Vec<_> = jobs.iter().map(report).collect();
        let back: Vec<_> = jobs.iter().rev().map(report).collect();
        let reports = [forth, back].map(|reports| {
            let harness = std::sync::Arc::clone(&harness);
            tokio::spawn(async move {
                let mut across = harness.store.across_tenants().await.unwrap();
                let counted = across.settle_jobs(&reports, harness.now()).await.unwrap().len();
                across.commit().await.unwrap();
                counted
            })
        });
        let leases: Vec<_> = jobs.iter().rev().map(held).collect();
        harness.heartbeat(&leases).await;
        let mut counted = 0;
        for report in reports {
            counted += report.await.unwrap();
        }
        assert_eq!(counted, 40);
    }
}

#[tokio::test]
async fn how_far_a_stage_is_is_known_as_long_as_it_is_worked_on() {
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
    let mut across = harness.store.on_the_queue().await.unwrap();
    across
        .tell_progress(&[Told { held: held(&job), done: 3, total: 10 }], harness.now())
        .await
        .unwrap();
    across.commit().await.unwrap();
    assert_eq!(progress().await, Some((3, 10)));
    let followed = async || harness.store.read_progress(&[tenant]).await.unwrap();
    let [told] = followed().await.try_into().unwrap();
    assert_eq!(told.payload()["done"], 3, "{told:?}");
    assert_eq!(harness.store.read_progress(&[harness.tenant("b").await]).await.unwrap(), []);

    assert!(harness.put_off(&job, Duration::seconds(30)).await);
    assert_eq!(progress().await, None, "the next try begins anew");
    assert_eq!(followed().await, []);
    harness.clock.advance(Duration::seconds(30));
    harness.claim_one("w", "ocr").await;
    assert_eq!(progress().await, None);
}
