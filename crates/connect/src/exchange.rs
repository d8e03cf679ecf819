//! One call to a model service: its tries, its time limits, its bounded answer.
//!
//! An [`Exchange`] is made once for each service. It opens a [`Call`] for each question; each try of the call
//! is one `POST` and yields an [`Answer`], of which no more is read than was agreed on beforehand.

use std::time::Duration;

use bytes::Bytes;
use reqwest::header::{HeaderMap, HeaderName, HeaderValue};
use reqwest::{Response, header, redirect};
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::error::Slow;
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
    /// `headers` go with every request to `url`.
    pub(crate) fn new(
        service: Service,
        url: Url,
        headers: HeaderMap,
        retries: Retries,
    ) -> Result<Self, ModelError> {
        if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
            return Err(unusable(&service, "the base URL must begin with http:// or https://"));
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
        let http = builder.build().map_err(|error| unusable(&service, &innermost(&error)))?;
        Ok(Self { http, url, service, retries })
    }

    pub(crate) fn call(&self) -> Call<'_> {
        Call { exchange: self, tries: 0, ends: from_now(self.service.limits.whole) }
    }

    /// An answer that breaks the protocol. The reason may repeat parts of it.
    pub(crate) fn not_understood(&self, reason: impl AsRef<str>) -> ModelError {
        let reason = refusal::shown(reason.as_ref(), &self.service);
        ModelError::NotUnderstood { server: self.service.server(), reason }
    }

    /// What the service means by a refusal.
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
                unusable(service, "the key holds characters that cannot be sent; copy it again")
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

/// One question to the service, tried until it is answered or there is no point in trying.
#[derive(Debug)]
pub(crate) struct Call<'a> {
    exchange: &'a Exchange,
    tries: u32,
    ends: Instant,
}

impl<'a> Call<'a> {
    /// Asks until there is an answer, and reads it whole.
    pub(crate) async fn json<T: DeserializeOwned>(
        mut self,
        body: &impl Serialize,
        most_bytes: usize,
    ) -> Result<T, ModelError> {
        let bytes = loop {
            match self.try_whole(body, most_bytes).await {
                Ok(bytes) => break bytes,
                Err(error) => self.wait_after(error).await?,
            }
        };
        serde_json::from_slice(&bytes)
            .map_err(|error| self.exchange.not_understood(format!("it cannot be read ({error})")))
    }

    async fn try_whole(
        &mut self,
        body: &impl Serialize,
        most_bytes: usize,
    ) -> Result<Vec<u8>, ModelError> {
        let mut answer = self.post(body, most_bytes).await?;
        let mut bytes = Vec::new();
        while let Some(piece) = answer.next_piece().await? {
            bytes.extend_from_slice(&piece);
        }
        Ok(bytes)
    }

    /// One try, up to the head of a successful answer, of which `most_bytes` may be read.
    pub(crate) async fn post(
        &mut self,
        body: &impl Serialize,
        most_bytes: usize,
    ) -> Result<Answer<'a>, ModelError> {
        self.tries += 1;
        let exchange = self.exchange;
        let begin_by = self.first_byte_limit();
        let request = exchange.http.post(exchange.url.clone()).json(body);
        let sending = trace::marked(request).send();
        let response = begin_by.keep(&exchange.service, sending).await?;
        let response = response.map_err(|error| self.unreachable(&error))?;
        let answer = Answer {
            exchange,
            response,
            call_ends: self.ends,
            begin_by: Some(begin_by),
            most_bytes,
            bytes_left: most_bytes,
        };
        if answer.response.status().is_success() { Ok(answer) } else { Err(answer.refusal().await) }
    }

    fn first_byte_limit(&self) -> TimeLimit {
        let service = &self.exchange.service;
        let limit = service.limits.connect.saturating_add(service.limits.first_byte);
        TimeLimit::new(Slow::FirstByte, limit, self.ends, service)
    }

    /// Waits for the next try, or gives `error` back when there is to be none.
    pub(crate) async fn wait_after(&mut self, error: ModelError) -> Result<(), ModelError> {
        let retries = &self.exchange.retries;
        let time_left = self.ends.saturating_duration_since(Instant::now());
        let Some(wait) = retries.wait_after(&error, self.tries, time_left) else {
            return Err(error);
        };
        tracing::warn!(%error, tries = self.tries, ?wait, "asking a model service again");
        retries.wait(wait).await;
        Ok(())
    }

    fn unreachable(&self, error: &reqwest::Error) -> ModelError {
        let service = &self.exchange.service;
        let reason = if error.is_timeout() {
            format!("no connection within {} s", service.limits.connect.as_secs_f64())
        } else {
            innermost(error)
        };
        ModelError::Unreachable { server: service.server(), reason }
    }
}

