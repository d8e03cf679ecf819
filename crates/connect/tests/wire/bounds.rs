//! Servers that send what nobody can use, or never stop.

use connect::ModelError;
use serde_json::json;

use crate::server::{
    KEY, ModelServer, Reply, ask, events, events_for_ever, page, question, with_status,
};

async fn error_of(reply: Reply) -> ModelError {
    let server = ModelServer::start([reply]).await;
    let error = ask(&server.openai(), &question()).await.0.unwrap_err();
    assert_eq!(server.received().len(), 1);
    error
}

#[tokio::test]
async fn a_line_without_end_is_cut_off() {
    let error = error_of(events_for_ever("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")).await;
    assert!(matches!(error, ModelError::TooMuch { what: "one event", .. }), "{error:?}");
    assert!(error.to_string().contains("more than we take"), "{error}");
}

#[tokio::test]
async fn a_stream_without_end_is_cut_off() {
    let error = error_of(events_for_ever(concat!(
        ": an event that means nothing, with words to fill the time until somebody stops listening\n\n",
        "data: {\"choices\":[]}\n\n"
    )))
    .await;
    assert!(matches!(error, ModelError::TooMuch { what: "an answer", .. }), "{error:?}");
}

#[tokio::test]
async fn a_refusal_without_end_is_a_refusal() {
    let error = error_of(with_status(400, json!({ "error": "x".repeat(1_000_000) }))).await;
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
    assert!(error.to_string().len() < 600);
}

#[tokio::test]
async fn a_page_is_no_stream() {
    let error = error_of(page("text/html; charset=utf-8", "<h1>Welcome</h1>")).await;
    assert!(matches!(error, ModelError::NotUnderstood { .. }), "{error:?}");
    assert!(error.to_string().contains("text/html"), "{error}");
    assert!(error.to_string().contains("base URL"), "{error}");
}

#[tokio::test]
async fn an_event_that_is_no_json_is_said() {
    let error = error_of(events(["data: {\"choices\": oops\n\n"])).await;
    assert!(matches!(error, ModelError::NotUnderstood { .. }), "{error:?}");
}

#[tokio::test]
async fn what_cannot_be_read_is_not_repeated_at_length_nor_with_the_key() {
    let wrong = json!({ "choices": format!("{KEY} {}", "x".repeat(10_000)) });
    let error = error_of(events([format!("data: {wrong}\n\n")])).await;
    assert!(matches!(error, ModelError::NotUnderstood { .. }), "{error:?}");
    assert!(error.to_string().len() < 500 && !error.to_string().contains(KEY), "{error}");
}
