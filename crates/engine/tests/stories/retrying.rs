//! When a failed job is retried, and when it becomes dead.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use domain::{Failure, JobState, RetryPolicy};
use engine::{StageSettings, Stages};
use serde_json::json;

use crate::harness::{Harness, quick, scripted};

/// Runs the worker until the job is dead; returns the delays in between.
async fn delays_until_dead(policy: RetryPolicy, failure: fn() -> Failure) -> (Vec<i64>, Harness) {
    let harness = Harness::open().await;
    let settings = StageSettings { policy, ..Default::default() };
    let (stage, runs) = scripted("ocr", settings, move |_| async move { Err(failure()) });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    let mut delays = Vec::new();
    loop {
        worker.run_until_idle().await.unwrap();
        let job = harness.job(job_id).await;
        assert_eq!(runs.load(Ordering::SeqCst), delays.len() + 1, "once for each time it is due");
        if job.status == JobState::Dead {
            return (delays, harness);
        }
        let delay = job.next_run_at - harness.environment.clock.now();
        delays.push(delay.num_seconds());
        harness.clock.advance(delay - chrono::Duration::milliseconds(1));
        worker.run_until_idle().await.unwrap();
        harness.clock.advance(chrono::Duration::milliseconds(1));
    }
}

#[tokio::test]
async fn knowledge_jobs_wait_one_two_and_four_minutes_and_are_then_dead() {
    let (delays, harness) =
        delays_until_dead(RetryPolicy::KNOWLEDGE, || Failure::retry("the model is unavailable"))
            .await;
    assert_eq!(delays, [60, 120, 240]);
    let runs = harness.values("SELECT jsonb_build_array(status, error) FROM ingestion_runs").await;
    assert_eq!(runs, [json!(["failed", "the model is unavailable"])]);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert_eq!(events, ["document.failed"], "one, when the run has ended");
}

#[tokio::test]
async fn pipeline_jobs_wait_from_half_a_minute_to_an_hour() {
    let (delays, _) = delays_until_dead(RetryPolicy::PIPELINE, || Failure::retry("x")).await;
    assert_eq!(delays.len(), 4);
    for (delay, about) in delays.into_iter().zip([30, 120, 600, 3600]) {
        assert!((about * 9 / 10..=about * 11 / 10).contains(&delay), "{delay}, not about {about}");
    }
}

/// `max_attempts` is what users see of a job.
#[tokio::test]
async fn a_job_is_not_retried_more_often_than_it_says() {
    let harness = Harness::open().await;
    let (stage, runs) =
        scripted("ocr", StageSettings::default(), |_| async { Err(Failure::retry("not now")) });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    harness.change("UPDATE jobs SET max_attempts = 1").await;
    worker.run_until_idle().await.unwrap();
    harness.clock.advance(chrono::Duration::minutes(1));
    worker.run_until_idle().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts, job.max_attempts), (JobState::Dead, 1, 1));
    assert_eq!(runs.load(Ordering::SeqCst), 2);
}

#[tokio::test]
async fn a_crash_gets_three_quick_tries_and_then_guidance() {
    let harness = Harness::open().await;
    let (stage, runs) = scripted("ocr", StageSettings::default(), |_| async {
        std::panic::panic_any("index out of bounds")
    });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    for delay in [1, 2, 4] {
        worker.run_until_idle().await.unwrap();
        let job = harness.job(job_id).await;
        assert_eq!(
            job.next_run_at - harness.environment.clock.now(),
            chrono::Duration::seconds(delay)
        );
        harness.clock.advance(chrono::Duration::seconds(delay));
    }
    worker.run_until_idle().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, runs.load(Ordering::SeqCst)), (JobState::Dead, 4));
    assert_eq!(job.error.as_deref(), Some("the stage ocr crashed: index out of bounds"));
    assert_eq!(job.error_class.as_deref(), Some("poison"));
    assert!(job.guidance.unwrap().contains("report it"));
}

#[tokio::test]
async fn a_crash_message_that_may_quote_a_document_is_not_stored() {
    let harness = Harness::open().await;
    let (stage, _) = scripted("ocr", StageSettings::default(), |_| async {
        std::panic::panic_any(format!("byte index 7 is out of bounds of `{}`", "secret clause"))
    });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    worker.run_until_idle().await.unwrap();
    let error = harness.job(job_id).await.error.unwrap();
    assert!(error.starts_with("the stage ocr crashed: "), "{error}");
    assert!(!error.contains("secret"), "{error}");
}

#[tokio::test]
async fn a_permanent_failure_makes_the_job_dead_at_once() {
    let (delays, harness) = delays_until_dead(RetryPolicy::PIPELINE, || {
        Failure::permanent("the file is encrypted", "send it without a password")
    })
    .await;
    assert!(delays.is_empty());
    let stages = harness.values("SELECT jsonb_build_array(name, status, error) FROM stages").await;
    assert_eq!(stages, [json!(["ocr", "failed", "the file is encrypted"])]);
}

