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
