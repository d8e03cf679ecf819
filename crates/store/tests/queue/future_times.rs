//! Times in the future are corrected after the clock was set back.

use chrono::Duration;

use crate::harness::{Harness, lease_of};

async fn correct(harness: &Harness) -> u64 {
    let mut across = harness.store.queue_transaction().await.unwrap();
    let corrected = across.correct_future_times(harness.now(), 100).await.unwrap();
    across.commit().await.unwrap();
    corrected
}

#[tokio::test]
async fn a_job_that_a_clock_ahead_of_time_queued_becomes_claimable() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.clock.advance(-Duration::days(8));
    assert!(harness.claim("w", "a", 1).await.is_empty());
    assert_eq!(correct(&harness).await, 2, "the job and its run");
    assert_eq!(harness.claim("w", "a", 1).await.len(), 1);
    assert_eq!(correct(&harness).await, 0);
}

#[tokio::test]
async fn a_corrected_job_keeps_its_delay() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    let ordinary = harness.submit(tenant, &["b"]).await;
    harness.schedule_retry(&harness.claim_one("w", "b").await, Duration::hours(3)).await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.schedule_retry(&harness.claim_one("w", "a").await, Duration::minutes(10)).await;
    harness.clock.advance(-Duration::days(8));
    let before = harness.job(tenant, ordinary.job_id).await.next_run_at;
    correct(&harness).await;
    assert_eq!(
        harness.job(tenant, ordinary.job_id).await.next_run_at,
        before,
        "its delay was set by this clock"
    );
    harness.clock.advance(Duration::seconds(599));
    assert!(harness.claim("w", "a", 1).await.is_empty());
    harness.clock.advance(Duration::seconds(1));
    assert_eq!(harness.claim("w", "a", 1).await.len(), 1);
}

#[tokio::test]
async fn the_lease_of_a_dead_worker_ends_and_that_of_a_live_one_does_not() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.submit(tenant, &["a"]).await;
    let _dead = harness.claim_one("dead", "a").await;
    let alive = harness.claim_one("alive", "a").await;
    harness.clock.advance(-Duration::days(8));
    harness.heartbeat(&[lease_of(&alive)]).await;
    correct(&harness).await;
    assert_eq!(harness.expire_leases(4).await, (0, 0), "both leases are corrected, not expired");
    harness.clock.advance(Duration::seconds(14));
    harness.heartbeat(&[lease_of(&alive)]).await;
    harness.clock.advance(Duration::seconds(2));
    assert_eq!(harness.expire_leases(4).await, (1, 0));
    assert!(harness.heartbeat(&[lease_of(&alive)]).await.is_empty());
}
