//! Who works on what, and what happens when a worker is gone, slow or told to stop.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use chrono::{DateTime, Utc};
use domain::{JobId, JobState};
use engine::{StageSettings, Stages, WorkerSettings};
use store::Store;
use tokio::sync::Semaphore;

use crate::harness::{Harness, quick, scripted};

const SOON: Duration = Duration::from_secs(20);

/// A stage that stays where it is until it is let go.
fn waiting(
    stages: Stages,
    concurrency: usize,
    gate: &Arc<Semaphore>,
) -> (Stages, Arc<AtomicUsize>) {
    let gate = Arc::clone(gate);
    let settings = StageSettings { concurrency, ..Default::default() };
    let (stage, runs) = scripted("ocr", settings, move |_| {
        let gate = Arc::clone(&gate);
        async move {
            gate.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    (stages.with(stage), runs)
}

/// G8 and G9: a fresh one is left alone whoever else is woken, a stale one is taken over.
#[tokio::test]
async fn a_running_job_is_left_alone_and_a_stale_one_is_taken_over() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, runs) = waiting(Stages::default(), 1, &gate);
    let slow =
        WorkerSettings { heartbeat_every: Duration::from_hours(1), ..WorkerSettings::named("w1") };
    // With no room for a second one, it does not take its own job back.
    let first = harness.worker_with(stages, slow);
    let second = harness.worker_with(quick(&["ocr"]), WorkerSettings::named("w2"));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    let first = first.start();
    harness.until(job_id, JobState::Processing).await;
    // Its first heartbeat may still be on the way; it is a fresh job either way.
    harness.clock.advance(chrono::Duration::seconds(14));
    second.work_off().await.unwrap();
    assert_eq!(harness.job(job_id).await.worker_id.as_deref(), Some("w1"), "fresh: not touched");

    harness.clock.advance(chrono::Duration::seconds(16));
    second.work_off().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.worker_id.as_deref()), (JobState::Completed, Some("w2")));
    let before = harness.values("SELECT to_jsonb(t) FROM stages t").await;
    gate.add_permits(1);
    first.stop(SOON).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(harness.values("SELECT to_jsonb(t) FROM stages t").await, before, "too late");
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 1);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert_eq!(events, ["document.completed"]);
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn a_cancelled_run_stops_the_stage_that_works_on_it() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, _) = waiting(Stages::default(), 1, &gate);
    let settings =
        WorkerSettings { heartbeat_every: Duration::from_millis(10), ..WorkerSettings::named("w") };
    let worker = harness.worker_with(stages, settings);
    let run = harness.submit(&["ocr"]).await;
    let cancel = async {
        harness.until(run.job_id, JobState::Processing).await;
        harness.cancel(run.run_id).await;
    };
    // The stage never ends by itself: it ends because its lease is gone.
    let (ended, ()) = tokio::join!(tokio::time::timeout(SOON, worker.work_off()), cancel);
    ended.expect("the stage is dropped").unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Dead);
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 0);
}

#[tokio::test]
async fn a_stopping_worker_lets_running_work_finish_and_takes_nothing_new() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, _) = waiting(quick(&["index"]), 4, &gate);
    let worker = harness.worker(stages).start();
    let job_id = harness.submit(&["ocr", "index"]).await.job_id;
    harness.until(job_id, JobState::Processing).await;
    let let_go = async {
        harness.submit(&["ocr"]).await;
        gate.add_permits(1);
    };
    tokio::join!(worker.stop(SOON), let_go);
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
    let found =
        harness.values("SELECT to_jsonb(stage || ' ' || status) FROM jobs ORDER BY 1").await;
    assert_eq!(found, ["index PENDING", "ocr COMPLETED", "ocr PENDING"]);
}

#[tokio::test]
async fn after_its_grace_period_a_stopping_worker_hands_leases_back_at_once() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, _) = waiting(Stages::default(), 1, &gate);
    let worker = harness.worker(stages).start();
    let job_id = harness.submit(&["ocr"]).await.job_id;
    harness.until(job_id, JobState::Processing).await;
    worker.stop(Duration::ZERO).await;
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts, job.expiries), (JobState::Pending, 0, 0));
    // No time has passed, and somebody else can go on.
    harness.worker(quick(&["ocr"])).work_off().await.unwrap();
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
}

#[tokio::test]
async fn a_waiting_worker_hears_of_work_from_another_process() {
    let harness = Harness::open().await;
    let settings =
        WorkerSettings { poll_every: Duration::from_hours(1), ..WorkerSettings::named("w") };
    let worker = harness.worker_with(quick(&["ocr"]), settings).start();
    // Several, so that at least the later ones come after it has begun to listen.
    let woken = async {
        loop {
            let job_id = harness.submit(&["ocr"]).await.job_id;
            let heard = harness.until(job_id, JobState::Completed);
            if tokio::time::timeout(Duration::from_millis(500), heard).await.is_ok() {
                return;
            }
        }
    };
    tokio::time::timeout(SOON, woken).await.expect("it is woken");
    worker.stop(SOON).await;
}

