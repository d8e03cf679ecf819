//! What a stage knows of the stages before it, and what the world knows of a stage under way.

use std::sync::{Arc, Mutex};

use domain::{EarlierArtifacts, JobId, JobState, RunId, StageName};
use engine::{StageInput, StageSettings, Stages, WorkerSettings};
use serde_json::{Value, json};
use store::{NewRun, Reused};

use crate::harness::{Harness, named, quick, scripted};

/// A stage that shows what it was given.
fn curious(
    name: &str,
    seen: &Arc<Mutex<Vec<Arc<EarlierArtifacts>>>>,
) -> impl engine::Stage + use<> {
    let seen = Arc::clone(seen);
    let look = move |work: StageInput| {
        seen.lock().unwrap().push(work.earlier);
        async { Ok(()) }
    };
    scripted(name, StageSettings::default(), look).0
}

fn left_by(stages: &[&str]) -> Arc<EarlierArtifacts> {
    let left = |name: &&str| (name.parse().unwrap(), vec![named(name)]);
    Arc::new(stages.iter().map(left).collect())
}

#[tokio::test]
async fn a_stage_sees_what_those_before_it_left_whoever_ran_them() {
    let harness = Harness::open().await;
    let seen = Arc::default();
    harness.submit(&["one", "two", "three"]).await;
    // All in one worker, then the last stage in a worker of its own.
    harness.worker(quick(&["one", "two"]).with(curious("three", &seen))).work_off().await.unwrap();
    harness.submit(&["one", "two", "three"]).await;
    harness.worker(quick(&["one", "two"])).work_off().await.unwrap();
    harness.worker(Stages::default().with(curious("three", &seen))).work_off().await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [left_by(&["one", "two"]), left_by(&["one", "two"])]);
}

#[tokio::test]
async fn a_run_may_begin_later_on_what_an_earlier_one_left() {
    let harness = Harness::open().await;
    let first = harness.submit(&["one", "two", "three"]).await;
    harness.worker(quick(&["one", "two", "three"])).work_off().await.unwrap();

    let again = NewRun {
        run_id: RunId(harness.environment.ids.next()),
        job_id: JobId(harness.environment.ids.next()),
        parent_run_id: Some(first.run_id),
        reused: Some(Reused { from: first.run_id, first: "three".parse().unwrap() }),
        ..first
    };
    let mut tx = harness.store.begin(&harness.scope()).await.unwrap();
    tx.start_run(&again).await.unwrap();
    tx.commit().await.unwrap();

    let seen = Arc::default();
    harness.worker(Stages::default().with(curious("three", &seen))).work_off().await.unwrap();
    assert_eq!(*seen.lock().unwrap(), [left_by(&["one", "two"])]);
    assert_eq!(harness.job(again.job_id).await.status, JobState::Completed);
    let stages = harness
        .values("SELECT to_jsonb(count(*)) FROM stages GROUP BY run_id ORDER BY run_id")
        .await;
    assert_eq!(stages, [json!(3), json!(3)]);
}

#[tokio::test]
async fn those_who_follow_hear_how_far_a_long_stage_is() {
    let harness = Harness::open().await;
    let go_on = Arc::new(tokio::sync::Notify::new());
    let waiting = Arc::clone(&go_on);
    let long = move |work: StageInput| {
        let waiting = Arc::clone(&waiting);
        async move {
            work.progress.tell(3, 10);
            waiting.notified().await;
            Ok(())
        }
    };
    let run = harness.submit(&["long"]).await;
    let stages = Stages::default().with(scripted("long", StageSettings::default(), long).0);
    let worker = harness.worker_with(stages, WorkerSettings::named("w")).start();
    let told = loop {
        let told = harness.store.read_progress(&[harness.tenant_id]).await.unwrap();
        if let [told] = told.as_slice() {
            break told.payload();
        }
        tokio::time::sleep(std::time::Duration::from_millis(20)).await;
    };
    let long: StageName = "long".parse().unwrap();
    let expected: Value = json!({
        "doc_id": run.doc_id, "run_id": run.run_id, "stage": long, "done": 3, "total": 10,
    });
    assert_eq!(told, expected);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert!(!events.contains(&json!("document.progress")), "{events:?}");
    let noted =
        harness.values("SELECT jsonb_build_array(progress_done, progress_total) FROM jobs").await;
    assert_eq!(noted, [json!([3, 10])]);
    go_on.notify_one();
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
        let noting = move |work: StageInput| {
            seen.lock().unwrap().extend(work.trace_parent);
            async { Ok(()) }
        };
        scripted(name, StageSettings::default(), noting).0
    };
    let stages = Stages::default().with(stage("ocr")).with(stage("layout"));
    harness.submit(&["ocr", "layout"]).await;
    harness.change(
        "UPDATE jobs SET trace_parent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00'",
    )
    .await;
    harness.worker_with(stages, WorkerSettings::named("w")).work_off().await.unwrap();
    let seen = seen.lock().unwrap();
    let [ocr, layout] = seen.as_slice() else { panic!("both stages have a trace: {seen:?}") };
    for trace in [ocr, layout] {
        assert!(trace.starts_with(TRACE) && trace.ends_with("-00"), "{trace}");
        assert!(!trace.contains("00f067aa0ba902b7"), "the caller's span is the parent: {trace}");
    }
    assert_ne!(ocr, layout);
}