/// An answer that has begun.
#[derive(Debug)]
pub(crate) struct Answer<'a> {
    exchange: &'a Exchange,
    response: Response,
    call_ends: Instant,
    /// Until the first piece is here: some servers send the head at once and think afterwards.
    begin_by: Option<TimeLimit>,
    most_bytes: usize,
    bytes_left: usize,
}

impl Answer<'_> {
    /// The media type, without its parameters.
    pub(crate) fn media_type(&self) -> &str {
        let value = self.response.headers().get(header::CONTENT_TYPE);
        let text = value.and_then(|value| value.to_str().ok()).unwrap_or_default();
        text.split(';').next().unwrap_or_default().trim()
    }

    /// Whatever has come, or `None` at the end.
    pub(crate) async fn next_piece(&mut self) -> Result<Option<Bytes>, ModelError> {
        let service = &self.exchange.service;
        let between = service.limits.between_pieces;
        let limit = self
            .begin_by
            .take()
            .unwrap_or_else(|| TimeLimit::new(Slow::NextPiece, between, self.call_ends, service));
        let piece = limit.keep(service, self.response.chunk()).await?;
        let piece = piece.map_err(|error| ModelError::Interrupted {
            server: service.server(),
            reason: innermost(&error),
        })?;
        let size = piece.as_ref().map_or(0, Bytes::len);
        self.bytes_left = self.bytes_left.checked_sub(size).ok_or_else(|| ModelError::TooMuch {
            server: service.server(),
            what: "an answer",
            limit: self.most_bytes,
        })?;
        Ok(piece)
    }

    /// What an unsuccessful answer means. Its body is read as far as it comes: the status is known already.
    async fn refusal(mut self) -> ModelError {
        const ENOUGH: usize = 16 * 1024;
        self.bytes_left = ENOUGH;
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

/// By when something has to have happened.
#[derive(Clone, Copy, Debug)]
struct TimeLimit {
    ends: Instant,
    length: Duration,
    waiting_for: Slow,
}

impl TimeLimit {
    /// From now on, but never beyond the end of the call.
    fn new(waiting_for: Slow, length: Duration, call_ends: Instant, service: &Service) -> Self {
        let ends = from_now(length);
        if ends < call_ends {
            Self { ends, length, waiting_for }
        } else {
            Self { ends: call_ends, length: service.limits.whole, waiting_for: Slow::Whole }
        }
    }

    async fn keep<T>(
        self,
        service: &Service,
        work: impl Future<Output = T>,
    ) -> Result<T, ModelError> {
        timeout_at(self.ends, work).await.map_err(|_| ModelError::TooSlow {
            server: service.server(),
            waiting_for: self.waiting_for,
            limit: self.length,
        })
    }
}

/// Whoever sets no limit sets a very long one, which the clock cannot reckon with.
fn from_now(length: Duration) -> Instant {
    const LONGEST: Duration = Duration::from_hours(365 * 24);
    Instant::now() + length.min(LONGEST)
}

fn unusable(service: &Service, reason: &str) -> ModelError {
    ModelError::Settings { server: service.server(), reason: reason.to_owned() }
}

/// The cause that all the others wrap: the only one that says something to a person.
fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => innermost(cause),
        None => error.to_string(),
    }
}
