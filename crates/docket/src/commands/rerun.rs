//! `docket rerun`

use std::collections::HashMap;
use std::fs::File;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use api_types::{RerunRequest, RerunResponse};
use reqwest::multipart::Form;
use serde_json::{Value, json};
use uuid::Uuid;

use crate::cli::RerunArgs;
use crate::client::{
    Client, ClientError, Detail, Kind, RequestRetries, RunUpdate, Session, Watch, short_id,
};
use crate::commands::ingest::{FileStream, Progress};
use crate::config::ConfigError;
use crate::say::{complain, say};
use crate::signals::StopSignals;
use crate::system;

/// What became of one document.
struct Rerun {
    doc_id: Uuid,
    run_id: Option<Uuid>,
    status: &'static str,
    problem: Option<String>,
}

pub(crate) async fn run(args: &RerunArgs) -> anyhow::Result<ExitCode> {
    if args.file.is_some() && args.ids.len() != 1 {
        let problem = "--file is the updated original of one document: give one id";
        return Err(ConfigError::argument(problem).into());
    }
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let mut signals = StopSignals::listen().context("cannot listen for signals")?;
    let watch =
        if args.wait { Some(Watch::start(client.clone(), Detail::EndsOnly).await) } else { None };
    let ids = client.resolve_all(Kind::Document, &args.ids).await?;
    let mut reruns = begin(&client, &ids, args).await?;
    let ended = match watch {
        None => Ok(true),
        Some(watch) => tokio::select! {
            ended = wait(watch, &mut reruns) => ended.map(|()| true),
            () = signals.next() => Ok(false),
        },
    };
    print(&reruns, args.json);
    let all_well = reruns.iter().all(|rerun| rerun.problem.is_none());
    Ok(match ended? {
        false => ExitCode::from(130),
        true if all_well => ExitCode::SUCCESS,
        true => ExitCode::FAILURE,
    })
}

/// One after the other; one that is refused does not stop the rest.
async fn begin(client: &Client, ids: &[Uuid], args: &RerunArgs) -> Result<Vec<Rerun>, ClientError> {
    let request = RerunRequest {
        reason: args.reason.clone(),
        pipeline: None,
        from_stage: args.from.clone(),
        password: args.password.clone(),
        document_type: args.document_type.clone(),
    };
    let mut reruns = Vec::new();
    for &doc_id in ids {
        let path = format!("/v1/documents/{doc_id}/rerun");
        let begun: Result<RerunResponse, ClientError> = match &args.file {
            Some(file) => update(client, &path, file, args).await,
            None => client.post(&path, &request).await,
        };
        reruns.push(match begun {
            Ok(begun) => {
                Rerun { doc_id, run_id: Some(begun.run_id), status: "queued", problem: None }
            }
            Err(ClientError::Refused(problem))
                if !matches!(problem.status, 400 | 401 | 403 | 422) =>
            {
                let problem = Some(problem.detail);
                Rerun { doc_id, run_id: None, status: "refused", problem }
            }
            Err(error) => return Err(error),
        });
    }
    Ok(reruns)
}

/// Sends the updated original, until there is an answer; under one key, so that it has its effect once.
async fn update(
    client: &Client,
    path: &str,
    file: &Path,
    args: &RerunArgs,
) -> Result<RerunResponse, ClientError> {
    let key = system::environment().ids.next().to_string();
    let mut retries = RequestRetries::default();
    loop {
        let opened = File::open(file).and_then(|opened| {
            let name = file.file_name().unwrap_or(file.as_os_str()).to_string_lossy().into_owned();
            FileStream::part(Arc::new(opened), name, Arc::new(Progress::hidden()))
        });
        let (part, reading) =
            opened.map_err(|source| ClientError::Unreadable { file: file.to_owned(), source })?;
        let mut form = Form::new();
        let texts = [
            ("reason", &args.reason),
            ("password", &args.password),
            ("document_type", &args.document_type),
        ];
        for (name, value) in texts {
            if let Some(value) = value {
                form = form.text(name, value.clone());
            }
        }
        let sent = || reading.sent();
        match client.upload_at_length(path, form.part("file", part), &key, sent).await {
            Err(error) => match retries.wait_after(&error) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => return Err(error),
            },
            answered => return answered,
        }
    }
}

async fn wait(mut watch: Watch, reruns: &mut [Rerun]) -> Result<(), ClientError> {
    let mut places = HashMap::new();
    for (place, rerun) in reruns.iter().enumerate() {
        if let Some(run_id) = rerun.run_id {
            places.insert(run_id, place);
            watch.add(run_id);
        }
    }
    while !places.is_empty() {
        let (run_id, status, problem) = match watch.next().await {
            None => return Ok(()),
            Some(RunUpdate::WatchFailed(error)) => return Err(error),
            Some(RunUpdate::Started(_) | RunUpdate::At { .. } | RunUpdate::Paused { .. }) => {
                continue;
            }
            Some(RunUpdate::Succeeded(run_id)) => (run_id, "succeeded", None),
            Some(RunUpdate::Failed { run_id, error }) => (run_id, "failed", Some(error)),
        };
        if let Some(place) = places.remove(&run_id) {
            reruns[place].status = status;
            reruns[place].problem = problem;
        }
    }
    Ok(())
}

fn print(reruns: &[Rerun], as_json: bool) {
    if as_json {
        let items: Vec<Value> = reruns
            .iter()
            .map(|rerun| {
                let Rerun { doc_id, run_id, status, problem } = rerun;
                json!({ "doc_id": doc_id, "run_id": run_id, "status": status, "problem": problem })
            })
            .collect();
        say(json!({ "items": items }));
        return;
    }
    for Rerun { doc_id, run_id, status, problem } in reruns {
        let doc_id = short_id(*doc_id);
        match (problem, run_id) {
            (Some(problem), _) => complain(format_args!("{doc_id}: {problem}")),
            (None, Some(run_id)) => {
                say(format_args!("{status:<9}  {doc_id}  run {}", short_id(*run_id)));
            }
            (None, None) => {}
        }
    }
}
