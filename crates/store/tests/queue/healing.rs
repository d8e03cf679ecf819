//! Times that lie ahead because the clock was set back.

use chrono::Duration;

use crate::harness::{Harness, held};

async fn heal(harness: &Harness) -> u64 {
    let mut across = harness.store.on_the_queue().await.unwrap();
    let healed = across.heal_future_times(harness.now(), 100).await.unwrap();
    across.commit().await.unwrap();
    healed
}

#[tokio::test]
async fn what_was_queued_by_a_clock_that_was_ahead_is_claimed_now() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.clock.advance(-Duration::days(8));
    assert!(harness.claim("w", "a", 1).await.is_empty());
    assert_eq!(heal(&harness).await, 2, "the job and its run");
    assert_eq!(harness.claim("w", "a", 1).await.len(), 1);
    assert_eq!(heal(&harness).await, 0);
}

#[tokio::test]
async fn what_was_to_wait_still_waits_as_long() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    let ordinary = harness.submit(tenant, &["b"]).await;
    harness.put_off(&harness.claim_one("w", "b").await, Duration::hours(3)).await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.put_off(&harness.claim_one("w", "a").await, Duration::minutes(10)).await;
    harness.clock.advance(-Duration::days(8));
    let before = harness.job(tenant, ordinary.job_id).await.next_run_at;
    heal(&harness).await;
    assert_eq!(
        harness.job(tenant, ordinary.job_id).await.next_run_at,
        before,
        "put off by this clock"
    );
    harness.clock.advance(Duration::seconds(599));
    assert!(harness.claim("w", "a", 1).await.is_empty());
    harness.clock.advance(Duration::seconds(1));
    assert_eq!(harness.claim("w", "a", 1).await.len(), 1);
}

#[tokio::test]
async fn the_lease_of_a_worker_that_died_ends_and_that_of_one_that_lives_does_not() {
    let harness = Harness::open().await;
    let tenant = harness.tenant("acme").await;
    harness.clock.advance(Duration::days(8));
    harness.submit(tenant, &["a"]).await;
    harness.submit(tenant, &["a"]).await;
    let _dead = harness.claim_one("dead", "a").await;
    let alive = harness.claim_one("alive", "a").await;
    harness.clock.advance(-Duration::days(8));
    harness.heartbeat(&[held(&alive)]).await;
    heal(&harness).await;
    assert_eq!(harness.expire_leases(4).await, (0, 0), "both have their time");
    harness.clock.advance(Duration::seconds(14));
    harness.heartbeat(&[held(&alive)]).await;
    harness.clock.advance(Duration::seconds(2));
    assert_eq!(harness.expire_leases(4).await, (1, 0));
    assert!(harness.heartbeat(&[held(&alive)]).await.is_empty());
}
