//! `docket dlq`: failed jobs that need attention.

use std::process::ExitCode;

use anyhow::ensure;
use api_types::{DiscardRequest, DiscardResponse, JobView, RequeueRequest, RequeueResponse};
use serde_json::{Value, json};

use crate::cli::{DiscardArgs, IdArg, RequeueArgs, RequeueIds};
use crate::client::{Client, ClientError, Kind, Session};
use crate::color::{self, tone_of};
use crate::config::ConfigError;
use crate::say::{complain, say};

pub(crate) async fn show(
    server: Option<&str>,
    job: &IdArg,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Session::find(server)?.signed_in()?;
    let job_id = client.resolve(Kind::Job, job).await?;
    let job: JobView = client.get(&format!("/v1/jobs/{job_id}")).await?;
    if as_json {
        say(json!(job));
        return Ok(ExitCode::SUCCESS);
    }
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    // A failure that was closed needs no attention.
    let is_closed = job.closed_by.is_some();
    let status = if is_closed { "Failed" } else { color::job_status(job.status) };
    let painted = tone_of(status).map_or_else(|| status.to_owned(), |it| color::paint(status, it));
    say(format_args!("Job {}: {painted}", job.job_id));
    for (label, value) in [
        ("Stage", job.stage.clone()),
        ("Document", job.doc_id.to_string()),
        ("Run", job.run_id.to_string()),
        ("Error", or_nothing(&job.error)),
        ("What to do", or_nothing(&job.guidance)),
        ("Closed by", or_nothing(&job.closed_by)),
        ("Error class", or_nothing(&job.error_class)),
        ("Retries", format!("{} of {}", job.attempts, job.max_attempts)),
        ("Pauses", job.pauses.to_string()),
        ("Workers lost", job.expiries.to_string()),
        ("Last worker", or_nothing(&job.worker_id)),
        ("Created", job.created_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()),
        ("Updated", job.updated_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()),
    ] {
        say(format_args!("  {label:<12}  {value}"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn requeue(args: &RequeueArgs) -> anyhow::Result<ExitCode> {
    if args.ids.is_empty() != args.has_conditions() {
        let problem = if args.ids.is_empty() {
            "say which jobs to requeue: give ids, conditions such as --stage, or --all"
        } else {
            "give either ids or conditions, not both"
        };
        return Err(ConfigError::argument(problem).into());
    }
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    if !args.ids.is_empty() {
        return by_id(&client, args).await;
    }
    let mut ids = RequeueIds::default();
    if let Some(run) = args.run() {
        ids.run = Some(client.resolve(Kind::Run, run).await?);
    }
    if let Some(doc) = args.doc() {
        ids.doc = Some(client.resolve(Kind::Document, doc).await?);
    }
    by_filter(&client, &args.filter(ids), args.json).await
}

async fn by_filter(
    client: &Client,
    filter: &RequeueRequest,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    const AT_ONCE: u32 = 1000;
    let done: RequeueResponse = client.post("/v1/jobs/dead/requeue", filter).await?;
    match done.requeued {
        _ if as_json => say(json!({ "requeued": done.requeued, "refused": [] })),
        0 => say("No failed job matches."),
        AT_ONCE => say("Requeued 1000 jobs. There may be more: run the command again."),
        count => say(format_args!("Requeued {count} {}", jobs(count as usize))),
    }
    Ok(ExitCode::SUCCESS)
}

/// One after the other; one that is refused does not stop the rest.
async fn by_id(client: &Client, args: &RequeueArgs) -> anyhow::Result<ExitCode> {
    let mut requeued = 0;
    let mut refused: Vec<Value> = Vec::new();
    let ids = client.resolve_all(Kind::Job, &args.ids).await?;
    for id in &ids {
        let path = format!("/v1/jobs/{id}/retry");
        match client.post::<JobView>(&path, &json!({})).await {
            Ok(_) => requeued += 1,
            Err(ClientError::Refused(problem)) if matches!(problem.status, 404 | 409) => {
                if !args.json {
                    complain(format_args!("{id}: {}", problem.detail));
                }
                refused.push(json!({ "job_id": id, "problem": problem.detail }));
            }
            Err(error) => return Err(error.into()),
        }
    }
    if args.json {
        say(json!({ "requeued": requeued, "refused": refused }));
    } else {
        say(format_args!("Requeued {requeued} {}", jobs(requeued)));
    }
    ensure!(
        args.json || refused.is_empty(),
        "{} of {} were not requeued",
        refused.len(),
        ids.len()
    );
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) async fn discard(args: &DiscardArgs) -> anyhow::Result<ExitCode> {
    const AT_ONCE: usize = 1000;
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let mut done = DiscardResponse { discarded: 0, skipped: Vec::new() };
    let ids = client.resolve_all(Kind::Job, &args.ids).await?;
    for ids in ids.chunks(AT_ONCE) {
        let request = DiscardRequest { job_ids: ids.to_vec() };
        let some: DiscardResponse = client.post("/v1/jobs/dead/discard", &request).await?;
        done.discarded += some.discarded;
        done.skipped.extend(some.skipped);
    }
    if args.json {
        say(json!(done));
    } else {
        for skipped in &done.skipped {
            complain(format_args!("{}: {}", skipped.job_id, skipped.problem));
        }
        say(format_args!("Discarded {} {}", done.discarded, jobs(done.discarded as usize)));
    }
    Ok(if done.skipped.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn jobs(count: usize) -> &'static str {
    if count == 1 { "job" } else { "jobs" }
}