#[tokio::test]
async fn a_stage_that_takes_too_long_is_tried_again() {
    let harness = Harness::open().await;
    let settings = StageSettings { deadline: Duration::from_millis(20), ..Default::default() };
    let (stage, _) = scripted("ocr", settings, |_| async {
        std::future::pending::<()>().await;
        Ok(())
    });
    let worker = harness.worker(Stages::default().with(stage));
    let job_id = harness.submit(&["ocr"]).await.job_id;
    worker.run_until_idle().await.unwrap();
    let job = harness.job(job_id).await;
    assert_eq!((job.status, job.attempts), (JobState::Pending, 1));
    assert_eq!(job.error.as_deref(), Some("the stage ocr did not end within 0.02 s"));
}

/// G6 and G8: completed stages do not run again, the failed one does, and the start time stays.
#[tokio::test]
async fn a_failed_run_resumes_at_its_failed_stage_and_keeps_its_start_time() {
    let harness = Harness::open().await;
    let broken = std::sync::Arc::new(AtomicBool::new(true));
    let state = std::sync::Arc::clone(&broken);
    let (layout, layouts) = scripted("layout", StageSettings::default(), move |_| {
        let broken = state.load(Ordering::SeqCst);
        async move { if broken { Err(Failure::permanent("x", "y")) } else { Ok(()) } }
    });
    let (ocr, ocrs) = scripted("ocr", StageSettings::default(), |_| async { Ok(()) });
    let worker = harness.worker(Stages::default().with(ocr).with(layout));
    let began = harness.environment.clock.now();
    harness.submit(&["ocr", "layout"]).await;
    worker.run_until_idle().await.unwrap();
    let dead = harness.values("SELECT to_jsonb(job_id) FROM jobs WHERE status = 'DEAD'").await;
    let dead = dead[0].as_str().unwrap().parse().unwrap();

    broken.store(false, Ordering::SeqCst);
    harness.clock.advance(chrono::Duration::hours(2));
    harness.retry(dead).await;
    worker.run_until_idle().await.unwrap();
    worker.run_until_idle().await.unwrap();
    assert_eq!((ocrs.load(Ordering::SeqCst), layouts.load(Ordering::SeqCst)), (1, 2));
    let runs = "SELECT jsonb_build_array(status, started_at, finished_at - started_at, error)
                FROM ingestion_runs";
    let expected = json!(["succeeded", began.to_rfc3339(), "02:00:00", null]);
    assert_eq!(harness.values(runs).await, [expected]);
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 2);
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn a_document_passes_nine_stages_with_one_claim() {
    let stages = [
        "ingest",
        "preprocess",
        "ocr",
        "layout",
        "index",
        "parse",
        "reconcile",
        "match",
        "package",
    ];
    let harness = Harness::open().await;
    let worker = harness.worker(quick(&stages));
    harness.submit(&stages).await;
    worker.run_until_idle().await.unwrap();
    assert_eq!(
        harness.count_audited("JOB_STARTED").await,
        1,
        "the other jobs were leased in advance"
    );
    assert_eq!(harness.count_audited("JOB_COMPLETED").await, 9);
    let runs = harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await;
    assert_eq!(runs, ["succeeded"]);
    let events = harness.values("SELECT to_jsonb(topic) FROM outbox_events").await;
    assert_eq!(events, ["document.completed"]);
    harness.assert_chain_intact().await;
}

#[tokio::test]
async fn stages_of_different_workers_make_one_pipeline() {
    let harness = Harness::open().await;
    let (first, second) =
        (harness.worker(quick(&["ocr", "index"])), harness.worker(quick(&["layout"])));
    harness.submit(&["ocr", "layout", "index"]).await;
    for worker in [&first, &second, &first] {
        worker.run_until_idle().await.unwrap();
    }
    let runs = harness.values("SELECT to_jsonb(status) FROM ingestion_runs").await;
    assert_eq!(runs, ["succeeded"]);
}

#[tokio::test]
async fn an_outcome_that_cannot_be_recorded_affects_only_its_own_job() {
    let harness = Harness::open().await;
    harness.change("ALTER TABLE stages ADD CHECK (name <> 'bad' OR status = 'failed')").await;
    let worker = harness.worker(quick(&["good", "bad"]));
    let mut good = Vec::new();
    for _ in 0..4 {
        good.push(harness.submit(&["good"]).await.job_id);
    }
    let bad = harness.submit(&["bad"]).await.job_id;
    worker.run_until_idle().await.unwrap();
    for job_id in good {
        assert_eq!(harness.job(job_id).await.status, JobState::Completed);
    }
    let dead = harness.job(bad).await;
    assert_eq!(dead.status, JobState::Dead);
    assert!(dead.error.unwrap().starts_with("the outcome could not be recorded"));
}
