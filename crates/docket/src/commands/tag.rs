//! `docket tag`

use std::process::ExitCode;

use api_types::{DocumentDetailView, Tags};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::cli::TagArgs;
use crate::client::{Client, ClientError, Kind, Session, short_id};
use crate::say::{complain, say};

pub(crate) async fn run(args: &TagArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let ids = client.resolve_all(Kind::Document, &args.ids).await?;
    let mut items: Vec<Value> = Vec::new();
    let mut failures = 0;
    for doc_id in ids {
        match change(&client, doc_id, args).await {
            Ok((title, tags)) => {
                if !args.json {
                    let shown =
                        if tags.is_empty() { "no tags".to_owned() } else { tags.join(", ") };
                    say(format_args!("{}  {title}: {shown}", short_id(doc_id)));
                }
                items.push(json!({ "doc_id": doc_id, "tags": tags, "problem": null }));
            }
            Err(ClientError::Refused(problem)) if matches!(problem.status, 404 | 409) => {
                failures += 1;
                if !args.json {
                    complain(format_args!("{}: {}", short_id(doc_id), problem.detail));
                }
                items.push(json!({ "doc_id": doc_id, "tags": null, "problem": problem.detail }));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if args.json {
        say(json!({ "items": items }));
    }
    Ok(if failures == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The title of the document and the tags that it has now.
async fn change(
    client: &Client,
    doc_id: Uuid,
    args: &TagArgs,
) -> Result<(String, Vec<String>), ClientError> {
    let path = format!("/v1/documents/{doc_id}");
    let DocumentDetailView { document, .. } = client.get(&path).await?;
    let changed = changed(&document.tags, args);
    if changed == document.tags {
        return Ok((document.title, document.tags));
    }
    let tags: Tags = client.put(&format!("{path}/tags"), &Tags { tags: changed }).await?;
    Ok((document.title, tags.tags))
}

fn changed(tags: &[String], TagArgs { add, remove, set, .. }: &TagArgs) -> Vec<String> {
    if let Some(set) = set {
        return set.iter().map(|tag| tag.trim().to_owned()).filter(|tag| !tag.is_empty()).collect();
    }
    let mut changed: Vec<String> =
        tags.iter().filter(|tag| !remove.contains(tag)).cloned().collect();
    for tag in add {
        if !changed.contains(tag) {
            changed.push(tag.clone());
        }
    }
    changed
}
