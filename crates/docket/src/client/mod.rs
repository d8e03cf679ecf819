//! Docket as its commands see it: a server to talk to over HTTP.
//!
//! Which server, and as whom, is decided in `session.rs`; what a sign-in leaves on the disk is in
//! `credentials.rs`, and what was handed in from this machine in `receipts.rs`. `patience.rs` decides
//! whether to ask again, `events.rs` follows what happens, and `watch.rs` knows when runs have ended.

mod credentials;
mod error;
mod events;
mod patience;
mod receipts;
mod session;
mod watch;

use std::time::Duration;

use api_types::Problem;
use reqwest::multipart::Form;
use reqwest::{Method, RequestBuilder, Response, StatusCode, header};
use serde::Serialize;
use serde::de::DeserializeOwned;
use url::Url;

pub(crate) use credentials::{Credentials, CredentialsFile};
pub use error::ClientError;
pub(crate) use patience::Patience;
pub(crate) use receipts::{Fingerprint, Receipt, Receipts};
pub(crate) use session::Session;
pub(crate) use watch::{Detail, Told, Watch};

/// Who talks to one server.
#[derive(Clone, Debug)]
pub struct Client {
    http: reqwest::Client,
    server: Url,
    token: Option<String>,
}

impl Client {
    /// A server that does not even answer the knock.
    const CONNECT_LIMIT: Duration = Duration::from_secs(5);
    /// A little longer than a server by default takes for a request.
    const ANSWER_LIMIT: Duration = Duration::from_secs(35);
    /// Not a single byte got through: twice what a server waits for one.
    const STANDSTILL: Duration = Duration::from_mins(1);
    /// What goes on for as long as it comes: files on their way up, events on their way down.
    const LONG: Duration = Duration::from_hours(24);

    pub fn new(server: Url, token: Option<String>) -> Result<Self, ClientError> {
        blob::install_tls_provider();
        let http = reqwest::Client::builder()
            .connect_timeout(Self::CONNECT_LIMIT)
            .timeout(Self::ANSWER_LIMIT)
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

    pub(crate) async fn put<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::PUT, path).json(body)).await
    }

    /// The same, where there may be nothing to answer.
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

    /// The same for what must not happen twice, however often it is asked for under one key.
    pub(crate) async fn post_once<T: DeserializeOwned>(
        &self,
        path: &str,
        body: &impl Serialize,
        key: &str,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::POST, path).header("idempotency-key", key);
        self.answer(request.json(body)).await
    }

    /// Hands a file in.
    pub async fn upload<T: DeserializeOwned>(
        &self,
        path: &str,
        form: Form,
    ) -> Result<T, ClientError> {
        self.answer(self.request(Method::POST, path).multipart(form)).await
    }

    /// Hands a file in, however long it takes; only when `sent`, the bytes so far, stands still is it
    /// given up. Under the same `key` it has its effect once.
    pub(crate) async fn upload_at_length<T: DeserializeOwned>(
        &self,
        path: &str,
        form: Form,
        key: &str,
        sent: impl Fn() -> u64,
    ) -> Result<T, ClientError> {
        let request = self.request(Method::POST, path).timeout(Self::LONG);
        let answer = self.answer(request.header("idempotency-key", key).multipart(form));
        let standstill = async {
            let mut before = sent();
            loop {
                tokio::time::sleep(Self::STANDSTILL).await;
                let now = sent();
                if now == before {
                    return;
                }
                before = now;
            }
        };
        tokio::select! {
            answer = answer => answer,
            () = standstill => {
                let reason = "the upload stands still".to_owned();
                Err(ClientError::Unreachable { server: self.server.clone(), reason })
            }
        }
    }

    /// An answer that goes on and on.
    async fn follow(&self, path: &str, last_event: Option<&str>) -> Result<Response, ClientError> {
        let mut request = self.request(Method::GET, path).timeout(Self::LONG);
        if let Some(id) = last_event {
            request = request.header("last-event-id", id);
        }
        self.sent(request).await
    }

    /// For what is answered with nothing.
    pub(crate) async fn tell(&self, path: &str) -> Result<(), ClientError> {
        self.sent(self.request(Method::POST, path)).await?;
        Ok(())
    }

    /// An answer that is worth reading whatever its status.
    pub(crate) async fn get_either_way<T: DeserializeOwned>(
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
        // A server that is killed in the middle of its answer has gone away; it said nothing wrong.
        let bytes = response.bytes().await.map_err(|error| self.unreachable(&error))?;
        serde_json::from_slice(&bytes).map_err(|_| self.not_docket(status))
    }

    /// An answer of success; a problem document becomes an error that says what it says.
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

/// The cause that all the others wrap: the only one that says something to a person.
fn innermost(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(cause) => innermost(cause),
        None => error.to_string(),
    }
}
