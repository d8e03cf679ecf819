//! `docket rm`

use std::io::{self, BufRead, IsTerminal, Write};
use std::process::ExitCode;

use anyhow::Context;
use api_types::DocumentDetailView;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::cli::RmArgs;
use crate::client::{Client, ClientError, Kind, Session, short_id};
use crate::config::ConfigError;
use crate::say::{complain, say};

struct Document {
    doc_id: Uuid,
    title: String,
}

pub(crate) async fn run(args: &RmArgs) -> anyhow::Result<ExitCode> {
    if !args.yes && !io::stdin().is_terminal() {
        let problem = "standard input is not a terminal, so you cannot confirm; add --yes to delete without asking";
        return Err(ConfigError::argument(problem).into());
    }
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let ids = client.resolve_all(Kind::Document, &args.ids).await?;
    let mut documents = Vec::new();
    for doc_id in ids {
        // One that does not exist stops everything: whoever mistyped an id may have meant another document.
        let found: Result<DocumentDetailView, _> =
            client.get(&format!("/v1/documents/{doc_id}")).await;
        let found = found.with_context(|| doc_id.to_string())?;
        documents.push(Document { doc_id, title: found.document.title });
    }
    if !args.yes && !confirm(&documents)? {
        say("Nothing was deleted.");
        return Ok(ExitCode::FAILURE);
    }
    delete(&client, &documents, args.json).await
}

fn confirm(documents: &[Document]) -> anyhow::Result<bool> {
    let mut terminal = io::stderr();
    for Document { doc_id, title } in documents {
        writeln!(terminal, "  {}  {title}", short_id(*doc_id))?;
    }
    write!(terminal, "Delete {}? [y/N] ", counted(documents.len()))?;
    terminal.flush()?;
    let mut answer = String::new();
    io::stdin().lock().read_line(&mut answer).context("cannot read the answer")?;
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

async fn delete(
    client: &Client,
    documents: &[Document],
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let (mut deleted, mut refused): (Vec<Uuid>, Vec<Value>) = Default::default();
    for Document { doc_id, title } in documents {
        match client.delete(&format!("/v1/documents/{doc_id}")).await {
            Ok(()) => {
                deleted.push(*doc_id);
                if !as_json {
                    say(format_args!("Deleted {}  {title}", short_id(*doc_id)));
                }
            }
            Err(ClientError::Refused(problem)) if !matches!(problem.status, 401 | 403) => {
                if !as_json {
                    complain(format_args!("{}: {}", short_id(*doc_id), problem.detail));
                }
                refused.push(json!({ "doc_id": doc_id, "problem": problem.detail }));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if as_json {
        say(json!({ "deleted": deleted, "refused": refused }));
    }
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn counted(documents: usize) -> String {
    match documents {
        1 => "this document".to_owned(),
        more => format!("these {more} documents"),
    }
}
