//! No decision uses an unreliable time, and rows that a wrong clock wrote are corrected.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{Clock, ClockJump, ClockReading, ClockUse, Environment, JobState};
use engine::{
    Scheduler, StaleAfter, clean_up_jobs, correct_future_times, prune_events, stale_runs,
};
use testkit::{FakeClock, TestDatabase, fake_environment};

use crate::harness::{Harness, quick};

const DAY: Duration = Duration::from_hours(24);
const ALL_USES: [ClockUse; 3] = [ClockUse::Schedule, ClockUse::Expire, ClockUse::Delete];

/// A clock that is reliable only for the uses that the test sets.
#[derive(Debug)]
struct UnreliableClock {
    time: Arc<FakeClock>,
    reliable_for: Mutex<Vec<ClockUse>>,
    /// The uses it is reliable for after the comparison with the database's clock.
    then_reliable_for: Mutex<Vec<ClockUse>>,
}

impl UnreliableClock {
    fn is_reliable_for(&self, uses: &[ClockUse]) {
        *self.reliable_for.lock().unwrap() = uses.to_vec();
        *self.then_reliable_for.lock().unwrap() = uses.to_vec();
    }

    fn has_jumped_unnoticed(&self) {
        *self.reliable_for.lock().unwrap() = ALL_USES.to_vec();
        *self.then_reliable_for.lock().unwrap() = vec![ClockUse::Schedule];
    }
}

impl Clock for UnreliableClock {
    fn now(&self) -> DateTime<Utc> {
        self.time.now()
    }

    fn elapsed(&self) -> Duration {
        self.time.elapsed()
    }

    fn now_for(&self, purpose: ClockUse) -> Option<DateTime<Utc>> {
        self.reliable_for.lock().unwrap().contains(&purpose).then(|| self.now())
    }

    fn observe(&self, _: &ClockReading) -> Option<ClockJump> {
        self.reliable_for.lock().unwrap().clone_from(&self.then_reliable_for.lock().unwrap());
        None
    }
}

async fn open() -> (Harness, Arc<UnreliableClock>) {
    let time = Arc::new(FakeClock::default());
    let clock_in_test = Arc::new(UnreliableClock {
        time: Arc::clone(&time),
        reliable_for: Mutex::default(),
        then_reliable_for: Mutex::default(),
    });
    clock_in_test.is_reliable_for(&ALL_USES);
    let clock = Arc::clone(&clock_in_test) as Arc<dyn Clock>;
    let environment = Environment { clock, ..fake_environment(&time) };
    (Harness::with(TestDatabase::create().await, time, environment).await, clock_in_test)
}

#[tokio::test]
async fn no_lease_expires_while_the_time_is_unreliable() {
    let (harness, clock) = open().await;
    let run = harness.submit(&["ocr"]).await;
    crate::stale_runs::claim_and_die(&harness).await;
    harness.clock.advance(chrono::Duration::seconds(16));
    let worker = harness.worker(quick(&["ocr"]));
    clock.is_reliable_for(&[ClockUse::Schedule]);
    worker.run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Processing);
    clock.has_jumped_unnoticed();
    worker.run_until_idle().await.unwrap();
    assert_eq!(
        harness.job(run.job_id).await.status,
        JobState::Processing,
        "the jump was noticed before the commit"
    );
    clock.is_reliable_for(&ALL_USES);
    worker.run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
}

#[tokio::test]
async fn nothing_starts_while_the_time_is_unknown() {
    let (harness, clock) = open().await;
    let run = harness.submit(&["ocr"]).await;
    let store = || harness.store.clone();
    let scheduler =
        Scheduler::default().with(correct_future_times(store(), harness.environment.clock.clone()));
    clock.is_reliable_for(&[]);
    let done = scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert!(done.is_empty());
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Pending);
    clock.is_reliable_for(&[ClockUse::Schedule]);
    let done = scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(done, ["correct_future_times"]);
}

#[tokio::test]
async fn right_after_a_jump_nothing_is_deleted_and_no_run_is_stale() {
    let (harness, clock) = open().await;
    let finished = harness.submit(&["ocr"]).await;
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    let running = harness.submit(&["ocr"]).await;
    crate::stale_runs::claim_and_die(&harness).await;
    harness.clock.advance(chrono::Duration::days(8));
    let shared = || (harness.store.clone(), harness.environment.clock.clone());
    let scheduler = || {
        let ((store, clock), (same_store, same_clock)) = (shared(), shared());
        Scheduler::default()
            .with(stale_runs(store, clock, StaleAfter::default()))
            .with(clean_up_jobs(same_store, same_clock, DAY))
            .with(prune_events(harness.store.clone(), harness.environment.clock.clone(), DAY))
    };
    let events = async || harness.values("SELECT to_jsonb(topic) FROM outbox_events").await.len();
    harness.store.number_all_events().await.unwrap();
    assert_eq!(events().await, 1);
    let jobs = async || harness.values("SELECT to_jsonb(j) FROM jobs j ORDER BY job_id").await;
    let before = jobs().await;
    clock.has_jumped_unnoticed();
    scheduler().run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(jobs().await, before);
    assert_eq!(events().await, 1);
    harness.clock.advance(chrono::Duration::minutes(10));
    clock.is_reliable_for(&ALL_USES);
    scheduler().run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(harness.job(running.job_id).await.status, JobState::Pending);
    assert_eq!(events().await, 0);
    let remaining = harness.values("SELECT to_jsonb(j.job_id) FROM jobs j").await;
    assert!(!remaining.contains(&serde_json::json!(finished.job_id)), "{remaining:?}");
}

#[tokio::test]
async fn a_job_that_a_clock_ahead_of_time_queued_runs_after_the_correction() {
    let (harness, _) = open().await;
    harness.clock.advance(chrono::Duration::days(8));
    let run = harness.submit(&["ocr"]).await;
    harness.clock.advance(-chrono::Duration::days(8));
    let worker = harness.worker(quick(&["ocr"]));
    worker.run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Pending);
    let clock = harness.environment.clock.clone();
    let scheduler = Scheduler::default().with(correct_future_times(harness.store.clone(), clock));
    scheduler.run_due_tasks(&harness.store, &harness.environment).await.unwrap();
    worker.run_until_idle().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
}
