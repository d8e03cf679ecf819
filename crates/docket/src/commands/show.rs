//! `docket show`

use std::process::ExitCode;

use api_types::{DocumentDetailView, RunView, StageProgress, StageView, VersionView};
use chrono::{DateTime, Utc};
use serde_json::json;
use uuid::Uuid;

use crate::client::Session;
use crate::say::say;
use crate::table::bytes;

pub(crate) async fn run(
    server: Option<&str>,
    doc_id: Uuid,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Session::find(server)?.signed_in()?;
    let document: DocumentDetailView = client.get(&format!("/v1/documents/{doc_id}")).await?;
    if as_json {
        say(json!(document));
    } else {
        say(text(&document));
    }
    Ok(ExitCode::SUCCESS)
}

fn text(detail: &DocumentDetailView) -> String {
    let DocumentDetailView { document, versions, runs, parts } = detail;
    let mut lines = vec![format!("Document {} is {}", document.doc_id, document.status)];
    let mut line = |label: &str, value: &str| lines.push(format!("  {label:<8}  {value}"));
    line("title", &document.title);
    line("file", &document.filename);
    line("type", &document.content_type);
    line("size", &bytes(document.size_bytes));
    line("came", &format!("{} by {}", moment(document.created_at), document.source));
    if !document.tags.is_empty() {
        line("tags", &document.tags.join(", "));
    }
    if let Some(error) = &document.error {
        line("error", error);
    }
    for part in parts {
        line(&part.place, &format!("{}  {} ({})", part.doc_id, part.name, part.status));
    }
    lines.push(format!("{} of it", counted(versions.len(), "version")));
    lines.extend(versions.iter().map(version));
    lines.push(format!("Its latest {}", if runs.len() == 1 { "run" } else { "runs" }));
    lines.extend(runs.iter().flat_map(run_lines));
    lines.join("\n")
}

fn version(version: &VersionView) -> String {
    let state = match version.deactivated_at {
        Some(since) => format!("not served since {}", moment(since)),
        None if version.is_active => "served".to_owned(),
        None => "not served".to_owned(),
    };
    let VersionView { version_label, created_at, content_hash, .. } = version;
    format!("  {version_label}  {}  {state}  {content_hash}", moment(*created_at))
}

fn run_lines(run: &RunView) -> Vec<String> {
    let status = run.status;
    let took = run.finished_at.map(|end| took((end - run.created_at).num_milliseconds()));
    let took = took.map_or_else(String::new, |took| format!(" after {took}"));
    let reason =
        run.reason.as_ref().map_or_else(String::new, |reason| format!(", because: {reason}"));
    let mut lines =
        vec![format!("  {}  {}  {status}{took}{reason}", run.run_id, moment(run.created_at))];
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
    format!("    {:<12}  {:<10}  {took:>8}{progress}{retries}{error}", stage.name, stage.status)
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

fn counted(count: usize, what: &str) -> String {
    match count {
        0 => format!("No {what}"),
        1 => format!("1 {what}"),
        more => format!("{more} {what}s"),
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
    fn a_stage_says_how_far_it_is_where_it_tells() {
        let mut ocr = json!({
            "name": "ocr", "status": "processing", "started_at": null, "ended_at": null,
            "duration_ms": null, "worker_id": "w", "retries": 2, "error": null,
            "progress": { "done": 812, "total": 3000 }, "artifacts": [],
        });
        let line = |view: &serde_json::Value| stage(&serde_json::from_value(view.clone()).unwrap());
        let told = line(&ocr);
        assert_eq!(told, "    ocr           processing         –  812 of 3000  2 retries");
        ocr["progress"] = json!(null);
        assert_eq!(line(&ocr), "    ocr           processing         –  2 retries");
    }
}
