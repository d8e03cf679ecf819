//! What those who follow the outbox see.

use store::EventPlace;
use uuid::Uuid;

use crate::desk::Desk;

/// Transactions are numbers: 10 comes after 9, whichever way they are written.
#[tokio::test]
async fn every_event_is_seen_once_in_the_order_of_the_transactions() {
    let desk = Desk::open().await;
    desk.tenant("a").await;
    let add = "INSERT INTO outbox_events (evt_id, tenant_id, topic, payload, created_at, xact)
               SELECT gen_random_uuid(), tenant_id, 'seen', '{}', now(), number::text::xid8
               FROM tenants, unnest(ARRAY[100, 9, 99, 10]) AS number";
    sqlx::raw_sql(add).execute(&mut desk.database.superuser().await).await.unwrap();
    let mut place = EventPlace { xact: 0, evt_id: Uuid::nil() };
    let mut seen = Vec::new();
    loop {
        let mut across = desk.store.across_tenants().await.unwrap();
        let events = across.events_after(&place, 3).await.unwrap();
        across.commit().await.unwrap();
        let Some(last) = events.last() else { break };
        place = last.place.clone();
        seen.extend(events.into_iter().map(|event| event.place.xact));
        assert!(seen.len() <= 4, "some are seen again: {seen:?}");
    }
    assert_eq!(seen, [9, 10, 99, 100]);
}
