//! Processes on machines with wrong clocks use the database's clock.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, TimeDelta, Utc};
use domain::{Clock, ClockUse};
use sqlx::PgConnection;
use store::{DatabaseClock, Store};
use testkit::{CountedIds, TestDatabase};

/// Days behind, and with a time since boot that the test moves.
#[derive(Debug, Default)]
struct Machine {
    elapsed: Mutex<Duration>,
}

impl Machine {
    fn pass(&self, time: Duration) {
        *self.elapsed.lock().unwrap() += time;
    }
}

impl Clock for Machine {
    fn now(&self) -> DateTime<Utc> {
        DateTime::UNIX_EPOCH
    }

    fn elapsed(&self) -> Duration {
        *self.elapsed.lock().unwrap()
    }
}

async fn process(database: &TestDatabase) -> (Arc<Machine>, Store) {
    let machine = Arc::new(Machine::default());
    machine.pass(Duration::from_hours(1));
    let clock = Arc::new(DatabaseClock::new(Arc::clone(&machine) as Arc<dyn Clock>));
    (machine, database.store(clock, Arc::new(CountedIds::default())).await)
}

async fn time_of(superuser: &mut PgConnection) -> DateTime<Utc> {
    sqlx::query_scalar("SELECT clock_timestamp()").fetch_one(superuser).await.unwrap()
}

async fn confirms(store: &Store, purpose: ClockUse) -> bool {
    let mut across = store.across_tenants().await.unwrap();
    let confirmed = across.confirms_time_for(purpose).await.unwrap();
    across.commit().await.unwrap();
    confirmed
}

#[tokio::test]
async fn a_machine_with_a_wrong_clock_uses_the_time_of_the_database() {
    let database = TestDatabase::create().await;
    let mut superuser = database.superuser().await;
    let (_, store) = process(&database).await;
    let clock = store.clock();
    for purpose in [ClockUse::Schedule, ClockUse::Expire, ClockUse::Delete] {
        assert_eq!(clock.now_for(purpose), None, "{purpose:?} before the database was asked");
    }
    let before = time_of(&mut superuser).await;
    store.synchronise_clock().await.unwrap();
    let after = time_of(&mut superuser).await;
    assert!((before..=after).contains(&clock.now()));
    assert_eq!(clock.now_for(ClockUse::Expire), Some(clock.now()));
    assert_eq!(clock.now_for(ClockUse::Delete), None, "not in the first minutes");
    let report = clock.report().unwrap();
    assert!(report.skew < -TimeDelta::days(365), "{report:?}");
    assert!(report.problem().unwrap().contains("behind the database's"));
}

#[tokio::test]
async fn a_jump_is_noticed_before_a_commit_and_recorded_for_other_processes() {
    let database = TestDatabase::create().await;
    let mut superuser = database.superuser().await;
    let (machine, store) = process(&database).await;
    store.synchronise_clock().await.unwrap();
    assert!(confirms(&store, ClockUse::Expire).await);
    // After an hour has passed, a database's clock that shows the same minute was set back.
    machine.pass(Duration::from_hours(1));
    assert!(!confirms(&store, ClockUse::Expire).await);
    store.synchronise_clock().await.unwrap();
    let (by, held_for): (f64, f64) = sqlx::query_as(
        "SELECT jumped_by_seconds, extract(epoch FROM hold_deletion_until - jumped_at)::float8 FROM clock_state",
    )
    .fetch_one(&mut superuser)
    .await
    .unwrap();
    assert!((-3660.0..-3540.0).contains(&by), "{by}");
    assert!((86_300.0..86_500.0).contains(&held_for), "{held_for}");
    // A process that starts now has not seen the jump.
    let (_, young) = process(&database).await;
    young.synchronise_clock().await.unwrap();
    assert_eq!(young.clock().now_for(ClockUse::Expire), None);
    assert!(young.clock().report().unwrap().deletion_held_until.is_some());
}
