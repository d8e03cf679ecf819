//! Refusals and their messages; what is retried and what is not.

use std::sync::Arc;
use std::time::Duration;

use connect::llm::{Anthropic, LanguageModel, OpenAiCompatible};
use connect::{Limits, ModelError, Service};
use domain::Secret;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::Notify;

use crate::openai::{ANSWER, beginning};
use crate::server::{
    KEY, ModelServer, ask, events, events_then_break, question, with_header, with_status,
};

async fn refused_with(status: u16, body: Value) -> (ModelError, ModelServer) {
    let server = ModelServer::start([with_status(status, body)]).await;
    let (completed, pieces) = ask(&server.openai(), &question()).await;
    assert!(pieces.is_empty());
    (completed.unwrap_err(), server)
}

#[tokio::test]
async fn a_wrong_key_appears_in_no_message() {
    let body = json!({ "error": { "message": format!("Incorrect API key provided: {KEY}") } });
    let (error, server) = refused_with(401, body).await;
    assert!(matches!(error, ModelError::KeyRefused { .. }), "{error:?}");
    assert!(error.to_string().contains("does not accept the key"), "{error}");
    assert!(!format!("{error} {error:?} {:?}", server.openai()).contains(KEY));
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_forbidden_key_shows_the_servers_message() {
    let body = json!({ "error": { "message": "Your organization must be verified." } });
    let (error, _) = refused_with(403, body).await;
    assert!(matches!(error, ModelError::NotAllowed { .. }), "{error:?}");
    assert!(error.to_string().contains("must be verified"), "{error}");
}

#[tokio::test]
async fn a_missing_key_is_reported() {
    let server = ModelServer::start([with_status(401, json!({}))]).await;
    let service = Service { key: None, ..server.service(Limits::COMPLETION) };
    let model = OpenAiCompatible::new(service, server.retries()).unwrap();
    let error = ask(&model, &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::KeyMissing { .. }), "{error:?}");
}

#[tokio::test]
async fn a_key_with_invalid_characters_is_a_settings_error() {
    let server = ModelServer::start([]).await;
    let service = server.service(Limits::COMPLETION).with_key(Secret::new("two\nlines"));
    let error = Anthropic::new(service, server.retries()).unwrap_err();
    assert!(matches!(error, ModelError::Settings { .. }), "{error:?}");
    assert!(!error.to_string().contains("lines"), "{error}");
}

#[tokio::test]
async fn a_key_from_a_file_may_end_with_a_line_break() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let service = server.service(Limits::COMPLETION).with_key(Secret::new("sk-file\n"));
    let model = OpenAiCompatible::new(service, server.retries()).unwrap();
    ask(&model, &question()).await.0.unwrap();
    assert_eq!(server.received()[0].header("authorization"), Some("Bearer sk-file"));
}

#[tokio::test]
async fn an_unknown_model_is_named() {
    let body = json!({ "error": { "message": "The model `small` does not exist." } });
    let (error, server) = refused_with(404, body).await;
    assert!(matches!(error, ModelError::UnknownModel { .. }), "{error:?}");
    assert!(error.to_string().contains("does not have the model small"), "{error}");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_wrong_path_is_shown() {
    let (error, server) = refused_with(404, json!({ "detail": "Not Found" })).await;
    let url = format!("{}/v1/chat/completions", server.address);
    assert!(matches!(error, ModelError::WrongAddress { .. }), "{error:?}");
    assert!(error.to_string().contains(&url), "{error}");
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let elsewhere = ModelServer::start([events([ANSWER])]).await;
    let location: &'static str = elsewhere.address.clone().leak();
    let moved = with_header(307, ("location", location), json!({}));
    let server = ModelServer::start([moved]).await;
    let error = ask(&server.openai(), &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::WrongAddress { status: 307, .. }), "{error:?}");
    assert!(elsewhere.received().is_empty());
}

