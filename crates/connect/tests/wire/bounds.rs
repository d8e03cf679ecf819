//! Servers that send invalid or endless answers.

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
async fn an_endless_line_is_an_error() {
    let error = error_of(events_for_ever("data: xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx")).await;
    assert!(matches!(error, ModelError::ResponseTooLarge { what: "one event", .. }), "{error:?}");
    assert!(error.to_string().contains("sent too much"), "{error}");
}

#[tokio::test]
async fn an_endless_stream_is_an_error() {
    let error = error_of(events_for_ever(concat!(
        ": a comment that is repeated until the client closes the connection, long enough to fill its limit\n\n",
        "data: {\"choices\":[]}\n\n"
    )))
    .await;
    assert!(matches!(error, ModelError::ResponseTooLarge { what: "an answer", .. }), "{error:?}");
}

#[tokio::test]
async fn a_very_long_refusal_is_shortened() {
    let error = error_of(with_status(400, json!({ "error": "x".repeat(1_000_000) }))).await;
    assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
    assert!(error.to_string().len() < 600);
}

#[tokio::test]
async fn an_html_page_is_an_invalid_response() {
    let error = error_of(page("text/html; charset=utf-8", "<h1>Welcome</h1>")).await;
    assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
    assert!(error.to_string().contains("text/html"), "{error}");
    assert!(error.to_string().contains("base URL"), "{error}");
}

#[tokio::test]
async fn an_event_that_is_not_json_is_an_invalid_response() {
    let error = error_of(events(["data: {\"choices\": oops\n\n"])).await;
    assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
}

#[tokio::test]
async fn the_error_for_an_invalid_response_is_short_and_without_the_key() {
    let wrong = json!({ "choices": format!("{KEY} {}", "x".repeat(10_000)) });
    let error = error_of(events([format!("data: {wrong}\n\n")])).await;
    assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
    assert!(error.to_string().len() < 500 && !error.to_string().contains(KEY), "{error}");
}
