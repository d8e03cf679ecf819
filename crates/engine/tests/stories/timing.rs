//! Nothing is decided by a time that is not sure, and what a wrong time has left behind is put right.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{Clock, ClockJump, ClockReading, ClockUse, Environment, JobState};
use engine::{Scheduler, StaleAfter, clean_up_jobs, heal_times, prune_events, stale_runs};
use testkit::{FakeClock, TestDatabase, fake_environment};

use crate::harness::{Harness, quick};

const DAY: Duration = Duration::from_hours(24);
const EVERYTHING: [ClockUse; 3] = [ClockUse::Schedule, ClockUse::Expire, ClockUse::Delete];

/// A clock that the test says what may be decided by.
#[derive(Debug)]
struct UnsureClock {
    time: Arc<FakeClock>,
    good_for: Mutex<Vec<ClockUse>>,
    /// What it is good for once it was held against the database's.
    then_good_for: Mutex<Vec<ClockUse>>,
}

impl UnsureClock {
    fn is_good_for(&self, uses: &[ClockUse]) {
        *self.good_for.lock().unwrap() = uses.to_vec();
        *self.then_good_for.lock().unwrap() = uses.to_vec();
    }

    fn turns_out_to_have_jumped(&self) {
        *self.good_for.lock().unwrap() = EVERYTHING.to_vec();
        *self.then_good_for.lock().unwrap() = vec![ClockUse::Schedule];
    }
}

impl Clock for UnsureClock {
    fn now(&self) -> DateTime<Utc> {
        self.time.now()
    }

    fn elapsed(&self) -> Duration {
        self.time.elapsed()
    }

    fn now_for(&self, purpose: ClockUse) -> Option<DateTime<Utc>> {
        self.good_for.lock().unwrap().contains(&purpose).then(|| self.now())
    }

    fn observe(&self, _: &ClockReading) -> Option<ClockJump> {
        self.good_for.lock().unwrap().clone_from(&self.then_good_for.lock().unwrap());
        None
    }
}

async fn open() -> (Harness, Arc<UnsureClock>) {
    let time = Arc::new(FakeClock::default());
    let unsure = Arc::new(UnsureClock {
        time: Arc::clone(&time),
        good_for: Mutex::default(),
        then_good_for: Mutex::default(),
    });
    unsure.is_good_for(&EVERYTHING);
    let clock = Arc::clone(&unsure) as Arc<dyn Clock>;
    let environment = Environment { clock, ..fake_environment(&time) };
    (Harness::furnish(TestDatabase::create().await, time, environment).await, unsure)
}

#[tokio::test]
async fn a_lease_is_not_taken_back_while_the_time_is_not_sure() {
    let (harness, clock) = open().await;
    let run = harness.submit(&["ocr"]).await;
    crate::staleness::claim_and_die(&harness).await;
    harness.clock.advance(chrono::Duration::seconds(16));
    let worker = harness.worker(quick(&["ocr"]));
    clock.is_good_for(&[ClockUse::Schedule]);
    worker.work_off().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Processing);
    clock.turns_out_to_have_jumped();
    worker.work_off().await.unwrap();
    assert_eq!(
        harness.job(run.job_id).await.status,
        JobState::Processing,
        "noticed before the commit"
    );
    clock.is_good_for(&EVERYTHING);
    worker.work_off().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
}

#[tokio::test]
async fn nothing_is_begun_while_the_time_is_not_known() {
    let (harness, clock) = open().await;
    let run = harness.submit(&["ocr"]).await;
    let store = || harness.store.clone();
    let scheduler =
        Scheduler::default().with(heal_times(store(), harness.environment.clock.clone()));
    clock.is_good_for(&[]);
    let done = scheduler.do_what_is_due(&harness.store, &harness.environment).await.unwrap();
    assert!(done.is_empty());
    harness.worker(quick(&["ocr"])).work_off().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Pending);
    clock.is_good_for(&[ClockUse::Schedule]);
    let done = scheduler.do_what_is_due(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(done, ["heal_times"]);
}

#[tokio::test]
async fn right_after_a_jump_nothing_is_swept_and_no_run_is_stale() {
    let (harness, clock) = open().await;
    let finished = harness.submit(&["ocr"]).await;
    harness.worker(quick(&["ocr"])).work_off().await.unwrap();
    let running = harness.submit(&["ocr"]).await;
    crate::staleness::claim_and_die(&harness).await;
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
    clock.turns_out_to_have_jumped();
    scheduler().do_what_is_due(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(jobs().await, before);
    assert_eq!(events().await, 1);
    harness.clock.advance(chrono::Duration::minutes(10));
    clock.is_good_for(&EVERYTHING);
    scheduler().do_what_is_due(&harness.store, &harness.environment).await.unwrap();
    assert_eq!(harness.job(running.job_id).await.status, JobState::Pending);
    assert_eq!(events().await, 0);
    let swept = harness.values("SELECT to_jsonb(j.job_id) FROM jobs j").await;
    assert!(!swept.contains(&serde_json::json!(finished.job_id)), "{swept:?}");
}

#[tokio::test]
async fn what_was_queued_by_a_clock_that_was_ahead_is_done_after_the_next_look() {
    let (harness, _) = open().await;
    harness.clock.advance(chrono::Duration::days(8));
    let run = harness.submit(&["ocr"]).await;
    harness.clock.advance(-chrono::Duration::days(8));
    let worker = harness.worker(quick(&["ocr"]));
    worker.work_off().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Pending);
    let clock = harness.environment.clock.clone();
    let scheduler = Scheduler::default().with(heal_times(harness.store.clone(), clock));
    scheduler.do_what_is_due(&harness.store, &harness.environment).await.unwrap();
    worker.work_off().await.unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Completed);
}
