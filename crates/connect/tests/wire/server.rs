//! A model service that says what the test tells it to.

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
use connect::{Limits, ModelError, Retries, Service, Waiting};
use domain::{Random, Secret};
use futures_util::{Stream, StreamExt, stream};
use serde_json::Value;
use tokio::net::TcpListener;
use tokio::sync::Notify;

pub(crate) const KEY: &str = "sk-test-4711";

/// What the server does with one request.
pub(crate) enum Reply {
    With(Box<Response>),
    /// Takes the request and says nothing; the test is told when that point is reached.
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
    waiting: Arc<Noted>,
}

impl ModelServer {
    /// Gives the replies one after the other.
    pub(crate) async fn start(replies: impl IntoIterator<Item = Reply>) -> Self {
        let script = Script::default();
        script.replies.lock().unwrap().extend(replies);
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = format!("http://{}", listener.local_addr().unwrap());
        let routes = Router::new().fallback(answer).with_state(script.clone());
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Self { address, script, waiting: Arc::default() }
    }

    pub(crate) fn received(&self) -> Vec<Received> {
        self.script.received.lock().unwrap().clone()
    }

    /// How long the client waited between its tries.
    pub(crate) fn waits(&self) -> Vec<Duration> {
        self.waiting.0.lock().unwrap().clone()
    }

    pub(crate) fn service(&self, limits: Limits) -> Service {
        Service::new(self.address.parse().unwrap(), "small", limits).with_key(Secret::new(KEY))
    }

    pub(crate) fn retries(&self) -> Retries {
        Retries::new(Arc::new(NoSpread)).with_waiting(self.waiting.clone())
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
        // A status that nobody asks twice about.
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

/// A stream of events in these pieces.
pub(crate) fn events<P: Into<Bytes>>(pieces: impl IntoIterator<Item = P>) -> Reply {
    let pieces: Vec<_> = pieces.into_iter().map(|piece| Ok(piece.into())).collect();
    event_stream(stream::iter(pieces))
}

/// A stream that begins like this, and then the server neither sends anything nor closes the connection.
pub(crate) fn events_then_silence(text: &'static str) -> Reply {
    event_stream(stream::iter([Ok(text.into())]).chain(stream::pending()))
}

/// The head of a stream and nothing else; the test is told when that point is reached.
pub(crate) fn head_then_silence(reached: Arc<Notify>) -> Reply {
    event_stream(stream::once(async move {
        reached.notify_one();
        std::future::pending().await
    }))
}

/// A stream that begins like this, and then the connection breaks, once `heard` says so.
pub(crate) fn events_then_break(text: &'static str, heard: Arc<Notify>) -> Reply {
    let broken = async move {
        heard.notified().await;
        Err(io::Error::other("pulled the plug"))
    };
    event_stream(stream::iter([Ok(text.into())]).chain(stream::once(broken)))
}

/// The same piece for as long as somebody reads.
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

/// Asks, and gives the pieces too.
pub(crate) async fn ask(
    model: &dyn LanguageModel,
    request: &Completion,
) -> (Result<Completed, ModelError>, Vec<String>) {
    let mut pieces = Vec::new();
    let completed = model.complete(request, &mut |piece| pieces.push(piece.to_owned())).await;
    (completed, pieces)
}

/// Time between tries passes at once, and is noted.
#[derive(Debug, Default)]
struct Noted(Mutex<Vec<Duration>>);

impl Waiting for Noted {
    fn wait(&self, how_long: Duration) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        self.0.lock().unwrap().push(how_long);
        Box::pin(std::future::ready(()))
    }
}

#[derive(Debug)]
pub(crate) struct NoSpread;

impl Random for NoSpread {
    fn fill(&self, bytes: &mut [u8]) {
        bytes.fill(0);
    }
}
