//! `docket docs`

use std::process::ExitCode;

use api_types::{DocumentPage, DocumentView, FacetValueView, FacetsView};
use chrono::{DateTime, Utc};
use serde_json::json;

use super::listing::{self, Listed};
use crate::cli::DocsArgs;
use crate::client::{Client, ClientError, IdStyle, Session};
use crate::color;
use crate::say::say;
use crate::system;
use crate::table::{Table, age, bytes, shortened};

pub(crate) async fn list(args: &DocsArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let conditions = conditions(&client, args).await?;
    let listed = listing::fetch(args.list.limit(), async |limit, cursor| {
        let mut query = listing::page_query(limit, cursor);
        query.push(("sort", args.sort.to_lowercase()));
        query.extend(conditions.iter().cloned());
        let page: DocumentPage = client.get_by("/v1/documents", &query).await?;
        Ok((page.items, page.next_cursor))
    });
    let Listed { items, has_more } = listed.await?;
    if args.json {
        say(json!({ "items": items, "has_more": has_more }));
    } else if items.is_empty() && args.has_conditions() {
        say("No document matches.");
    } else if items.is_empty() {
        say("No documents yet. Add some with `docket ingest PATH`.");
    } else {
        say(table(&items, args.list.id_style(), system::environment().clock.now()));
        if has_more {
            let total = count(&client, &conditions, args.kind.as_deref()).await?;
            listing::print_rest(items.len(), total, has_more);
        }
    }
    Ok(ExitCode::SUCCESS)
}

type Conditions = Vec<(&'static str, String)>;

async fn conditions(client: &Client, args: &DocsArgs) -> Result<Conditions, ClientError> {
    let batch_id = match &args.batch {
        Some(batch) => Some(client.resolve_batch(batch).await?),
        None => None,
    };
    let conditions = [
        ("status", Some(args.status.api_value().to_owned())),
        ("type", args.kind.clone()),
        ("source", args.source.clone()),
        ("tag", args.tag.clone()),
        ("batch_id", batch_id.map(|id| id.to_string())),
        ("search", args.search.clone()),
    ];
    Ok(conditions.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}

/// How many documents match; `None` where the server does not count so far. Each document has one type, so the counts
/// of the types add up to it. They are counted as if no type had been asked for.
async fn count(
    client: &Client,
    conditions: &Conditions,
    kind: Option<&str>,
) -> Result<Option<usize>, ClientError> {
    let facets: FacetsView = client.get_by("/v1/documents/facets", conditions).await?;
    let is_wanted = |value: &&FacetValueView| kind.is_none_or(|kind| value.value == kind);
    let types = || facets.kind.values.iter().filter(is_wanted);
    let is_exact = facets.kind.is_complete && types().all(|value| !value.at_least);
    let total: i64 = types().map(|value| value.documents).sum();
    Ok(usize::try_from(total).ok().filter(|_| is_exact))
}

fn table(documents: &[DocumentView], ids: IdStyle, now: DateTime<Utc>) -> String {
    const MOST: usize = 70;
    let mut table =
        Table::with_columns(["DOCUMENT", "STATUS", "TYPE", ">SIZE", ">AGE", "TITLE"]).with_tones(1);
    for document in documents {
        let title = match &document.error {
            Some(error) => format!("{}: {error}", document.title),
            None => document.title.clone(),
        };
        table.row([
            ids.show(document.doc_id),
            color::document_status(document.status).to_owned(),
            document.file_kind.clone(),
            bytes(document.size_bytes),
            age(now - document.created_at),
            shortened(&title, MOST),
        ]);
    }
    table.text()
}
