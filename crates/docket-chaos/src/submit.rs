//! Submits documents over HTTP. Servers are killed meanwhile, so any request may stay unanswered.

use anyhow::Context;
use api_types::{LoginRequest, LoginResponse};
use docket::Client;
use domain::{DocId, RunId, RunState, Secret};
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

const ADMIN: &str = "admin@localhost";

/// A document to submit. The same number has the same content, however often it is submitted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TestDocument {
    pub(crate) number: usize,
    /// Makes the documents of one run differ from those of another.
    pub(crate) seed: u64,
}

/// The answer that a document was accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Receipt {
    pub(crate) doc_id: DocId,
    /// `None` when this content is known to have been processed already.
    pub(crate) run_id: Option<RunId>,
}

/// No answer, or a refusal. The document may have been accepted all the same.
#[derive(Debug)]
pub(crate) struct NoAnswer;

/// Submits documents and asks after them. The server's address changes with every start; a token stays valid.
#[derive(Debug)]
pub(crate) struct Submitter {
    server: watch::Receiver<Option<Url>>,
    token: String,
}

#[derive(Deserialize)]
struct Accepted {
    doc_id: Uuid,
    #[serde(default)]
    run_id: Option<Uuid>,
}

#[derive(Deserialize)]
struct Run {
    status: String,
}

impl Submitter {
    pub(crate) async fn sign_in(
        mut server: watch::Receiver<Option<Url>>,
        password: &str,
    ) -> anyhow::Result<Self> {
        let first = server.wait_for(Option::is_some).await.context("the server has gone")?.clone();
        let client = Client::new(first.context("the server has no address")?, None)?;
        let request = LoginRequest { email: ADMIN.to_owned(), password: Secret::new(password) };
        let answer: LoginResponse = client.post("/v1/auth/login", &request).await?;
        Ok(Self { server, token: answer.token.reveal().to_owned() })
    }

    pub(crate) async fn submit(&self, document: TestDocument) -> Result<Receipt, NoAnswer> {
        let TestDocument { number, seed } = document;
        let content = format!("Document {number} of the run {seed}.\n");
        let part = Part::text(content).file_name(format!("document-{number}.txt"));
        let form = Form::new().part("file", part.mime_str("text/plain").map_err(|_| NoAnswer)?);
        let accepted: Result<Accepted, _> = self.client()?.upload("/v1/ingest", form).await;
        let Accepted { doc_id, run_id } = accepted.map_err(|_| NoAnswer)?;
        Ok(Receipt { doc_id: DocId(doc_id), run_id: run_id.map(RunId) })
    }

    pub(crate) async fn state_of(&self, run_id: RunId) -> Result<RunState, NoAnswer> {
        let run: Result<Run, _> = self.client()?.get(&format!("/v1/ingestion-runs/{run_id}")).await;
        run.ok().and_then(|run| run.status.parse().ok()).ok_or(NoAnswer)
    }

    /// For the address where the server is at the moment, or was last.
    fn client(&self) -> Result<Client, NoAnswer> {
        let server = self.server.borrow().clone().ok_or(NoAnswer)?;
        Client::new(server, Some(self.token.clone())).map_err(|_| NoAnswer)
    }
}
