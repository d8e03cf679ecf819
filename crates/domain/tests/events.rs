//! Events are stored and sent in the format of the golden files.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use domain::{
    BatchEnd, BatchId, Dependency, DocId, Event, FailureCode, ResultState, RunEnd, RunId,
};
use serde_json::{Value, json};
use uuid::Uuid;

fn golden() -> Vec<(Event, &'static str)> {
    let (doc_id, run_id) = (DocId(Uuid::from_u128(1)), RunId(Uuid::from_u128(2)));
    let ended = RunEnd { doc_id, run_id, stage: None, error: None, code: None };
    let batch = BatchEnd {
        batch_id: BatchId(Uuid::from_u128(3)),
        documents: 5,
        succeeded: 4,
        failed: 1,
        refused: 2,
    };
    vec![
        (
            Event::DocumentQueued { doc_id, run_id, title: "a.pdf".to_owned() },
            include_str!("golden/events/document.queued.json"),
        ),
        (
            Event::DocumentStarted { doc_id, run_id },
            include_str!("golden/events/document.started.json"),
        ),
        (
            Event::DocumentPaused {
                doc_id,
                run_id,
                stage: "ocr".parse().unwrap(),
                waiting_for: Dependency::ObjectStore,
            },
            include_str!("golden/events/document.paused.json"),
        ),
        (
            Event::DocumentCompleted(RunEnd { stage: "index".parse().ok(), ..ended.clone() }),
            include_str!("golden/events/document.completed.json"),
        ),
        (
            Event::DocumentFailed(RunEnd {
                stage: "preprocess".parse().ok(),
                error: Some("the password does not open the file".to_owned()),
                code: Some(FailureCode::WrongPassword),
                ..ended.clone()
            }),
            include_str!("golden/events/document.failed.json"),
        ),
        (
            Event::DocumentFailed(RunEnd { error: Some("cancelled".to_owned()), ..ended }),
            include_str!("golden/events/document.failed.cancelled.json"),
        ),
        (
            Event::DocumentRenamed { doc_id, title: "Lease".to_owned(), owner: None },
            include_str!("golden/events/document.renamed.json"),
        ),
        (
            Event::DocumentRenamed {
                doc_id,
                title: "My lease".to_owned(),
                owner: Some("00000000-0000-0000-0000-000000000004".to_owned()),
            },
            include_str!("golden/events/document.renamed.owner.json"),
        ),
        (
            Event::DocumentResultCreated {
                doc_id,
                run_id,
                result_version: 2,
                state: ResultState::Waiting,
            },
            include_str!("golden/events/document.result_created.json"),
        ),
        (Event::BatchCompleted(batch.clone()), include_str!("golden/events/batch.completed.json")),
        (Event::BatchPartial(batch), include_str!("golden/events/batch.partial.json")),
        (Event::DeadJobsChanged {}, include_str!("golden/events/dead_jobs.changed.json")),
    ]
}

#[test]
fn every_event_is_stored_as_its_golden_file_and_reads_back() {
    for (event, file) in golden() {
        let golden: Value = serde_json::from_str(file).unwrap();
        let (topic, payload) = event.stored();
        assert_eq!(json!({ "topic": topic, "payload": payload }), golden);
        assert_eq!(serde_json::from_value::<Event>(golden).unwrap(), event);
    }
}

#[test]
fn webhooks_are_sent_for_ends_only() {
    for (event, _) in golden() {
        let (topic, _) = event.stored();
        let is_end = ["completed", "failed", "partial"].iter().any(|end| topic.ends_with(end));
        assert_eq!(event.is_stream_only(), !is_end, "{topic}");
    }
}
