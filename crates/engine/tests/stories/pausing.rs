//! Jobs are paused while a dependency is unavailable, and complete afterwards.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{Dependency, EarlierArtifacts, Failure, JobState, StageName};
use engine::{Stage, StageFuture, StageInput, StageOutput, StageSettings, Stages};
use serde_json::json;
use tokio::sync::Semaphore;

use crate::harness::{Harness, named, quick, scripted};

const SOON: Duration = Duration::from_secs(20);

/// A stage whose object store is unavailable while the flag is set.
fn reading(is_unavailable: &Arc<AtomicBool>) -> impl Stage + use<> {
    let is_unavailable = Arc::clone(is_unavailable);
    let read = move |_| {
        let is_unavailable = is_unavailable.load(Ordering::SeqCst);
        async move {
            if is_unavailable {
                Err(Failure::unavailable(Dependency::ObjectStore, "no answer within 30 s"))
            } else {
                Ok(())
            }
        }
    };
    scripted("ingest", StageSettings::default(), read).0
}

#[tokio::test]
async fn after_a_day_without_the_object_store_every_document_completes_by_itself() {
    const DOCUMENTS: usize = 50;
    let harness = Harness::open().await;
    let is_unavailable = Arc::new(AtomicBool::new(true));
    let worker = harness.worker(quick(&["index"]).with(reading(&is_unavailable)));
    let mut jobs = Vec::new();
    for _ in 0..DOCUMENTS {
        jobs.push(harness.submit(&["ingest", "index"]).await.job_id);
    }
    let began = harness.environment.clock.now();
    while harness.environment.clock.now() - began < chrono::Duration::hours(24) {
        worker.run_until_idle().await.unwrap();
        harness.clock.advance(chrono::Duration::minutes(30));
    }
    for job_id in &jobs {
        let job = harness.job(*job_id).await;
        assert_eq!((job.status, job.attempts), (JobState::Pending, 0));
        assert_eq!(job.paused_for.as_deref(), Some("object_store"));
        assert!((15..100).contains(&job.pauses), "{} pauses in a day", job.pauses);
    }
    let topics = "SELECT jsonb_build_array(topic, count(*)) FROM outbox_events GROUP BY topic";
    assert_eq!(harness.values(topics).await, [json!(["document.paused", DOCUMENTS])]);

    is_unavailable.store(false, Ordering::SeqCst);
    // After the probe interval, although each of them would have waited for up to an hour.
    harness.clock.advance(chrono::Duration::seconds(31));
    worker.run_until_idle().await.unwrap();
    let runs = "SELECT jsonb_build_array(status, count(*)) FROM ingestion_runs GROUP BY status";
    assert_eq!(harness.values(runs).await, [json!(["succeeded", DOCUMENTS])]);
    assert!(harness.store.list_paused_jobs().await.unwrap().is_empty());
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn a_worker_whose_own_store_is_unavailable_keeps_no_document_from_another_worker() {
    let harness = Harness::open().await;
    let broken = harness.worker(Stages::default().with(reading(&Arc::new(AtomicBool::new(true)))));
    let healthy = harness.worker(Stages::default().with(reading(&Arc::default())));
    let job_id = harness.submit(&["ingest"]).await.job_id;
    for _ in 0..3 {
        broken.run_until_idle().await.unwrap();
        harness.clock.advance(chrono::Duration::hours(2));
    }
    healthy.run_until_idle().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts, job.pauses), (JobState::Completed, 0, 3));
}

