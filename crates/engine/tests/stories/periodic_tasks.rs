//! Periodic tasks run on schedule, in one process at a time.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use domain::{Failure, JobState};
use engine::{PeriodicTask, Scheduler, StageSettings, clean_up_jobs, prune_events};

use crate::harness::{Harness, quick, scripted};

fn counting(done: &Arc<AtomicUsize>) -> Scheduler {
    let done = Arc::clone(done);
    Scheduler::default().with(PeriodicTask {
        name: "counting",
        every: Duration::from_mins(5),
        timeout: Duration::from_mins(1),
        run: Arc::new(move || {
            done.fetch_add(1, Ordering::SeqCst);
            Box::pin(async {})
        }),
    })
}

#[tokio::test]
async fn a_task_runs_every_five_minutes_in_one_of_several_processes() {
    let harness = Harness::open().await;
    let done = Arc::new(AtomicUsize::new(0));
    let (one, other) = (counting(&done), counting(&done));
    for round in 1..=3 {
        for scheduler in [&one, &other, &one] {
            scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
        }
        assert_eq!(done.load(Ordering::SeqCst), round);
        harness.clock.advance(chrono::Duration::minutes(5));
    }
    // A process that has just started reads from the database when the task is due.
    let again = counting(&done);
    harness.clock.advance(chrono::Duration::days(1));
    for _ in 0..3 {
        again.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    }
    assert_eq!(done.load(Ordering::SeqCst), 4, "missed runs are made up for once");
}

#[tokio::test]
async fn a_task_that_exceeds_its_timeout_is_cancelled() {
    let harness = Harness::open().await;
    let stuck = Scheduler::default().with(PeriodicTask {
        name: "stuck",
        every: Duration::from_mins(5),
        timeout: Duration::from_millis(20),
        run: Arc::new(|| Box::pin(std::future::pending())),
    });
    assert_eq!(stuck.run_due_tasks(&harness.store, &harness.environment).await.unwrap(), ["stuck"]);
    harness.clock.advance(chrono::Duration::minutes(5));
    assert_eq!(stuck.run_due_tasks(&harness.store, &harness.environment).await.unwrap(), ["stuck"]);
}

#[tokio::test]
async fn cleanup_deletes_finished_jobs_and_keeps_dead_ones() {
    let harness = Harness::open().await;
    let (broken, _) = scripted("broken", StageSettings::default(), |_| async {
        Err(Failure::permanent("x", "y"))
    });
    harness.submit(&["ocr", "index"]).await;
    let dead = harness.submit(&["ocr", "broken"]).await;
    let worker = harness.worker(quick(&["ocr", "index"]).with(broken));
    worker.run_until_idle().await.unwrap();
    let keep = Duration::from_hours(24);
    let clock = Arc::clone(&harness.environment.clock);
    let scheduler = Scheduler::default().with(clean_up_jobs(harness.store.clone(), clock, keep));
    harness.clock.advance(chrono::Duration::hours(23));
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(harness.values("SELECT to_jsonb(stage) FROM jobs").await.len(), 4);
    harness.clock.advance(chrono::Duration::hours(2));
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    let left = harness.values("SELECT to_jsonb(stage || ' ' || status) FROM jobs ORDER BY 1").await;
    assert_eq!(left, ["broken DEAD", "ocr COMPLETED"], "a retry still needs them");
    assert_eq!(harness.job(dead.job_id).await.status, JobState::Completed);
    assert_eq!(harness.values("SELECT to_jsonb(name) FROM stages").await.len(), 4);
}

#[tokio::test]
async fn old_events_are_pruned_in_every_tenant_once_they_have_a_position() {
    let harness = Harness::open().await;
    let neighbour = harness.add_tenant("b").await;
    harness.submit_for(neighbour, &["ocr"]).await;
    harness.submit(&["ocr"]).await;
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    let keep = Duration::from_hours(24);
    let clock = Arc::clone(&harness.environment.clock);
    let scheduler = Scheduler::default().with(prune_events(harness.store.clone(), clock, keep));
    let events = async || harness.values("SELECT to_jsonb(topic) FROM outbox_events").await.len();
    harness.clock.advance(chrono::Duration::hours(23));
    let made = events().await;
    assert!(made >= 2, "{made}");
    harness.store.number_events(harness.tenant_id).await.unwrap();
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(events().await, made);
    harness.clock.advance(chrono::Duration::hours(2));
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(events().await, made / 2, "the events of the other tenant have no position");
    harness.store.number_all_events().await.unwrap();
    harness.clock.advance(chrono::Duration::hours(1));
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(events().await, 0);
}
