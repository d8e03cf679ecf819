//! An HTTP client.

use std::net::SocketAddr;

use reqwest::multipart::{Form, Part};
use reqwest::{Method, RequestBuilder};
use serde_json::{Value, json};
use tokio::time::timeout;

use super::{ADMIN, PASSWORD, Server, TIMEOUT};

#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    address: SocketAddr,
    credential: Option<String>,
}

/// What came back. A body that is not JSON is `null` here.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) content_type: String,
    pub(crate) body: Value,
}

impl Answer {
    /// Whether this is the one answer that may be given while the database is away.
    pub(crate) fn says_come_back_later(&self) -> bool {
        self.status == 503
            && self.content_type == "application/problem+json"
            && self.body["code"] == "unavailable"
    }
}

impl Client {
    /// Without a credential.
    pub(crate) fn of(server: &Server) -> Self {
        Self::of_address(server.address())
    }

    pub(crate) fn of_address(address: SocketAddr) -> Self {
        // The first to come installs it.
        blob::install_tls_provider();
        let http = reqwest::Client::builder().no_proxy().build().unwrap();
        Self { http, address, credential: None }
    }

    /// All events from now on.
    pub(crate) async fn follow_events(&self) -> Events {
        let response = self.request(Method::GET, "/v1/events").send().await.unwrap();
        assert_eq!(response.status(), 200);
        Events { response, buffer: String::new() }
    }

    /// As the administrator whose password the test chose.
    pub(crate) async fn admin(server: &Server) -> Self {
        Self::of(server).sign_in(ADMIN, PASSWORD).await
    }

    pub(crate) fn with(&self, credential: &str) -> Self {
        Self { credential: Some(credential.to_owned()), ..self.clone() }
    }

    /// The same person, at another server.
    pub(crate) fn at(&self, server: &Server) -> Self {
        Self { address: server.address(), ..self.clone() }
    }

    pub(crate) async fn sign_in(&self, email: &str, password: &str) -> Self {
        let answer = self.try_sign_in(email, password).await;
        assert_eq!(answer.status, 200, "{email} signs in: {answer:?}");
        self.with(answer.body["token"].as_str().unwrap())
    }

    pub(crate) async fn try_sign_in(&self, email: &str, password: &str) -> Answer {
        self.post("/v1/auth/login", json!({ "email": email, "password": password })).await
    }

    /// Makes an API key; gives its id and the key itself.
    pub(crate) async fn make_key(&self, name: &str) -> (String, String) {
        let answer = self.post("/v1/api-keys", json!({ "name": name, "role": "viewer" })).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        let text = |field: &str| answer.body[field].as_str().unwrap().to_owned();
        (text("api_key_id"), text("key"))
    }

    /// The ids of all API keys, from every page.
    pub(crate) async fn key_ids(&self) -> Vec<String> {
        let mut ids = Vec::new();
        let mut address = "/v1/api-keys?limit=100".to_owned();
        loop {
            let page = self.get(&address).await;
            assert_eq!(page.status, 200, "{page:?}");
            let items = page.body["items"].as_array().unwrap();
            ids.extend(items.iter().map(|key| key["api_key_id"].as_str().unwrap().to_owned()));
            let Some(cursor) = page.body["next_cursor"].as_str() else { return ids };
            address = format!("/v1/api-keys?limit=100&cursor={cursor}");
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        sent(self.request(Method::GET, path)).await.unwrap()
    }

    pub(crate) async fn put(&self, path: &str, body: &Value) -> Answer {
        sent(self.request(Method::PUT, path).json(body)).await.unwrap()
    }

    pub(crate) async fn delete(&self, path: &str) -> Answer {
        sent(self.request(Method::DELETE, path)).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.try_post(path, body).await.unwrap()
    }

    /// For servers that may be gone.
    pub(crate) async fn try_post(&self, path: &str, body: Value) -> reqwest::Result<Answer> {
        sent(self.request(Method::POST, path).json(&body)).await
    }

    /// A text document. For servers that may be gone.
    pub(crate) async fn try_upload(&self, name: &str, text: &str) -> reqwest::Result<Answer> {
        let file = Part::text(text.to_owned()).file_name(name.to_owned());
        let form = Form::new().part("file", file.mime_str("text/plain")?);
        sent(self.request(Method::POST, "/v1/ingest").multipart(form)).await
    }

    fn request(&self, method: Method, path: &str) -> RequestBuilder {
        let request = self.http.request(method, format!("http://{}{path}", self.address));
        match &self.credential {
            Some(credential) => request.bearer_auth(credential),
            None => request,
        }
    }
}

/// Server-sent events, as they come.
#[derive(Debug)]
pub(crate) struct Events {
    response: reqwest::Response,
    buffer: String,
}

impl Events {
    /// The next event: its topic and what it says.
    pub(crate) async fn next(&mut self) -> (String, Value) {
        loop {
            while let Some((event, _)) = self.buffer.split_once("\n\n") {
                let line = |name: &str| event.lines().find_map(|line| line.strip_prefix(name));
                let parsed = line("event: ").zip(line("data: "));
                let parsed = parsed.map(|(topic, data)| (topic.to_owned(), data.to_owned()));
                self.buffer.drain(..event.len() + 2);
                if let Some((topic, data)) = parsed {
                    return (topic, serde_json::from_str(&data).expect("an event is JSON"));
                }
            }
            let chunk = timeout(TIMEOUT, self.response.chunk()).await.expect("an event in time");
            let chunk = chunk.unwrap().expect("the stream goes on");
            self.buffer.push_str(str::from_utf8(&chunk).expect("text"));
        }
    }
}

/// JSON, or else text; nothing of what is neither.
fn body_of(bytes: &[u8]) -> Value {
    let text = || str::from_utf8(bytes).map_or(Value::Null, |text| Value::String(text.to_owned()));
    serde_json::from_slice(bytes).unwrap_or_else(|_| text())
}

async fn sent(request: RequestBuilder) -> reqwest::Result<Answer> {
    let response = request.send().await?;
    let content_type = response.headers().get("content-type");
    Ok(Answer {
        status: response.status().as_u16(),
        content_type: content_type.map_or("", |kind| kind.to_str().unwrap()).to_owned(),
        body: body_of(&response.bytes().await?),
    })
}
