//! One call to a model service, with attempts, time limits and a limit on the answer's size.
//!
//! There is one [`Exchange`] for each service. It starts a [`Call`] for each question; each attempt of the call is one
//! `POST` and gives an [`Answer`], of which at most a given number of bytes is read.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, header, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::error::TimeoutPhase;
use crate::refusal::{self, Refusal};
use crate::service::without_secrets;
use crate::trace;
use crate::{ModelError, Retries, Service};

#[derive(Debug)]
pub(crate) struct Exchange {
    http: reqwest::Client,
    url: Url,
    pub(crate) service: Service,
    pub(crate) retries: Retries,
}

impl Exchange {
    /// `headers` are sent with every request to `url`.
    pub(crate) fn new(
        service: Service,
        url: Url,
        headers: HeaderMap,
        retries: Retries,
    ) -> Result<Self, ModelError> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(invalid_settings(
                &service,
                "the base URL must begin with http:// or https://",
            ));
        }
        blob::install_tls_provider();
        let mut builder = reqwest::Client::builder()
            .connect_timeout(service.limits.connect)
            .redirect(redirect::Policy::none())
            .default_headers(headers)
            .user_agent(concat!("docket/", env!("CARGO_PKG_VERSION")));
        if service.is_on_this_machine() {
            builder = builder.no_proxy();
        }
        let http =
            builder.build().map_err(|error| invalid_settings(&service, &root_cause(&error)))?;
        Ok(Self { http, url, service, retries })
    }

    pub(crate) fn call(&self) -> Call<'_> {
        Call { exchange: self, attempts: 0, ends: from_now(self.service.limits.total) }
    }

    /// The error for an answer that violates the protocol. The reason may quote parts of the answer.
    pub(crate) fn invalid_response(&self, reason: impl AsRef<str>) -> ModelError {
        let reason = refusal::shown(reason.as_ref(), &self.service);
        ModelError::InvalidResponse { server: self.service.server(), reason }
    }

    /// Converts a refusal into an error.
    pub(crate) fn refused(&self, refusal: Refusal) -> ModelError {
        refusal.into_error(&self.service, &without_secrets(&self.url))
    }
}

/// The header that carries the key, if there is one: `name: prefix key`.
pub(crate) fn key_header(
    service: &Service,
    name: HeaderName,
    prefix: &str,
) -> Result<HeaderMap, ModelError> {
    let mut headers = HeaderMap::new();
    if let Some(key) = &service.key {
        let mut value =
            HeaderValue::try_from(format!("{prefix}{}", key.reveal().trim())).map_err(|_| {
                invalid_settings(service, "the key contains invalid characters; copy it again")
            })?;
        value.set_sensitive(true);
        headers.insert(name, value);
    }
    Ok(headers)
}

/// For services that take the key as a bearer token.
pub(crate) fn bearer(service: &Service) -> Result<HeaderMap, ModelError> {
    key_header(service, header::AUTHORIZATION, "Bearer ")
}

/// One question to the service, repeated until it is answered or another attempt cannot help.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    exchange: &'a Exchange,
    attempts: u32,
    ends: Instant,
}

impl<'a> Call<'a> {
    /// Repeats the request until there is an answer, and reads all of it.
    pub(crate) async fn json<T: DeserializeOwned>(
        mut self,
        body: &impl Serialize,
        max_bytes: usize,
    ) -> Result<T, ModelError> {
        let bytes = loop {
            match self.attempt_whole(body, max_bytes).await {
                Ok(bytes) => break bytes,
                Err(error) => self.wait_before_retry(error).await?,
            }
        };
        serde_json::from_slice(&bytes).map_err(|error| {
            self.exchange.invalid_response(format!("it cannot be parsed ({error})"))
        })
    }

    async fn attempt_whole(
        &mut self,
        body: &impl Serialize,
        max_bytes: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let mut answer = self.post(body, max_bytes).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = answer.next_piece().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// One attempt, up to the head of a successful answer, of which at most `max_bytes` are read.
    pub(crate) async fn post(
        &mut self,
        body: &impl Serialize,
        max_bytes: usize,
    ) -> Result<Answer<'a>, ModelError> {
        self.attempts += 1;
        let exchange = self.exchange;
        let first_byte_limit = self.first_byte_limit();
        let request = exchange.http.post(exchange.url.clone()).json(body);
        let sending = trace::with_trace(request).send();
        let response = first_byte_limit.apply(&exchange.service, sending).await?;
        let response = response.map_err(|error| self.unreachable(&error))?;
        let answer = Answer {
            exchange,
            response,
            call_ends: self.ends,
            first_byte_limit: Some(first_byte_limit),
            max_bytes,
            bytes_left: max_bytes,
        };
        if answer.response.status().is_success() { Ok(answer) } else { Err(answer.refusal().await) }
    }