#[tokio::test]
async fn a_crash_after_an_outage_still_counts_against_the_document() {
    let harness = Harness::open().await;
    let is_unavailable = Arc::new(AtomicBool::new(true));
    let flag = Arc::clone(&is_unavailable);
    let (stage, _) = scripted("ocr", StageSettings::default(), move |_| {
        let is_unavailable = flag.load(Ordering::SeqCst);
        async move {
            Err(if is_unavailable {
                Failure::unavailable(Dependency::Reader, "no child can be started")
            } else {
                Failure::poison("the reader crashed (signal 11)", "look at it")
            })
        }
    });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    worker.run_until_idle().await.unwrap();
    assert_eq!(harness.job(job_id).await.attempts, 0);
    is_unavailable.store(false, Ordering::SeqCst);
    for _ in 0..4 {
        harness.clock.advance(chrono::Duration::seconds(31));
        worker.run_until_idle().await.unwrap();
    }
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts, job.pauses), (JobState::Dead, 3, 1));
    assert_eq!(job.error_class.as_deref(), Some("poison"));
}

/// Marks each document as a scan while the flag is set.
struct Preprocess {
    name: StageName,
    settings: StageSettings,
    finds_scans: Arc<AtomicBool>,
}

impl Stage for Preprocess {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, _: &'a StageInput) -> StageFuture<'a> {
        let is_scan = self.finds_scans.load(Ordering::SeqCst);
        let artifacts = vec![named(if is_scan { "scan" } else { "text" })];
        Box::pin(async { Ok(StageOutput { artifacts, ..StageOutput::default() }) })
    }
}

fn is_scan(earlier: &EarlierArtifacts) -> bool {
    earlier.values().flatten().any(|artifact| artifact.name() == "scan")
}

/// Has work for scans only.
struct ForScans<S>(S);

impl<S: Stage> Stage for ForScans<S> {
    fn name(&self) -> &StageName {
        self.0.name()
    }

    fn settings(&self) -> &StageSettings {
        self.0.settings()
    }

    fn has_work(&self, earlier: &EarlierArtifacts) -> bool {
        is_scan(earlier)
    }

    fn run<'a>(&'a self, input: &'a StageInput) -> StageFuture<'a> {
        self.0.run(input)
    }
}

#[tokio::test]
async fn text_does_not_wait_for_ocr_slots_that_scans_of_the_same_tenant_hold() {
    let harness = Harness::open().await;
    let finds_scans = Arc::new(AtomicBool::new(true));
    let preprocess = Preprocess {
        name: "preprocess".parse().unwrap(),
        settings: StageSettings::default(),
        finds_scans: Arc::clone(&finds_scans),
    };
    let (gate, settings) = (Arc::new(Semaphore::new(0)), StageSettings::default());
    let (begun, mut seen) = tokio::sync::mpsc::unbounded_channel();
    let closed = Arc::clone(&gate);
    let (ocr, _) = scripted("ocr", StageSettings { concurrency: 2, ..settings }, move |input| {
        let (gate, begun) = (Arc::clone(&closed), begun.clone());
        async move {
            if is_scan(&input.earlier) {
                begun.send(()).unwrap();
                gate.acquire().await.unwrap().forget();
            }
            Ok(())
        }
    });
    let stages = Stages::default().with(preprocess).with(ForScans(ocr));
    let index = scripted("index", StageSettings::default(), |_| async { Ok(()) }).0;
    let worker = harness.worker(stages.with(index)).start();
    let pipeline = ["preprocess", "ocr", "index"];
    for _ in 0..2 {
        harness.submit(&pipeline).await;
        worker.wake();
        tokio::time::timeout(SOON, seen.recv()).await.expect("the scan is read").unwrap();
    }
    finds_scans.store(false, Ordering::SeqCst);
    harness.submit(&pipeline).await;
    worker.wake();
    let completed = async |count: usize| {
        const DONE: &str = "SELECT to_jsonb(run_id) FROM ingestion_runs WHERE status = 'succeeded'";
        while harness.values(DONE).await.len() < count {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::time::timeout(SOON, completed(1)).await.expect("text overtakes the scans");
    gate.add_permits(2);
    tokio::time::timeout(SOON, completed(3)).await.expect("then the scans complete");
    worker.stop(SOON).await;
}
