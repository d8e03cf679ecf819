//! Uploads documents over HTTP.

use std::time::Duration;

use anyhow::Context;
use reqwest::multipart::{Form, Part};
use serde_json::{Value, json};

use crate::server::{PASSWORD, Server};

/// Longer than a server takes for a request by default.
const ANSWER_LIMIT: Duration = Duration::from_secs(35);

#[derive(Clone, Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    address: String,
    token: String,
}

/// A body that is not JSON is text here.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

impl Answer {
    pub(crate) fn text(&self, field: &str) -> String {
        self.body[field].as_str().unwrap_or_default().to_owned()
    }
}

/// The file to upload.
#[derive(Debug)]
pub(crate) struct File {
    pub(crate) name: String,
    pub(crate) bytes: Vec<u8>,
    pub(crate) password: Option<String>,
}

impl Client {
    pub(crate) async fn sign_in(server: &Server, email: &str) -> anyhow::Result<Self> {
        // The first to come installs it.
        rustls::crypto::ring::default_provider().install_default().ok();
        let http = reqwest::Client::builder().no_proxy().timeout(ANSWER_LIMIT).build()?;
        let client = Self { http, address: server.address.clone(), token: String::new() };
        let who = json!({ "email": email, "password": PASSWORD });
        let request = client.http.post(client.at("/v1/auth/login")).json(&who);
        let answer = answer_to(request).await?;
        let token = answer.body["token"].as_str().context("signing in gave no token")?;
        Ok(Self { token: token.to_owned(), ..client })
    }

    pub(crate) async fn get(&self, path: &str) -> anyhow::Result<Answer> {
        answer_to(self.http.get(self.at(path)).bearer_auth(&self.token)).await
    }

    pub(crate) async fn submit_file(&self, file: File) -> anyhow::Result<Answer> {
        let mut form = Form::new();
        if let Some(password) = file.password {
            form = form.text("password", password);
        }
        let form = form.part("file", Part::bytes(file.bytes).file_name(file.name));
        let request = self.http.post(self.at("/v1/ingest")).bearer_auth(&self.token);
        answer_to(request.multipart(form)).await
    }

    fn at(&self, path: &str) -> String {
        format!("{}{path}", self.address)
    }
}

async fn answer_to(request: reqwest::RequestBuilder) -> anyhow::Result<Answer> {
    let response = request.send().await?;
    let status = response.status().as_u16();
    let text = response.text().await?;
    let body = serde_json::from_str(&text).unwrap_or(Value::String(text));
    Ok(Answer { status, body })
}
