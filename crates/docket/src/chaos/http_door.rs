//! Documents come in as everybody's do: over HTTP.

use anyhow::Context;
use api_types::{LoginRequest, LoginResponse};
use domain::{DocId, RunId, RunState, Secret};
use reqwest::multipart::{Form, Part};
use serde::Deserialize;
use tokio::sync::watch;
use url::Url;
use uuid::Uuid;

use super::door::{FrontDoor, NoWord, Paper, Receipt};
use crate::client::Client;

const ADMIN: &str = "admin@localhost";

/// The server's address changes with every start; what was signed in once stays signed in.
#[derive(Debug)]
pub(super) struct HttpDoor {
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

impl HttpDoor {
    /// Signs in.
    pub(super) async fn open(
        mut server: watch::Receiver<Option<Url>>,
        password: &str,
    ) -> anyhow::Result<Self> {
        let first = server.wait_for(Option::is_some).await.context("the server has gone")?.clone();
        let client = Client::new(first.context("the server has no address")?, None)?;
        let request = LoginRequest { email: ADMIN.to_owned(), password: Secret::new(password) };
        let answer: LoginResponse = client.post("/v1/auth/login", &request).await?;
        Ok(Self { server, token: answer.token.reveal().to_owned() })
    }

    /// Wherever the server is at the moment, or was last.
    fn client(&self) -> Result<Client, NoWord> {
        let server = self.server.borrow().clone().ok_or(NoWord)?;
        Client::new(server, Some(self.token.clone())).map_err(|_| NoWord)
    }
}

impl FrontDoor for HttpDoor {
    async fn hand_in(&self, paper: Paper) -> Result<Receipt, NoWord> {
        let name = format!("paper-{}.txt", paper.number);
        let part = Part::text(paper.content()).file_name(name).mime_str("text/plain");
        let form = Form::new().part("file", part.map_err(|_| NoWord)?);
        let accepted: Result<Accepted, _> = self.client()?.upload("/v1/ingest", form).await;
        let Accepted { doc_id, run_id } = accepted.map_err(|_| NoWord)?;
        Ok(Receipt { doc_id: DocId(doc_id), run_id: run_id.map(RunId) })
    }

    async fn state_of(&self, run_id: RunId) -> Result<RunState, NoWord> {
        let run: Result<Run, _> = self.client()?.get(&format!("/v1/ingestion-runs/{run_id}")).await;
        run.ok().and_then(|run| run.status.parse().ok()).ok_or(NoWord)
    }
}
