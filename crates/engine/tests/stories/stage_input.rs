//! The input of a stage (artifacts of earlier stages, trace), and the progress that it reports.

use std::sync::{Arc, Mutex};

use domain::{EarlierArtifacts, JobId, JobState, RunId, StageName};
use engine::{StageInput, StageSettings, Stages, WorkerSettings};
use serde_json::{Value, json};
use store::{NewRun, ReusedStages};

use crate::harness::{Harness, named, quick, scripted};

/// A stage that records the artifacts it was given.
fn recording(
    name: &str,
    seen: &Arc<Mutex<Vec<Arc<EarlierArtifacts>>>>,
) -> impl engine::Stage + use<> {
    let seen = Arc::clone(seen);
    let record = move |input: StageInput| {
        seen.lock().unwrap().push(input.earlier);
        async { Ok(()) }
    };
    scripted(name, StageSettings::default(), record).0
}

fn artifacts_of(stages: &[&str]) -> Arc<EarlierArtifacts> {
    let artifacts = |name: &&str| (name.parse().unwrap(), vec![named(name)]);
    Arc::new(stages.iter().map(artifacts).collect())
}

#[tokio::test]
async fn a_stage_gets_the_artifacts_of_earlier_stages_whichever_worker_ran_them() {
    let harness = Harness::open().await;
    let seen = Arc::default();
    harness.submit(&["one", "two", "three"]).await;
    // All stages in one worker, then the last stage in another.
    harness
        .worker(quick(&["one", "two"]).with(recording("three", &seen)))
        .run_until_idle()
        .await
        .unwrap();
    harness.submit(&["one", "two", "three"]).await;
    harness.worker(quick(&["one", "two"])).run_until_idle().await.unwrap();
    harness
        .worker(Stages::default().with(recording("three", &seen)))
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!(
        *seen.lock().unwrap(),
        [artifacts_of(&["one", "two"]), artifacts_of(&["one", "two"])]
    );
}

#[tokio::test]
async fn a_run_may_start_at_a_later_stage_with_the_artifacts_of_an_earlier_run() {
    let harness = Harness::open().await;
    let first = harness.submit(&["one", "two", "three"]).await;
    harness.worker(quick(&["one", "two", "three"])).run_until_idle().await.unwrap();

    let again = NewRun {
        run_id: RunId(harness.environment.ids.next()),
        job_id: JobId(harness.environment.ids.next()),
        parent_run_id: Some(first.run_id),
        reused: Some(ReusedStages { from: first.run_id, first: "three".parse().unwrap() }),
        ..first
    };
    let mut tx = harness.store.begin(&harness.scope()).await.unwrap();
    tx.start_run(&again).await.unwrap();
    tx.commit().await.unwrap();

    let seen = Arc::default();
    harness
        .worker(Stages::default().with(recording("three", &seen)))
        .run_until_idle()
        .await
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), [artifacts_of(&["one", "two"])]);
    assert_eq!(harness.job(again.job_id).await.status, JobState::Completed);
    let stages = harness
        .values("SELECT to_jsonb(count(*)) FROM stages GROUP BY run_id ORDER BY run_id")
        .await;
    assert_eq!(stages, [json!(3), json!(3)]);
}

#[tokio::test]
async fn subscribers_see_the_progress_of_a_long_stage() {
    let harness = Harness::open().await;
    let resume = Arc::new(tokio::sync::Notify::new());
    let waiting = Arc::clone(&resume);
    let long = move |input: StageInput| {
        let waiting = Arc::clone(&waiting);
        async move {
            input.progress.report(3, 10);
            waiting.notified().await;
            Ok(())
        }
    };
    let run = harness.submit(&["long"]).await;
    let stages = Stages::default().with(scripted("long", StageSettings::default(), long).0);
    let worker = harness.worker_with(stages, WorkerSettings::named("w")).start();
    let progress = loop {
        let records = harness.store.read_progress(&[harness.tenant_id]).await.unwrap();
        if let [record] = records.as_slice() {
            break record.payload();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let long: StageName = "long".parse().unwrap();
    let expected: Value = json!({
        "doc_id": run.doc_id, "run_id": run.run_id, "stage": long, "done": 3, "total": 10,
    });
    assert_eq!(progress, expected);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert!(!events.contains(&json!("document.progress")), "{events:?}");
    let recorded =
        harness.values("SELECT jsonb_build_array(progress_done, progress_total) FROM jobs").await;
    assert_eq!(recorded, [json!([3, 10])]);
    resume.notify_one();
    harness.until(run.job_id, JobState::Completed).await;
    worker.stop(std::time::Duration::from_secs(5)).await;
}

#[tokio::test]
async fn each_stage_is_a_span_of_its_own_in_the_trace_of_the_job() {
    const TRACE: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-";
    let harness = Harness::open().await;
    let seen = Arc::new(Mutex::new(Vec::new()));
    let stage = |name| {
        let seen = Arc::clone(&seen);
        let record = move |input: StageInput| {
            seen.lock().unwrap().extend(input.trace_parent);
            async { Ok(()) }
        };
        scripted(name, StageSettings::default(), record).0
    };
    let stages = Stages::default().with(stage("ocr")).with(stage("layout"));
    harness.submit(&["ocr", "layout"]).await;
    harness.change(
        "UPDATE jobs SET trace_parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'",
    )
    .await;
    harness.worker_with(stages, WorkerSettings::named("w")).run_until_idle().await.unwrap();
    let seen = seen.lock().unwrap();
    let [ocr, layout] = seen.as_slice() else { panic!("both stages have a trace: {seen:?}") };
    for trace in [ocr, layout] {
        assert!(trace.starts_with(TRACE) && trace.ends_with("-00"), "{trace}");
        assert!(!trace.contains("00f067aa0ba902b7"), "the caller's span is the parent: {trace}");
    }
    assert_ne!(ocr, layout);
}
