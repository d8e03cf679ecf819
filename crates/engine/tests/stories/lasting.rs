//! What happens again and again, whoever comes and goes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::{Failure, JobState};
use engine::{Chore, Schedules, StageSettings, janitor, prune_events};

use crate::workshop::{Workshop, quick, scripted};

fn counting(done: &Arc<AtomicUsize>) -> Schedules {
    let done = Arc::clone(done);
    Schedules::default().with(Chore {
        name: "sweep",
        every: Duration::from_mins(5),
        longest: Duration::from_mins(1),
        run: Arc::new(move || {
            done.fetch_add(1, Ordering::SeqCst);
            Box::pin(async {})
        }),
    })
}

#[tokio::test]
async fn a_chore_is_done_every_five_minutes_by_one_of_several_processes() {
    let shop = Workshop::open().await;
    let done = Arc::new(AtomicUsize::new(0));
    let (one, other) = (counting(&done), counting(&done));
    for round in 1..=3 {
        for schedules in [&one, &other, &one] {
            schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
        }
        assert_eq!(done.load(Ordering::SeqCst), round);
        shop.clock.advance(chrono::Duration::minutes(5));
    }
    // A process that starts anew knows when it is due.
    let again = counting(&done);
    shop.clock.advance(chrono::Duration::days(1));
    for _ in 0..3 {
        again.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    }
    assert_eq!(done.load(Ordering::SeqCst), 4, "what was missed is done once");
}

#[tokio::test]
async fn a_chore_that_takes_too_long_is_cut_off() {
    let shop = Workshop::open().await;
    let stuck = Schedules::default().with(Chore {
        name: "stuck",
        every: Duration::from_mins(5),
        longest: Duration::from_millis(20),
        run: Arc::new(|| Box::pin(std::future::pending())),
    });
    assert_eq!(stuck.do_what_is_due(&shop.store, &shop.environment).await.unwrap(), ["stuck"]);
    shop.clock.advance(chrono::Duration::minutes(5));
    assert_eq!(stuck.do_what_is_due(&shop.store, &shop.environment).await.unwrap(), ["stuck"]);
}

#[tokio::test]
async fn the_janitor_sweeps_what_is_finished_and_leaves_what_is_dead() {
    let shop = Workshop::open().await;
    let (broken, _) = scripted("broken", StageSettings::default(), |_| async {
        Err(Failure::permanent("x", "y"))
    });
    shop.submit(&["ocr", "index"]).await;
    let dead = shop.submit(&["ocr", "broken"]).await;
    let worker = shop.worker(quick(&["ocr", "index"]).with(broken));
    worker.work_off().await.unwrap();
    let keep = Duration::from_hours(24);
    let clock = Arc::clone(&shop.environment.clock);
    let schedules = Schedules::default().with(janitor(shop.store.clone(), clock, keep));
    shop.clock.advance(chrono::Duration::hours(23));
    schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    assert_eq!(shop.values("SELECT to_jsonb(stage) FROM jobs").await.len(), 4);
    shop.clock.advance(chrono::Duration::hours(2));
    schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    let left = shop.values("SELECT to_jsonb(stage || ' ' || status) FROM jobs ORDER BY 1").await;
    assert_eq!(left, ["broken DEAD", "ocr COMPLETED"], "what a retry needs is still there");
    assert_eq!(shop.job(dead.job_id).await.status, JobState::Completed);
    assert_eq!(shop.values("SELECT to_jsonb(name) FROM stages").await.len(), 4);
}

#[tokio::test]
async fn old_events_are_pruned_in_every_tenant_once_they_have_a_position() {
    let shop = Workshop::open().await;
    let neighbour = shop.neighbour("b").await;
    shop.submit_for(neighbour, &["ocr"]).await;
    shop.submit(&["ocr"]).await;
    shop.worker(quick(&["ocr"])).work_off().await.unwrap();
    let keep = Duration::from_hours(24);
    let clock = Arc::clone(&shop.environment.clock);
    let schedules = Schedules::default().with(prune_events(shop.store.clone(), clock, keep));
    let events = async || shop.values("SELECT to_jsonb(topic) FROM outbox_events").await.len();
    shop.clock.advance(chrono::Duration::hours(23));
    let made = events().await;
    assert!(made >= 2, "{made}");
    shop.store.number_events(shop.tenant_id).await.unwrap();
    schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    assert_eq!(events().await, made);
    shop.clock.advance(chrono::Duration::hours(2));
    schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    assert_eq!(events().await, made / 2, "those of the other tenant have no position");
    shop.store.number_all_events().await.unwrap();
    shop.clock.advance(chrono::Duration::hours(1));
    schedules.do_what_is_due(&shop.store, &shop.environment).await.unwrap();
    assert_eq!(events().await, 0);
}
