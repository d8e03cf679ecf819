//! Times that lie ahead because the clock was set back.

use chrono::Duration;

use crate::desk::{Desk, held};

async fn heal(desk: &Desk) -> u64 {
    let mut across = desk.store.on_the_queue().await.unwrap();
    let healed = across.heal_future_times(desk.now(), 100).await.unwrap();
    across.commit().await.unwrap();
    healed
}

#[tokio::test]
async fn what_was_queued_by_a_clock_that_was_ahead_is_claimed_now() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("acme").await;
    desk.clock.advance(Duration::days(8));
    desk.submit(tenant, &["a"]).await;
    desk.clock.advance(-Duration::days(8));
    assert!(desk.claim("w", "a", 1).await.is_empty());
    assert_eq!(heal(&desk).await, 2, "the job and its run");
    assert_eq!(desk.claim("w", "a", 1).await.len(), 1);
    assert_eq!(heal(&desk).await, 0);
}

#[tokio::test]
async fn what_was_to_wait_still_waits_as_long() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("acme").await;
    let ordinary = desk.submit(tenant, &["b"]).await;
    desk.put_off(&desk.claim_one("w", "b").await, Duration::hours(3)).await;
    desk.clock.advance(Duration::days(8));
    desk.submit(tenant, &["a"]).await;
    desk.put_off(&desk.claim_one("w", "a").await, Duration::minutes(10)).await;
    desk.clock.advance(-Duration::days(8));
    let before = desk.job(tenant, ordinary.job_id).await.next_run_at;
    heal(&desk).await;
    assert_eq!(
        desk.job(tenant, ordinary.job_id).await.next_run_at,
        before,
        "put off by this clock"
    );
    desk.clock.advance(Duration::seconds(599));
    assert!(desk.claim("w", "a", 1).await.is_empty());
    desk.clock.advance(Duration::seconds(1));
    assert_eq!(desk.claim("w", "a", 1).await.len(), 1);
}

#[tokio::test]
async fn the_lease_of_a_worker_that_died_ends_and_that_of_one_that_lives_does_not() {
    let desk = Desk::open().await;
    let tenant = desk.tenant("acme").await;
    desk.clock.advance(Duration::days(8));
    desk.submit(tenant, &["a"]).await;
    desk.submit(tenant, &["a"]).await;
    let _dead = desk.claim_one("dead", "a").await;
    let alive = desk.claim_one("alive", "a").await;
    desk.clock.advance(-Duration::days(8));
    desk.heartbeat(&[held(&alive)]).await;
    heal(&desk).await;
    assert_eq!(desk.rescue(4).await, (0, 0), "both have their time");
    desk.clock.advance(Duration::seconds(14));
    desk.heartbeat(&[held(&alive)]).await;
    desk.clock.advance(Duration::seconds(2));
    assert_eq!(desk.rescue(4).await, (1, 0));
    assert!(desk.heartbeat(&[held(&alive)]).await.is_empty());
}
