//! Things that happen again and again, by one process at a time.

use std::time::Duration;

use store::BegunSchedule;

use crate::desk::Desk;

const EVERY: Duration = Duration::from_mins(5);

async fn begin(desk: &Desk) -> Option<BegunSchedule> {
    let mut across = desk.store.across_tenants().await.unwrap();
    let until = desk.now() + chrono::Duration::minutes(10);
    let begun = across.begin_schedule("sweep", EVERY, desk.now(), until).await.unwrap();
    across.commit().await.unwrap();
    begun
}

async fn end(desk: &Desk, begun: &BegunSchedule) -> bool {
    let mut across = desk.store.across_tenants().await.unwrap();
    let ended = across.end_schedule(begun, desk.now()).await.unwrap();
    across.commit().await.unwrap();
    ended
}

#[tokio::test]
async fn a_schedule_is_begun_by_one_at_its_time() {
    let desk = Desk::open().await;
    let begun = begin(&desk).await.expect("what is new is due");
    assert!(begin(&desk).await.is_none());
    desk.clock.advance(chrono::Duration::minutes(6));
    assert!(begin(&desk).await.is_none(), "due again, but somebody is still at it");
    assert!(end(&desk, &begun).await);
    let again = begin(&desk).await.expect("due, and nobody is at it");
    assert!(end(&desk, &again).await);
    desk.clock.advance(chrono::Duration::seconds(299));
    assert!(begin(&desk).await.is_none());
    desk.clock.advance(chrono::Duration::seconds(1));
    assert!(begin(&desk).await.is_some());
}

#[tokio::test]
async fn what_was_missed_is_done_once() {
    let desk = Desk::open().await;
    let begun = begin(&desk).await.unwrap();
    end(&desk, &begun).await;
    desk.clock.advance(chrono::Duration::days(2));
    let begun = begin(&desk).await.unwrap();
    end(&desk, &begun).await;
    assert!(begin(&desk).await.is_none());
}

#[tokio::test]
async fn a_schedule_whose_process_died_goes_on_after_its_lease() {
    let desk = Desk::open().await;
    let zombie = begin(&desk).await.unwrap();
    desk.clock.advance(chrono::Duration::minutes(11));
    let heir = begin(&desk).await.expect("the lease has run out");
    assert!(!end(&desk, &zombie).await);
    assert!(end(&desk, &heir).await);
}

#[tokio::test]
async fn a_schedule_from_before_the_clock_was_set_back_is_due_at_once() {
    let desk = Desk::open().await;
    desk.clock.advance(chrono::Duration::days(8));
    let begun = begin(&desk).await.unwrap();
    end(&desk, &begun).await;
    // Two processes may differ a little.
    desk.clock.advance(-chrono::Duration::seconds(20));
    assert!(begin(&desk).await.is_none());
    desk.clock.advance(-chrono::Duration::days(8));
    let again = begin(&desk).await.expect("it would be due in eight days");
    assert!(begin(&desk).await.is_none(), "once");
    assert!(end(&desk, &again).await);
}

#[tokio::test]
async fn a_process_that_died_before_the_clock_was_set_back_stops_no_schedule() {
    let desk = Desk::open().await;
    desk.clock.advance(chrono::Duration::hours(1));
    let zombie = begin(&desk).await.unwrap();
    desk.clock.advance(-chrono::Duration::hours(1));
    let heir = begin(&desk).await.expect("no lease lasts that long");
    assert!(!end(&desk, &zombie).await);
    assert!(end(&desk, &heir).await);
}
