//! The HTTP client of the commands.
//!
//! `session.rs` decides which server to use and with which token; `credentials.rs` stores sign-ins, `receipts.rs` the list
//! of uploaded files. `retries.rs` decides whether to retry a request, `events.rs` follows the event stream, `watch.rs`
//! waits for the end of runs, and `short_ids.rs` resolves short ids.

mod credentials;
mod error;
mod events;
mod receipts;
mod retries;
mod session;
mod short_ids;
mod watch;

use std::time::Duration;

use api_types::Problem;
use bytes::Bytes;
use reqwest::multipart::Form;
use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

pub(crate) use credentials::{Credentials, CredentialsFile};
pub use error::ClientError;
pub(crate) use receipts::{Fingerprint, Receipt, Receipts};
pub(crate) use retries::RequestRetries;
pub(crate) use session::Session;
pub(crate) use short_ids::{IdStyle, Kind, short_id};
pub(crate) use watch::{Detail, RunUpdate, Watch};

/// A connection to one server.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    server: Url,
    token: Option<String>,
}

impl Client {
    /// For establishing a connection.
    const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);
    /// A little longer than the default request timeout of a server.
    const RESPONSE_TIMEOUT: Duration = Duration::from_secs(35);
    /// Without a single byte: twice as long as a server waits.
    const STALL_TIMEOUT: Duration = Duration::from_mins(1);
    /// For uploads, downloads and event streams, which last as long as they make progress.
    const STREAM_TIMEOUT: Duration = Duration::from_hours(24);

    pub fn new(server: Url, token: Option<String>) -> Result<Self, ClientError> {
        blob::install_tls_provider();
        let http = reqwest::Client::builder()
            .connect_timeout(Self::CONNECT_TIMEOUT)
            .timeout(Self::RESPONSE_TIMEOUT)
            .user_agent(concat!("docket/", env!("CARGO_PKG_VERSION")))
            .build()
            .map_err(ClientError::Unusable)?;
        Ok(Self { http, server, token })
    }

    pub(crate) fn server(&self) -> &Url {
        &self.server
    }

    pub async fn get<T: DeserializeOwned>(&self, path: &str) -> Result<T, ClientError> {
        self.answer(self.request(Method::GET, path)).await
    }

    pub(crate) async fn get_by<T: DeserializeOwned>(
        &self,
        path: &str,
        query: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::GET, path).query(query)).await
    }

    pub async fn post<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::POST, path).json(body)).await
    }

    /// A POST whose response may be empty (202).
    pub(crate) async fn post_if_answered<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<Option<T>, ClientError> {
        let response = self.sent(self.request(Method::POST, path).json(body)).await?;
        if response.status() == StatusCode::ACCEPTED {
            return Ok(None);
        }
        let status = response.status();
        let bytes = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        serde_json::from_slice(&bytes).map(Some).map_err(|_| self.not_docket(status))
    }

    /// A POST that has its effect once, however often it is repeated with the same key.
    pub(crate) async fn post_once<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        key: &str,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::POST, path).header("idempotency-key", key);
        self.answer(request.json(body)).await
    }

    /// Uploads a file.
    pub async fn upload<T: DeserializeOwned>(
        &self,
        path: &str,
        form: Form,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::POST, path).multipart(form)).await
    }

    /// Uploads a file without a time limit, but fails when `sent`, the number of bytes sent, does not change for a while.
    /// Repeated with the same `key`, it has its effect once.
    pub(crate) async fn upload_at_length<T: DeserializeOwned>(
        &self,
        path: &str,
        form: Form,
        key: &str,
        sent: impl Fn() -> u64,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::POST, path).timeout(Self::STREAM_TIMEOUT);
        let answer = self.answer(request.header("idempotency-key", key).multipart(form));
        let stalled = async {
            let mut before = sent();
            loop {
                tokio::time::sleep(Self::STALL_TIMEOUT).await;
                let now = sent();
                if now == before {
                    return;
                }
                before = now;
            }
        };
        tokio::select! {
            answer = answer => answer,
            () = stalled => {
                let reason = "the upload made no progress for a minute".to_owned();
                Err(ClientError::Unreachable { server: self.server.clone(), reason })
            }
        }
    }

    /// An event stream.
    async fn follow(&self, path: &str, last_event: Option<&str>) -> Result<Response, ClientError> {
        let mut request = self.request(Method::GET, path).timeout(Self::STREAM_TIMEOUT);
        if let Some(id) = last_event {
            request = request.header("last-event-id", id);
        }
        self.sent(request).await
    }

    pub(crate) async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::PUT, path).json(body)).await
    }

    pub(crate) async fn delete(&self, path: &str) -> Result<(), ClientError> {
        self.sent(self.request(Method::DELETE, path)).await?;
        Ok(())
    }

    /// A file, however long it takes to come.
    pub(crate) async fn download(&self, path: &str) -> Result<Response, ClientError> {
        self.sent(self.request(Method::GET, path).timeout(Self::STREAM_TIMEOUT)).await
    }

    /// The same for an address that needs no token: the token stays here if it leads to another server.
    pub(crate) async fn download_by_link(&self, path: &str) -> Result<Response, ClientError> {
        let without_token = Self { token: None, ..self.clone() };
        without_token.download(path).await
    }

    /// The next part of a file; `None` at its end.
    pub(crate) async fn next_chunk(
        &self,
        response: &mut Response,
    ) -> Result<Option<Bytes>, ClientError> {
        let Ok(chunk) = tokio::time::timeout(Self::STALL_TIMEOUT, response.chunk()).await else {
            let reason = "the download made no progress for a minute".to_owned();
            return Err(ClientError::Unreachable { server: self.server.clone(), reason });
        };
        chunk.map_err(|error| self.unreachable(&error))
    }

    /// A POST without a body and with an empty response.
    pub(crate) async fn post_empty(&self, path: &str) -> Result<(), ClientError> {
        self.sent(self.request(Method::POST, path)).await?;
        Ok(())
    }

    /// A GET whose response is read whatever its status.
    pub(crate) async fn get_any_status<T: DeserializeOwned>(
        &self,
        path: &str,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::GET, path);
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        response.json().await.map_err(|_| self.not_docket(status))
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let address = format!("{}{path}", self.server.as_str().trim_end_matches('/'));
        let request = self.http.request(method, address);
        match &self.token {
            Some(token) => request.bearer_auth(token),
            None => request,
        }
    }

    async fn answer<T: DeserializeOwned>(&self, request: RequestBuilder) -> Result<T, ClientError> {
        let response = self.sent(request).await?;
        let status = response.status();
        // A server that is killed while it responds is unreachable; its response was not wrong.
        let bytes = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        serde_json::from_slice(&bytes).map_err(|_| self.not_docket(status))
    }

    /// A successful response; a problem document becomes an error.
    async fn sent(&self, request: RequestBuilder) -> Result<Response, ClientError> {
        let response = request.send().await.map_err(|error| self.unreachable(&error))?;
        let status = response.status();
        if status.is_success() {
            return Ok(response);
        }
        let wait = seconds_to_wait(&response);
        match response.json::<Problem>().await.map(Box::new) {
            Ok(problem) => Err(match wait {
                Some(wait) => ClientError::Busy { problem, wait },
                None => ClientError::Refused(problem),
            }),
            Err(_) => Err(self.not_docket(status)),
        }
    }

    fn unreachable(&self, error: &reqwest::Error) -> ClientError {
        let reason = if error.is_timeout() {
            "it did not answer in time".to_owned()
        } else {
            innermost(error)
        };
        ClientError::Unreachable { server: self.server.clone(), reason }
    }

    fn not_docket(&self, status: StatusCode) -> ClientError {
        ClientError::NotDocket { server: self.server.clone(), status: status.as_u16() }
    }
}

/// `Retry-After`, as Docket writes it.
fn seconds_to_wait(response: &Response) -> Option<Duration> {
    let text = response.headers().get(header::RETRY_AFTER)?.to_str().ok()?;
    text.parse().ok().map(Duration::from_secs)
}

/// The innermost cause: the only one that helps a user.
fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => innermost(cause),
        None => error.to_string(),
    }
}
