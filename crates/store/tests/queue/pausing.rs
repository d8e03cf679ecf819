//! Jobs that wait for a dependency, and documents that were deleted meanwhile.

use chrono::{DateTime, Duration, Utc};
use domain::{Dependency, Failure, JobState, RetryPolicy, TenantId};
use serde_json::json;
use store::{ClaimedJob, Outcome, PausedJobs};

use crate::harness::{Harness, LEASE, lease_of, succeeded};

impl Harness {
    async fn pause(&self, job: &ClaimedJob, dependency: Dependency, until: DateTime<Utc>) -> bool {
        let failure = Failure::unavailable(dependency, "it does not answer");
        self.settle(lease_of(job), Outcome::Paused { failure, dependency, not_before: until }).await
    }

    /// Claims all pending jobs of the stage and pauses them for the object store.
    async fn pause_all(&self, stage: &str, by: Duration) {
        for job in self.claim("w", stage, 100).await {
            assert!(self.pause(&job, Dependency::ObjectStore, self.now() + by).await);
        }
    }

    /// How many jobs resume, with a probe every half a minute.
    async fn resume(&self) -> u64 {
        let mut across = self.store.queue_transaction().await.unwrap();
        let before = self.now() - Duration::seconds(30);
        let resumed = across.resume_paused(self.now(), before).await.unwrap();
        across.commit().await.unwrap();
        resumed
    }
}

#[tokio::test]
async fn a_pause_uses_up_no_attempt_and_names_its_dependency() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    let job = harness.claim_one("w", "ocr").await;
    assert_eq!((job.tries.retries, job.tries.pauses), (0, 0));
    let until = harness.now() + Duration::seconds(5);
    assert!(harness.pause(&job, Dependency::ObjectStore, until).await);

    let found = harness.job(tenant, run.job_id).await;
    assert_eq!((found.status, found.attempts, found.pauses), (JobState::Pending, 0, 1));
    assert_eq!((found.next_run_at, found.paused_for.as_deref()), (until, Some("object_store")));
    assert_eq!(found.error_class.as_deref(), Some("unavailable"));
    assert!(found.guidance.unwrap().contains("object store"));
    let since = harness.now();
    let waiting = vec![PausedJobs { dependency: Dependency::ObjectStore, jobs: 1, since }];
    assert_eq!(harness.store.list_paused_jobs().await.unwrap(), waiting);
    let events = "SELECT payload || jsonb_build_object('topic', topic) FROM outbox_events";
    let (doc_id, run_id) = (run.doc_id, run.run_id);
    let paused = json!({ "topic": "document.paused", "doc_id": doc_id, "run_id": run_id, "stage": "ocr",
                         "waiting_for": "object_store", "version": 1 });
    assert_eq!(harness.values(events).await, [paused]);

    // The next attempt fails too: it is still the same pause, and no second event is published.
    harness.clock.advance(Duration::seconds(5));
    assert!(harness.claim("w", "ocr", 1).await.is_empty(), "it is still paused");
    assert_eq!(harness.resume().await, 1);
    let again = harness.claim_one("w", "ocr").await;
    assert_eq!((again.tries.retries, again.tries.pauses), (0, 1));
    assert_eq!(harness.store.list_paused_jobs().await.unwrap(), waiting, "it is being tried");
    assert!(
        harness.pause(&again, Dependency::ObjectStore, harness.now() + Duration::hours(1)).await
    );
    assert_eq!(harness.store.list_paused_jobs().await.unwrap(), waiting);
    assert_eq!(harness.values(events).await.len(), 1);
    harness.assert_chain_intact(tenant).await;
}

#[tokio::test]
async fn the_first_job_that_gets_through_wakes_all_others_of_its_dependency() {
    let harness = Harness::open().await;
    let tenants = [harness.tenant("a").await, harness.tenant("b").await];
    for tenant in tenants {
        harness.flood(tenant, "ocr", 3).await;
        harness.submit(tenant, &["index"]).await;
    }
    harness.pause_all("ocr", Duration::hours(1)).await;
    for job in harness.claim("w", "index", 2).await {
        let until = harness.now() + Duration::hours(1);
        assert!(harness.pause(&job, Dependency::EmbeddingModel, until).await);
    }
    harness.clock.advance(Duration::seconds(31));
    assert_eq!(harness.resume().await, 2, "one of each dependency");
    let probe = harness.claim_one("w", "ocr").await;
    assert!(harness.claim("w", "ocr", 10).await.is_empty());
    assert!(harness.settle(lease_of(&probe), succeeded(None)).await);
    assert_eq!(harness.claim("w", "ocr", 10).await.len(), 5, "of both tenants, without any wait");
    assert_eq!(harness.claim("w", "index", 10).await.len(), 1, "its dependency is still away");
    let waiting = harness.store.list_paused_jobs().await.unwrap();
    assert_eq!(waiting.len(), 1);
    assert_eq!((waiting[0].dependency, waiting[0].jobs), (Dependency::EmbeddingModel, 2));
}

