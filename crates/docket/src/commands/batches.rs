//! `docket batches`

use std::process::ExitCode;

use api_types::{BatchPage, BatchResultPage, BatchResultView, BatchView};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::listing::{self, Listed};
use crate::cli::{BatchArg, BatchesArgs, BatchesCommand, ListArgs, ServerArgs};
use crate::client::{Client, ClientError, IdStyle, Session};
use crate::color::{self, tone_of};
use crate::say::say;
use crate::system;
use crate::table::{Table, age, shortened};

pub(crate) async fn run(args: &BatchesArgs) -> anyhow::Result<ExitCode> {
    match &args.command {
        None => list(args).await,
        Some(BatchesCommand::Show { batch, list, server, json }) => {
            show(batch, list, server, *json).await
        }
    }
}

async fn list(args: &BatchesArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let Listed { items, has_more } = listing::fetch(args.list.limit(), async |limit, cursor| {
        let query = listing::page_query(limit, cursor);
        let page: BatchPage = client.get_by("/v1/batches", &query).await?;
        Ok::<_, ClientError>((page.items, page.next_cursor))
    })
    .await?;
    if args.json {
        say(json!({ "items": items, "has_more": has_more }));
    } else if items.is_empty() {
        say("No batches yet. Create one with `docket ingest PATH --batch NAME`.");
    } else {
        say(table(&items, args.list.id_style(), system::environment().clock.now()));
        listing::print_rest(items.len(), None, has_more);
    }
    Ok(ExitCode::SUCCESS)
}

fn table(batches: &[BatchView], ids: IdStyle, now: DateTime<Utc>) -> String {
    const MOST: usize = 60;
    let columns =
        ["BATCH", "STATUS", ">DOCUMENTS", ">READY", ">FAILED", ">REFUSED", ">AGE", "NAME"];
    let mut table = Table::with_columns(columns).with_tones(1);
    for batch in batches {
        let counts = &batch.counts;
        table.row([
            ids.show(batch.batch_id),
            color::batch_status(batch.status).to_owned(),
            counts.documents.to_string(),
            counts.succeeded.to_string(),
            counts.failed.to_string(),
            counts.refused.to_string(),
            age(now - batch.created_at),
            shortened(batch.name.as_deref().unwrap_or("–"), MOST),
        ]);
    }
    table.text()
}

async fn show(
    batch: &BatchArg,
    list: &ListArgs,
    server: &ServerArgs,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Session::find(server.server.as_deref())?.signed_in()?;
    let batch_id = client.resolve_batch(batch).await?;
    let batch: BatchView = client.get(&format!("/v1/batches/{batch_id}")).await?;
    let results = fetch_results(&client, &batch, list.limit()).await?;
    if as_json {
        say(json!({ "batch": batch, "results": results.items, "has_more": results.has_more }));
        return Ok(ExitCode::SUCCESS);
    }
    print(&batch);
    if !results.items.is_empty() {
        say(results_table(&results.items, list.id_style()));
        let total = usize::try_from(batch.counts.documents).ok();
        listing::print_rest(results.items.len(), total, results.has_more);
    }
    Ok(ExitCode::SUCCESS)
}

async fn fetch_results(
    client: &Client,
    batch: &BatchView,
    limit: usize,
) -> Result<Listed<BatchResultView>, ClientError> {
    let path = format!("/v1/batches/{}/results", batch.batch_id);
    listing::fetch(limit, async |limit, cursor| {
        let query = listing::page_query(limit, cursor);
        let page: BatchResultPage = client.get_by(&path, &query).await?;
        Ok((page.items, page.next_cursor))
    })
    .await
}

fn print(batch: &BatchView) {
    let status = color::batch_status(batch.status);
    let painted = tone_of(status).map_or_else(|| status.to_owned(), |it| color::paint(status, it));
    say(format_args!("Batch {}: {painted}", batch.batch_id));
    let counts = &batch.counts;
    let line = |label: &str, value: &str| say(format_args!("  {label:<10}{value}"));
    line("Name", batch.name.as_deref().unwrap_or("–"));
    line("Created", &batch.created_at.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    if let Some(end) = batch.finished_at {
        line("Finished", &end.format("%Y-%m-%d %H:%M:%S UTC").to_string());
    }
    if let Some(expected) = batch.expected_documents {
        line("Expected", &expected.to_string());
    }
    let received = format!("{} files, {} of them refused", counts.offered, counts.refused);
    line("Received", &received);
    let documents = format!(
        "{} ({} ready, {} failed, {} processing)",
        counts.documents, counts.succeeded, counts.failed, counts.pending
    );
    line("Documents", &documents);
}

fn results_table(results: &[BatchResultView], ids: IdStyle) -> String {
    const MOST: usize = 70;
    let mut table = Table::with_columns(["DOCUMENT", "STATUS", "TITLE"]).with_tones(1);
    for result in results {
        let title = match &result.error {
            Some(error) => format!("{}: {error}", result.title),
            None => result.title.clone(),
        };
        table.row([
            ids.show(result.doc_id),
            color::document_status(result.status).to_owned(),
            shortened(&title, MOST),
        ]);
    }
    table.text()
}
