//! `docket docs`

use std::process::ExitCode;

use api_types::{DocumentPage, DocumentView};
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::cli::DocsArgs;
use crate::client::{Client, ClientError, Session};
use crate::say::say;
use crate::system;
use crate::table::{Table, age, bytes, shortened};

pub(crate) async fn list(args: &DocsArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let documents = fetch(&client, args).await?;
    if args.json {
        say(json!({ "items": documents }));
    } else if documents.is_empty() {
        say("There is no such document");
    } else {
        say(table(&documents, system::environment().clock.now()));
    }
    Ok(ExitCode::SUCCESS)
}

/// In the order of `--sort`, page by page.
async fn fetch(client: &Client, args: &DocsArgs) -> Result<Vec<DocumentView>, ClientError> {
    const PAGE: usize = 100;
    let mut documents: Vec<DocumentView> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let wanted = (args.limit - documents.len()).min(PAGE);
        let mut query = vec![
            ("limit", wanted.to_string()),
            ("status", args.status.to_lowercase()),
            ("sort", args.sort.to_lowercase()),
        ];
        let conditions = [
            ("type", args.kind.clone()),
            ("source", args.source.clone()),
            ("tag", args.tag.clone()),
            ("batch_id", args.batch.map(|id| id.to_string())),
            ("search", args.search.clone()),
            ("cursor", cursor),
        ];
        query.extend(conditions.into_iter().filter_map(|(name, value)| Some((name, value?))));
        let page: DocumentPage = client.get_by("/v1/documents", &query).await?;
        documents.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() || documents.len() >= args.limit {
            return Ok(documents);
        }
    }
}

fn table(documents: &[DocumentView], now: DateTime<Utc>) -> String {
    const MOST: usize = 70;
    let mut table = Table::with_columns(["DOCUMENT", "STATUS", "TYPE", ">SIZE", ">AGE", "TITLE"]);
    for document in documents {
        let title = match &document.error {
            Some(error) => format!("{}: {error}", document.title),
            None => document.title.clone(),
        };
        table.row([
            document.doc_id.to_string(),
            document.status.to_string(),
            document.file_kind.clone(),
            bytes(document.size_bytes),
            age(now - document.created_at),
            shortened(&title, MOST),
        ]);
    }
    table.text()
}