#[tokio::test]
async fn an_account_without_quota_is_not_retried() {
    let body = json!({ "error": { "message": "Check your plan.", "code": "insufficient_quota" } });
    let (error, server) = refused_with(429, body).await;
    assert!(matches!(error, ModelError::OutOfQuota { .. }), "{error:?}");
    assert!(!error.is_transient());
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_refused_request_is_not_retried() {
    for status in [400, 408, 409, 413, 422] {
        let (error, server) = refused_with(status, json!({ "error": "no" })).await;
        assert!(matches!(error, ModelError::Refused { .. }), "{error:?}");
        assert_eq!(server.received().len(), 1, "{status}");
        assert!(server.waits().is_empty(), "{status}");
    }
}

#[tokio::test]
async fn a_transient_error_is_retried_after_growing_waits() {
    let replies = [with_status(500, json!({})), with_status(503, json!({})), events([ANSWER])];
    let server = ModelServer::start(replies).await;
    let (completed, _) = ask(&server.openai(), &question()).await;
    assert_eq!(completed.unwrap().text, "Röd: 赤!");
    assert_eq!(server.waits(), [500, 1000].map(Duration::from_millis));
}

#[tokio::test]
async fn retry_after_is_honoured() {
    let busy = with_header(429, ("retry-after", "7"), json!({ "error": "slow down" }));
    let server = ModelServer::start([busy, events([ANSWER])]).await;
    ask(&server.openai(), &question()).await.0.unwrap();
    assert_eq!(server.waits(), [Duration::from_secs(7)]);
}

#[tokio::test]
async fn a_wait_longer_than_the_call_is_an_error_at_once() {
    let busy = with_header(429, ("retry-after", "3600"), json!({ "error": "slow down" }));
    let server = ModelServer::start([busy]).await;
    let error = ask(&server.openai(), &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Busy { .. }), "{error:?}");
    assert!(error.to_string().contains("asks to wait 3600 s"), "{error}");
    assert!(server.waits().is_empty());
}

#[tokio::test]
async fn retries_are_limited() {
    let failing = (0..9).map(|_| with_status(502, json!({ "message": "the model crashed" })));
    let server = ModelServer::start(failing).await;
    let error = ask(&server.openai(), &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::ServerError { status: 502, .. }), "{error:?}");
    assert!(error.is_transient() && error.to_string().contains("the model crashed"), "{error}");
    assert_eq!((server.received().len(), server.waits().len()), (4, 3));
}

#[tokio::test]
async fn an_unreachable_server_is_retried_and_then_reported() {
    let server = ModelServer::start([]).await;
    let closed = TcpListener::bind("127.0.0.1:0").await.unwrap().local_addr().unwrap();
    let base_url = format!("http://{closed}").parse().unwrap();
    let service = Service::new(base_url, "small", Limits::COMPLETION);
    let model = OpenAiCompatible::new(service, server.retries()).unwrap();
    let error = ask(&model, &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Unreachable { .. }), "{error:?}");
    assert!(error.to_string().contains(&closed.to_string()), "{error}");
    assert_eq!(server.waits().len(), 3);
}

#[tokio::test]
async fn a_broken_connection_is_retried_before_the_first_piece() {
    let at_once = Arc::new(Notify::new());
    at_once.notify_one();
    let replies = [events_then_break(": hello\n\n", at_once), events([ANSWER])];
    let server = ModelServer::start(replies).await;
    let (completed, pieces) = ask(&server.openai(), &question()).await;
    assert_eq!(completed.unwrap().text, pieces.concat());
    assert_eq!(server.waits().len(), 1);
}

#[tokio::test]
async fn a_broken_connection_is_not_retried_after_the_first_piece() {
    let received = Arc::new(Notify::new());
    let replies = [events_then_break(beginning(), received.clone()), events([ANSWER])];
    let server = ModelServer::start(replies).await;
    let completed = server.openai().complete(&question(), &mut |_| received.notify_one()).await;
    assert!(matches!(completed, Err(ModelError::Interrupted { .. })), "{completed:?}");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_stream_that_closes_too_early_is_an_error() {
    let server = ModelServer::start([events([beginning()]), events([ANSWER])]).await;
    let (completed, pieces) = ask(&server.openai(), &question()).await;
    assert!(matches!(completed, Err(ModelError::Interrupted { .. })), "{completed:?}");
    assert_eq!(pieces.concat(), "Röd: 赤!");
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn an_invalid_address_is_a_settings_error() {
    let server = ModelServer::start([]).await;
    for address in ["ftp://models.example", "localhost:8080"] {
        let service = Service::new(address.parse().unwrap(), "small", Limits::COMPLETION);
        let error = OpenAiCompatible::new(service, server.retries()).unwrap_err();
        assert!(matches!(error, ModelError::Settings { .. }), "{error:?}");
    }
}
