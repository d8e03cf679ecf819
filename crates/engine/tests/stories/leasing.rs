//! Leases: which worker runs a job, and what happens when a worker dies, is slow or stops.

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

/// A stage that waits for a permit of `gate`.
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

/// G8 and G9: a fresh lease is respected whichever other worker is woken; an expired one is taken over.
#[tokio::test]
async fn a_running_job_is_not_touched_and_an_expired_one_is_taken_over() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, runs) = waiting(Stages::default(), 1, &gate);
    let slow =
        WorkerSettings { heartbeat_every: Duration::from_hours(1), ..WorkerSettings::named("w1") };
    // With one slot, it does not claim its own job again.
    let first = harness.worker_with(stages, slow);
    let second = harness.worker_with(quick(&["ocr"]), WorkerSettings::named("w2"));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    let first = first.start();
    harness.until(job_id, JobState::Processing).await;
    // Its first heartbeat may not have arrived yet; the lease is fresh either way.
    harness.clock.advance(chrono::Duration::seconds(14));
    second.run_until_idle().await.unwrap();
    assert_eq!(harness.job(job_id).await.worker_id.as_deref(), Some("w1"), "fresh: not touched");

    harness.clock.advance(chrono::Duration::seconds(16));
    second.run_until_idle().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.worker_id.as_deref()), (JobState::Completed, Some("w2")));
    let before = harness.values("SELECT to_jsonb(t) FROM stages t").await;
    gate.add_permits(1);
    first.stop(SOON).await;
    assert_eq!(runs.load(Ordering::SeqCst), 1);
    assert_eq!(
        harness.values("SELECT to_jsonb(t) FROM stages t").await,
        before,
        "the late report changes nothing"
    );
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
    // The stage would run for ever: it ends because its lease is lost.
    let (ended, ()) = tokio::join!(tokio::time::timeout(SOON, worker.run_until_idle()), cancel);
    ended.expect("the stage is dropped").unwrap();
    assert_eq!(harness.job(run.job_id).await.status, JobState::Dead);
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 0);
}

#[tokio::test]
async fn a_stopping_worker_finishes_running_jobs_and_claims_no_more() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, _) = waiting(quick(&["index"]), 4, &gate);
    let worker = harness.worker(stages).start();
    let job_id = harness.submit(&["ocr", "index"]).await.job_id;
    harness.until(job_id, JobState::Processing).await;
    let release = async {
        harness.submit(&["ocr"]).await;
        gate.add_permits(1);
    };
    tokio::join!(worker.stop(SOON), release);
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
    let found =
        harness.values("SELECT to_jsonb(stage || ' ' || status) FROM jobs ORDER BY 1").await;
    assert_eq!(found, ["index PENDING", "ocr COMPLETED", "ocr PENDING"]);
}

#[tokio::test]
async fn after_its_grace_period_a_stopping_worker_releases_its_leases_at_once() {
    let harness = Harness::open().await;
    let gate = Arc::new(Semaphore::new(0));
    let (stages, _) = waiting(Stages::default(), 1, &gate);
    let worker = harness.worker(stages).start();
    let job_id = harness.submit(&["ocr"]).await.job_id;
    harness.until(job_id, JobState::Processing).await;
    worker.stop(Duration::ZERO).await;
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts, job.expiries), (JobState::Pending, 0, 0));
    // No time has passed, and another worker can claim the job.
    harness.worker(quick(&["ocr"])).run_until_idle().await.unwrap();
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
}

#[tokio::test]
async fn an_idle_worker_is_notified_of_jobs_that_another_process_queues() {
    let harness = Harness::open().await;
    let settings =
        WorkerSettings { poll_every: Duration::from_hours(1), ..WorkerSettings::named("w") };
    let worker = harness.worker_with(quick(&["ocr"]), settings).start();
    // Several jobs, so that at least the later ones are queued after the worker has begun to listen.
    let woken = async {
        loop {
            let job_id = harness.submit(&["ocr"]).await.job_id;
            let completed = harness.until(job_id, JobState::Completed);
            if tokio::time::timeout(Duration::from_millis(500), completed).await.is_ok() {
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
    worker.run_until_idle().await.unwrap();
    assert_eq!((runs.load(Ordering::SeqCst), most.load(Ordering::SeqCst)), (20, 3));
}

/// A tenant without running jobs does not wait for another tenant's jobs, however long they take.
#[tokio::test]
async fn a_full_worker_has_a_reserved_slot_for_an_idle_tenant() {
    let harness = Harness::open().await;
    let idle = harness.add_tenant("idle").await;
    let gate = Arc::new(Semaphore::new(0));
    let (begun, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let closed = Arc::clone(&gate);
    let settings = StageSettings { concurrency: 2, ..Default::default() };
    let (stage, _) = scripted("ocr", settings, move |input| {
        let (gate, begun) = (Arc::clone(&closed), begun.clone());
        async move {
            begun.send(input.tenant_id).unwrap();
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
    assert_eq!(next().await, Some(idle), "while the other jobs still run");

    // The one reserved slot is in use, and its tenant is not idle any more: from here on tenants take turns.
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
            // This runtime has one thread, and the stage blocks it.
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
    // The observer needs its own thread and connections.
    let observer = std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let store = watched.store.with_own_connections(2);
            let mut expired = 0;
            // For the length of four leases.
            for _ in 0..8 {
                watched.clock.advance(lease / 2);
                let renewed = watched.environment.clock.now() + lease;
                let heartbeat = async {
                    while lease_end(&store, &watched, job_id).await < Some(renewed) {
                        tokio::task::yield_now().await;
                    }
                };
                tokio::time::timeout(SOON, heartbeat).await.expect("the lease is renewed");
                let mut across = store.across_tenants().await.unwrap();
                let now = watched.environment.clock.now();
                expired += across.expire_leases(now, 9, 10).await.unwrap().len();
                across.commit().await.unwrap();
            }
            drop(release);
            expired
        })
    });
    worker.run_until_idle().await.unwrap();
    assert_eq!(observer.join().unwrap(), 0, "no worker took it over");
    assert_eq!(harness.job(job_id).await.status, JobState::Completed);
    assert_eq!(runs.load(Ordering::SeqCst), 1);
}

async fn lease_end(store: &Store, harness: &Harness, job_id: JobId) -> Option<DateTime<Utc>> {
    let mut tx = store.read(&harness.scope()).await.unwrap();
    tx.find_job(job_id).await.unwrap().unwrap().lease_until
}
