//! `docket show`

use std::process::ExitCode;

use api_types::{DocumentDetailView, RunView, StageProgress, StageView, VersionView};
use chrono::{DateTime, Utc};
use serde_json::json;

use crate::cli::ShowArgs;
use crate::client::{Kind, Session, short_id};
use crate::color::{self, tone_of};
use crate::say::say;
use crate::table::bytes;

pub(crate) async fn run(args: &ShowArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let doc_id = client.resolve(Kind::Document, &args.id).await?;
    let document: DocumentDetailView = client.get(&format!("/v1/documents/{doc_id}")).await?;
    if args.json {
        say(json!(document));
    } else {
        say(text(&document));
    }
    Ok(ExitCode::SUCCESS)
}

fn text(detail: &DocumentDetailView) -> String {
    let DocumentDetailView { document, versions, runs, parts, trades } = detail;
    let status = color::document_status(document.status);
    let mut lines = vec![format!("Document {}: {}", document.doc_id, in_colour(status))];
    let mut line = |label: &str, value: &str| lines.push(format!("  {label:<8}  {value}"));
    line("Title", &document.title);
    line("File", &document.filename);
    line("Type", &document.content_type);
    line("Size", &bytes(document.size_bytes));
    if let Some(pages) = document.pages {
        line("Pages", &pages.to_string());
    }
    let added = format!("{} ({})", moment(document.created_at), source(&document.source));
    line("Added", &added);
    if !document.tags.is_empty() {
        line("Tags", &document.tags.join(", "));
    }
    if let Some(error) = &document.error {
        line("Error", error);
    }
    for part in parts {
        let label = if part.place == "within" { "Contains" } else { "Part of" };
        let status = color::document_status(part.status);
        line(label, &format!("{}  {} ({status})", short_id(part.doc_id), part.name));
    }
    for trade in trades {
        let known =
            [trade.side.clone(), trade.isin.clone(), trade.trade_date.map(|on| on.to_string())];
        let known: Vec<String> = known.into_iter().flatten().collect();
        line("Trade", &format!("{}  {}", short_id(trade.trade_id), known.join("  ")));
    }
    lines.push(format!("Versions: {}", versions.len()));
    lines.extend(versions.iter().map(version));
    lines.push("Latest runs:".to_owned());
    lines.extend(runs.iter().flat_map(run_lines));
    lines.join("\n")
}

fn version(version: &VersionView) -> String {
    let state = match version.deactivated_at {
        Some(since) => format!("replaced or withdrawn {}", moment(since)),
        None if version.is_active => "current".to_owned(),
        None => "not current".to_owned(),
    };
    let VersionView { version_label, created_at, content_hash, .. } = version;
    format!("  {version_label}  {}  {state}  {content_hash}", moment(*created_at))
}

fn run_lines(run: &RunView) -> Vec<String> {
    let status = run.status;
    let took = run.finished_at.map(|end| took((end - run.created_at).num_milliseconds()));
    let took = took.map_or_else(String::new, |took| format!(" after {took}"));
    let reason =
        run.reason.as_ref().map_or_else(String::new, |reason| format!(" (reason: {reason})"));
    let mut lines = vec![format!(
        "  {}  {}  {}{took}{reason}",
        short_id(run.run_id),
        moment(run.created_at),
        in_colour(status.as_str())
    )];
    lines.extend(run.error.iter().map(|error| format!("    {error}")));
    lines.extend(run.stages.iter().map(stage));
    lines
}

fn stage(stage: &StageView) -> String {
    let took = stage.duration_ms.map_or_else(|| "–".to_owned(), took);
    let progress = stage
        .progress
        .map_or_else(String::new, |StageProgress { done, total }| format!("  {done} of {total}"));
    let retries = match stage.retries {
        0 => String::new(),
        1 => "  1 retry".to_owned(),
        more => format!("  {more} retries"),
    };
    let error = stage.error.as_ref().map_or_else(String::new, |error| format!("  {error}"));
    // The colour is added to the padded word: its codes would count as width.
    let status = format!("{:<10}", stage.status);
    let status = status.replace(stage.status.as_str(), &in_colour(stage.status.as_str()));
    format!("    {:<12}  {status}  {took:>8}{progress}{retries}{error}", stage.name)
}

fn moment(moment: DateTime<Utc>) -> String {
    moment.format("%Y-%m-%d %H:%M:%S UTC").to_string()
}

/// `850 ms`, `12.3 s`, `4 min`.
fn took(milliseconds: i64) -> String {
    match milliseconds.max(0) {
        short @ 0..1000 => format!("{short} ms"),
        medium @ 1000..120_000 => format!("{}.{} s", medium / 1000, medium % 1000 / 100),
        long => format!("{} min", long / 60_000),
    }
}

/// A state in its colour.
fn in_colour(word: &str) -> String {
    tone_of(word).map_or_else(|| word.to_owned(), |tone| color::paint(word, tone))
}

/// How the document was added.
fn source(source: &str) -> &str {
    match source {
        "manual" => "manual upload",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{stage, took};

    #[test]
    fn times_are_short() {
        let times = [-1, 0, 999, 1000, 12_345, 119_999, 120_000].map(took);
        assert_eq!(times, ["0 ms", "0 ms", "999 ms", "1.0 s", "12.3 s", "119.9 s", "2 min"]);
    }

    #[test]
    fn a_stage_shows_its_progress_when_it_reports_it() {
        let mut ocr = json!({
            "name": "ocr", "status": "processing", "started_at": null, "ended_at": null,
            "duration_ms": null, "worker_id": "w", "retries": 2, "error": null,
            "progress": { "done": 812, "total": 3000 }, "artifacts": [],
        });
        let line = |view: &serde_json::Value| stage(&serde_json::from_value(view.clone()).unwrap());
        assert_eq!(line(&ocr), "    ocr           processing         –  812 of 3000  2 retries");
        ocr["progress"] = json!(null);
        assert_eq!(line(&ocr), "    ocr           processing         –  2 retries");
    }
}
