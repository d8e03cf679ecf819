//! Schedules of periodic tasks run in one process at a time.

use std::time::Duration;

use store::ScheduleLease;

use crate::harness::Harness;

const EVERY: Duration = Duration::from_mins(5);

async fn begin(harness: &Harness) -> Option<ScheduleLease> {
    let mut across = harness.store.across_tenants().await.unwrap();
    let until = harness.now() + chrono::Duration::minutes(10);
    let begun = across.begin_schedule("sweep", EVERY, harness.now(), until).await.unwrap();
    across.commit().await.unwrap();
    begun
}

async fn end(harness: &Harness, begun: &ScheduleLease) -> bool {
    let mut across = harness.store.across_tenants().await.unwrap();
    let ended = across.end_schedule(begun, harness.now()).await.unwrap();
    across.commit().await.unwrap();
    ended
}

#[tokio::test]
async fn one_process_at_a_time_runs_a_schedule_when_it_is_due() {
    let harness = Harness::open().await;
    let begun = begin(&harness).await.expect("a new schedule is due");
    assert!(begin(&harness).await.is_none());
    harness.clock.advance(chrono::Duration::minutes(6));
    assert!(begin(&harness).await.is_none(), "due again, but still running");
    assert!(end(&harness, &begun).await);
    let again = begin(&harness).await.expect("due, and not running");
    assert!(end(&harness, &again).await);
    harness.clock.advance(chrono::Duration::seconds(299));
    assert!(begin(&harness).await.is_none());
    harness.clock.advance(chrono::Duration::seconds(1));
    assert!(begin(&harness).await.is_some());
}

#[tokio::test]
async fn missed_runs_are_made_up_for_once() {
    let harness = Harness::open().await;
    let begun = begin(&harness).await.unwrap();
    end(&harness, &begun).await;
    harness.clock.advance(chrono::Duration::days(2));
    let begun = begin(&harness).await.unwrap();
    end(&harness, &begun).await;
    assert!(begin(&harness).await.is_none());
}

#[tokio::test]
async fn a_schedule_whose_process_died_continues_after_its_lease() {
    let harness = Harness::open().await;
    let stale = begin(&harness).await.unwrap();
    harness.clock.advance(chrono::Duration::minutes(11));
    let successor = begin(&harness).await.expect("the lease has expired");
    assert!(!end(&harness, &stale).await);
    assert!(end(&harness, &successor).await);
}

#[tokio::test]
async fn a_schedule_from_before_the_clock_was_set_back_is_due_at_once() {
    let harness = Harness::open().await;
    harness.clock.advance(chrono::Duration::days(8));
    let begun = begin(&harness).await.unwrap();
    end(&harness, &begun).await;
    // The clocks of two processes may differ slightly.
    harness.clock.advance(-chrono::Duration::seconds(20));
    assert!(begin(&harness).await.is_none());
    harness.clock.advance(-chrono::Duration::days(8));
    let again = begin(&harness).await.expect("it would be due in eight days");
    assert!(begin(&harness).await.is_none(), "once");
    assert!(end(&harness, &again).await);
}

#[tokio::test]
async fn a_process_that_died_before_the_clock_was_set_back_stops_no_schedule() {
    let harness = Harness::open().await;
    harness.clock.advance(chrono::Duration::hours(1));
    let stale = begin(&harness).await.unwrap();
    harness.clock.advance(-chrono::Duration::hours(1));
    let successor = begin(&harness).await.expect("no lease lasts that long");
    assert!(!end(&harness, &stale).await);
    assert!(end(&harness, &successor).await);
}