    fn first_byte_limit(&self) -> TimeLimit {
        let service = &self.exchange.service;
        let limit = service.limits.connect.saturating_add(service.limits.first_byte);
        TimeLimit::new(TimeoutPhase::FirstByte, limit, self.ends, service)
    }

    /// Waits before the next attempt; returns `error` when there is none.
    pub(crate) async fn wait_before_retry(&mut self, error: ModelError) -> Result<(), ModelError> {
        let retries = &self.exchange.retries;
        let time_left = self.ends.saturating_duration_since(Instant::now());
        let Some(wait) = retries.wait_before_retry(&error, self.attempts, time_left) else {
            return Err(error);
        };
        tracing::warn!(%error, attempts = self.attempts, ?wait, "retrying a request to a model service");
        retries.sleep(wait).await;
        Ok(())
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let service = &self.exchange.service;
        let reason = if error.is_timeout() {
            format!("no connection within {} s", service.limits.connect.as_secs_f64())
        } else {
            root_cause(error)
        };
        ModelError::Unreachable { server: service.server(), reason }
    }
}

/// An answer whose head was received.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    exchange: &'a Exchange,
    response: Response,
    call_ends: Instant,
    /// Set until the first piece arrives: some servers send the head at once and compute afterwards.
    first_byte_limit: Option<TimeLimit>,
    max_bytes: usize,
    bytes_left: usize,
}

impl Answer<'_> {
    /// The media type, without its parameters.
    pub(crate) fn media_type(&self) -> &str {
        let value = self.response.headers().get(header::CONTENT_TYPE);
        let text = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
        text.split(';').next().unwrap_or_default().trim()
    }

    /// The next piece; `None` at the end.
    pub(crate) async fn next_piece(&mut self) -> Result<Option<Bytes>, ModelError> {
        let service = &self.exchange.service;
        let between = service.limits.between_pieces;
        let limit = self.first_byte_limit.take().unwrap_or_else(|| {
            TimeLimit::new(TimeoutPhase::NextPiece, between, self.call_ends, service)
        });
        let piece = limit.apply(service, self.response.chunk()).await?;
        let piece = piece.map_err(|error| ModelError::Interrupted {
            server: service.server(),
            reason: root_cause(&error),
        })?;
        let size = piece.as_ref().map_or(0, Bytes::len);
        self.bytes_left =
            self.bytes_left.checked_sub(size).ok_or_else(|| ModelError::ResponseTooLarge {
                server: service.server(),
                what: "an answer",
                limit: self.max_bytes,
            })?;
        Ok(piece)
    }

    /// The error of an unsuccessful answer. A body that breaks off is used as it is, because the status is known.
    async fn refusal(mut self) -> ModelError {
        const MAX_BODY: usize = 16 * 1024;
        self.bytes_left = MAX_BODY;
        let status = self.response.status().as_u16();
        let retry_after = refusal::retry_after(self.response.headers());
        let mut body = Vec::new();
        while let Ok(Some(piece)) = self.next_piece().await {
            body.extend_from_slice(&piece);
        }
        let body = String::from_utf8_lossy(&body).into_owned();
        self.exchange.refused(Refusal { status, retry_after, body })
    }
}

/// A deadline for one phase of a call.
#[derive(Clone, Copy, Debug)]
struct TimeLimit {
    ends: Instant,
    length: Duration,
    phase: TimeoutPhase,
}

impl TimeLimit {
    /// Starts now, and ends at the end of the call at the latest.
    fn new(phase: TimeoutPhase, length: Duration, call_ends: Instant, service: &Service) -> Self {
        let ends = from_now(length);
        if ends < call_ends {
            Self { ends, length, phase }
        } else {
            Self { ends: call_ends, length: service.limits.total, phase: TimeoutPhase::Total }
        }
    }

    async fn apply<T>(
        self,
        service: &Service,
        work: impl Future<Output = T>,
    ) -> Result<T, ModelError> {
        timeout_at(self.ends, work).await.map_err(|_| ModelError::TimedOut {
            server: service.server(),
            phase: self.phase,
            limit: self.length,
        })
    }
}

/// "No limit" is a very long duration, which could overflow the clock.
fn from_now(length: Duration) -> Instant {
    const LONGEST: Duration = Duration::from_hours(365 * 24);
    Instant::now() + length.min(LONGEST)
}

fn invalid_settings(service: &Service, reason: &str) -> ModelError {
    ModelError::Settings { server: service.server(), reason: reason.to_owned() }
}

/// The innermost cause, which is the one that users understand.
fn root_cause(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => root_cause(cause),
        None => error.to_string(),
    }
}