#[tokio::test]
async fn no_more_jobs_run_at_once_than_are_allowed() {
    let harness = Harness::open().await;
    let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
    let (running, highest) = (Arc::clone(&now), Arc::clone(&most));
    let settings = StageSettings { concurrency: 3, ..Default::default() };
    let (stage, runs) = scripted("ocr", settings, move |_| {
        let (running, highest) = (Arc::clone(&running), Arc::clone(&highest));
        async move {
            highest.fetch_max(running.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
            tokio::time::sleep(Duration::from_millis(2)).await;
            running.fetch_sub(1, Ordering::SeqCst);
            Ok(())
        }
    });
    for _ in 0..20 {
        harness.submit(&["ocr"]).await;
    }
    let worker = harness.worker(Stages::default().with(stage));
    worker.work_off().await.unwrap();
    assert_eq!((runs.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (20, 3));
}

/// However long the jobs take that fill a worker, a tenant that has none among them is not kept waiting.
#[tokio::test]
async fn a_full_worker_has_a_reserved_slot_for_an_idle_tenant() {
    let harness = Harness::open().await;
    let idle = harness.neighbour("idle").await;
    let gate = Arc::new(Semaphore::new(0));
    let (begun, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let closed = Arc::clone(&gate);
    let settings = StageSettings { concurrency: 2, ..Default::default() };
    let (stage, _) = scripted("ocr", settings, move |work| {
        let (gate, begun) = (Arc::clone(&closed), begun.clone());
        async move {
            begun.send(work.tenant_id).unwrap();
            gate.acquire().await.unwrap().forget();
            Ok(())
        }
    });
    for _ in 0..4 {
        harness.submit(&["ocr"]).await;
    }
    let settings = WorkerSettings { max_jobs: 2, ..WorkerSettings::named("w") };
    let worker = harness.worker_with(Stages::default().with(stage), settings).start();
    let mut next = async || tokio::time::timeout(SOON, seen.recv()).await.expect("one begins");
    assert_eq!([next().await, next().await], [Some(harness.tenant_id); 2]);

    let jobs = [harness.submit_for(idle, &["ocr"]).await, harness.submit_for(idle, &["ocr"]).await];
    worker.wake();
    assert_eq!(next().await, Some(idle), "while the others go on");

    // There is one reserved slot, and its tenant is not idle any more: from here on it is by turns.
    gate.add_permits(6);
    worker.wake();
    let rest = [next().await, next().await, next().await];
    assert_eq!(rest.iter().filter(|tenant| **tenant == Some(idle)).count(), 1);
    worker.stop(SOON).await;
    let scope = domain::Caller::system(idle).permit(domain::Action::RetryDeadJobs).unwrap();
    for job in jobs {
        let mut tx = harness.store.read(&scope).await.unwrap();
        let job = tx.find_job(job.job_id).await.unwrap().unwrap();
        assert_eq!(job.status, JobState::Completed);
    }
}

#[tokio::test]
async fn a_stage_that_blocks_its_thread_keeps_its_lease() {
    let harness = Arc::new(Harness::open().await);
    let settings = StageSettings::default();
    let lease = chrono::Duration::from_std(settings.lease).unwrap();
    let (release, released) = std::sync::mpsc::channel::<()>();
    let released = Arc::new(Mutex::new(released));
    let (stage, runs) = scripted("ocr", settings, move |_| {
        let released = Arc::clone(&released);
        async move {
            // This runtime has one thread, and here the stage has it.
            released.lock().unwrap().recv().ok();
            Ok(())
        }
    });
    let worker = harness.worker_with(
        Stages::default().with(stage),
        WorkerSettings { heartbeat_every: Duration::from_millis(10), ..WorkerSettings::named("w") },
    );
    let job_id = harness.submit(&["ocr"]).await.job_id;
    let watched = Arc::clone(&harness);
    // Whoever looks on needs a thread and connections of their own.
    let rescuer = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = watched.store.with_own_connections(2);
            let mut taken = 0;
            // For the length of four leases.
            for _ in 0..8 {
                watched.clock.advance(lease / 2);
                let prolonged = watched.environment.clock.now() + lease;
                let heartbeat = async {
                    while lease_end(&store, &watched, job_id).await < Some(prolonged) {
                        tokio::task::yield_now().await;
                    }
                };
                tokio::time::timeout(SOON, heartbeat).await.expect("the lease is prolonged");
                let mut across = store.across_tenants().await.unwrap();
                let now = watched.environment.clock.now();
                taken += across.take_back_expired(now, 9, 10).await.unwrap().len();
                across.commit().await.unwrap();
            }
            drop(release);
            taken
        })
    });
    worker.work_off().await.unwrap();
    assert_eq!(rescuer.join().unwrap(), 0, "nobody took it over");
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

async fn lease_end(store: &Store, harness: &Harness, job_id: JobId) -> Option<DateTime<Utc>> {
    let mut tx = store.read(&harness.scope()).await.unwrap();
    tx.find_job(job_id).await.unwrap().unwrap().lease_until
}
