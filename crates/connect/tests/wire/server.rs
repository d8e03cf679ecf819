//! A model service that gives scripted replies.

use std::collections::VecDeque;
use std::io;
use std::pin::Pin;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::{Json, Router};
use connect::llm::{Anthropic, Completed, Completion, LanguageModel, OpenAiCompatible};
use connect::{Limits, ModelError, Retries, Service, Sleep};
use domain::{Random, Secret};
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;

pub(crate) const KEY: &str = "sk-test-4711";

/// What the server does with one request.
pub(crate) enum Reply {
    With(Box<Response>),
    /// Receives the request and never answers; notifies the test at that point.
    Silence(Arc<Notify>),
}

#[derive(Clone, Debug)]
pub(crate) struct Received {
    pub(crate) path: String,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Value,
}

impl Received {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }
}

#[derive(Clone, Default)]
struct Script {
    replies: Arc<Mutex<VecDeque<Reply>>>,
    received: Arc<Mutex<Vec<Received>>>,
}

pub(crate) struct ModelServer {
    pub(crate) address: String,
    script: Script,
    sleep: Arc<RecordedSleep>,
}

impl ModelServer {
    /// Gives the replies in this order.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let script = Script::default();
        script.replies.lock().unwrap().extend(replies);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, script, sleep: Arc::default() }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.script.received.lock().unwrap().clone()
    }

    /// How long the client waited between its attempts.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.sleep.0.lock().unwrap().clone()
    }

    pub(crate) fn service(&self, limits: Limits) -> Service {
        Service::new(self.address.parse().unwrap(), "small", limits).with_key(Secret::new(KEY))
    }

    pub(crate) fn retries(&self) -> Retries {
        Retries::new(Arc::new(NoJitter)).with_sleep(self.sleep.clone())
    }

    pub(crate) fn anthropic(&self) -> Anthropic {
        Anthropic::new(self.service(Limits::COMPLETION), self.retries()).unwrap()
    }

    pub(crate) fn openai(&self) -> OpenAiCompatible {
        OpenAiCompatible::new(self.service(Limits::COMPLETION), self.retries()).unwrap()
    }
}

async fn answer(
    State(script): State<Script>,
    uri: Uri,
    headers: HeaderMap,
    Json(body): Json<Value>,
) -> Response {
    let received = Received { path: uri.path().to_owned(), headers, body };
    script.received.lock().unwrap().push(received);
    let reply = script.replies.lock().unwrap().pop_front();
    match reply {
        Some(Reply::With(response)) => *response,
        Some(Reply::Silence(reached)) => {
            reached.notify_one();
            std::future::pending().await
        }
        // A status that is not retried.
        None => StatusCode::IM_A_TEAPOT.into_response(),
    }
}

pub(crate) fn with_status(status: u16, body: Value) -> Reply {
    with_header(status, ("x-test", "none"), body)
}

pub(crate) fn with_header(status: u16, header: (&'static str, &'static str), body: Value) -> Reply {
    let status = StatusCode::from_u16(status).unwrap();
    Reply::With(Box::new((status, [header], Json(body)).into_response()))
}

/// A stream of events, split into these pieces.
pub(crate) fn events<P: Into<Bytes>>(pieces: impl IntoIterator<Item = P>) -> Reply {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| Ok(piece.into())).collect();
    event_stream(stream::iter(pieces))
}

/// A stream that begins with `text` and then stays open without sending anything.
pub(crate) fn events_then_silence(text: &'static str) -> Reply {
    event_stream(stream::iter([Ok(text.into())]).chain(stream::pending()))
}

/// The head of a stream without content; notifies the test at that point.
pub(crate) fn head_then_silence(reached: Arc<Notify>) -> Reply {
    event_stream(stream::once(async move {
        reached.notify_one();
        std::future::pending().await
    }))
}

/// A stream that begins with `text` and breaks after `received` is notified.
pub(crate) fn events_then_break(text: &'static str, received: Arc<Notify>) -> Reply {
    let broken = async move {
        received.notified().await;
        Err(io::Error::other("connection reset by the test"))
    };
    event_stream(stream::iter([Ok(text.into())]).chain(stream::once(broken)))
}

/// Repeats the same piece without end.
pub(crate) fn events_for_ever(piece: &'static str) -> Reply {
    event_stream(stream::repeat_with(move || Ok(piece.into())))
}

fn event_stream(pieces: impl Stream<Item = io::Result<Bytes>> + Send + 'static) -> Reply {
    let headers = [(header::CONTENT_TYPE, "text/event-stream; charset=utf-8")];
    Reply::With(Box::new((headers, Body::from_stream(pieces)).into_response()))
}

pub(crate) fn page(media_type: &'static str, text: &'static str) -> Reply {
    Reply::With(Box::new(([(header::CONTENT_TYPE, media_type)], text).into_response()))
}

pub(crate) fn question() -> Completion {
    let (system, user) = ("Be brief.".to_owned(), "What is red?".to_owned());
    Completion { system, user, schema: None, max_tokens: 100 }
}

pub(crate) fn question_with(schema: Value) -> Completion {
    Completion { schema: Some(schema), ..question() }
}

/// Sends the request, and returns the pieces as well.
pub(crate) async fn ask(
    model: &dyn LanguageModel,
    request: &Completion,
) -> (Result<Completed, ModelError>, Vec<String>) {
    let mut pieces = Vec::new();
    let completed = model.complete(request, &mut |piece| pieces.push(piece.to_owned())).await;
    (completed, pieces)
}

/// Does not wait, but records the waits.
#[derive(Debug, Default)]
struct RecordedSleep(Mutex<Vec<Duration>>);

impl Sleep for RecordedSleep {
    fn sleep(&self, duration: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.0.lock().unwrap().push(duration);
        Box::pin(std::future::ready(()))
    }
}

#[derive(Debug)]
pub(crate) struct NoJitter;

impl Random for NoJitter {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}