#[tokio::test]
async fn the_job_that_was_tried_longest_ago_is_the_next_probe() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    harness.flood(tenant, "ocr", 3).await;
    harness.pause_all("ocr", Duration::hours(9)).await;
    assert_eq!(harness.resume().await, 0, "they have just been tried");
    let mut probed = Vec::new();
    for _ in 0..3 {
        harness.clock.advance(Duration::seconds(31));
        assert_eq!(harness.resume().await, 1);
        assert_eq!(harness.resume().await, 0, "one at a time, also while it runs");
        let probe = harness.claim_one("w", "ocr").await;
        probed.push(probe.job_id);
        // A probe that takes long does not delay the next one.
        harness.heartbeat(&[lease_of(&probe)]).await;
        let until = harness.now() + Duration::hours(9);
        assert!(harness.pause(&probe, Dependency::ObjectStore, until).await);
    }
    probed.sort_unstable_by_key(|job| job.0);
    probed.dedup();
    assert_eq!(probed.len(), 3);
}

#[tokio::test]
async fn another_failure_ends_the_wait_and_a_cancelled_run_waits_for_nothing() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let cancelled = harness.submit(tenant, &["ocr"]).await;
    harness.pause_all("ocr", Duration::hours(1)).await;
    assert!(harness.cancel(tenant, cancelled.run_id).await);
    assert!(harness.store.list_paused_jobs().await.unwrap().is_empty());
    assert!(harness.retry(tenant, cancelled.job_id).await);
    let job = harness.claim_one("w", "ocr").await;
    assert_eq!(job.tries.pauses, 0, "a retry resets the pauses");
    assert!(harness.pause(&job, Dependency::Reader, harness.now()).await);
    assert_eq!(harness.resume().await, 1);
    let job = harness.claim_one("w", "ocr").await;
    assert!(harness.settle(lease_of(&job), Outcome::Released).await);
    assert_eq!(harness.job(tenant, job.job_id).await.paused_for.as_deref(), Some("reader"));
    let job = harness.claim_one("w", "ocr").await;
    assert!(harness.schedule_retry(&job, Duration::seconds(1)).await);
    let job = harness.job(tenant, job.job_id).await;
    assert_eq!((job.attempts, job.pauses, job.paused_for), (1, 1, None));
}

/// The document is rarely the cause of a worker's death, so the job is tried often, with increasing delays.
#[tokio::test]
async fn after_some_dead_workers_a_job_is_delayed_ever_longer() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    let run = harness.submit(tenant, &["ocr"]).await;
    let allowed = RetryPolicy::LOST_WORKER.retries() + 1;
    let mut waits = Vec::new();
    loop {
        harness.claim_one("w", "ocr").await;
        harness.clock.advance(LEASE + Duration::milliseconds(1));
        let (expired, dead) = harness.expire_leases(allowed).await;
        assert_eq!(expired, 1);
        if dead == 1 {
            break;
        }
        let wait = (harness.job(tenant, run.job_id).await.next_run_at - harness.now())
            .max(Duration::zero());
        waits.push(wait.num_seconds());
        harness.clock.advance(wait);
    }
    assert_eq!(waits, [0, 0, 0, 30, 120, 600, 3600, 3600, 3600]);
    assert_eq!(harness.job(tenant, run.job_id).await.status, JobState::Dead);
}

#[tokio::test]
async fn a_document_that_is_deleted_at_any_moment_of_its_run_stays_deleted() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("a").await;
    for moment in ["queued", "running", "failing"] {
        let run = harness.submit(tenant, &["ocr"]).await;
        insert_document(&harness, tenant, run.doc_id.0).await;
        let delete = async || {
            let mut tx = harness.store.begin(&Harness::scope(tenant)).await.unwrap();
            assert!(tx.delete_document(run.doc_id).await.unwrap());
            tx.commit().await.unwrap();
        };
        if moment == "queued" {
            delete().await;
        }
        let job = harness.claim_one("w", "ocr").await;
        if moment != "queued" {
            delete().await;
        }
        let outcome = match moment {
            "failing" => Outcome::Failed { failure: Failure::permanent("x", "y") },
            _ => succeeded(None),
        };
        assert!(harness.settle(lease_of(&job), outcome).await);
        let states = harness
            .values("SELECT jsonb_build_array(status, error) FROM documents ORDER BY created_at DESC, doc_id DESC")
            .await;
        assert_eq!(states[0], json!(["inactive", null]), "deleted while {moment}");
    }
}

async fn insert_document(harness: &Harness, tenant: TenantId, doc_id: uuid::Uuid) {
    sqlx::query(
        "INSERT INTO documents (doc_id, tenant_id, file_kind, source_uri, title, source, filename, mime, bytes_len,
                                status, created_at, updated_at)
         VALUES ($1, $2, 'upload', $1::text, 't', 'upload', 'f', 'text/plain', 1, 'uploaded', $3, $3)",
    )
    .bind(doc_id)
    .bind(tenant.0)
    .bind(harness.now())
    .execute(&mut harness.database.superuser().await)
    .await
    .unwrap();
}
