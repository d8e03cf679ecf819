//! `docket dlq`: jobs that were given up and wait for a person.

use std::process::ExitCode;

use anyhow::ensure;
use api_types::{DiscardRequest, DiscardResponse, JobView, RequeueRequest, RequeueResponse};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::cli::{DiscardArgs, RequeueArgs};
use crate::client::{Client, ClientError, Session};
use crate::config::ConfigError;
use crate::say::{complain, say};

pub(crate) async fn show(
    server: Option<&str>,
    job_id: Uuid,
    as_json: bool,
) -> anyhow::Result<ExitCode> {
    let client = Session::find(server)?.signed_in()?;
    let job: JobView = client.get(&format!("/v1/jobs/{job_id}")).await?;
    if as_json {
        say(json!(job));
        return Ok(ExitCode::SUCCESS);
    }
    let or_nothing = |text: &Option<String>| text.clone().unwrap_or_else(|| "–".to_owned());
    say(format_args!("Job {} is {}", job.job_id, job.status));
    for (label, value) in [
        ("stage", job.stage.clone()),
        ("document", job.doc_id.to_string()),
        ("run", job.run_id.to_string()),
        ("happened", or_nothing(&job.error)),
        ("what to do", or_nothing(&job.guidance)),
        ("closed by", or_nothing(&job.closed_by)),
        ("class", or_nothing(&job.error_class)),
        ("retries", format!("{} of {}", job.attempts, job.max_attempts)),
        ("pauses", job.pauses.to_string()),
        ("workers lost", job.expiries.to_string()),
        ("last worker", or_nothing(&job.worker_id)),
        ("made", job.created_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()),
        ("last change", job.updated_at.format("%Y-%m-%d %H:%M:%S UTC").to_string()),
    ] {
        say(format_args!("  {label:<12}  {value}"));
    }
    Ok(ExitCode::SUCCESS)
}

pub(crate) async fn requeue(args: &RequeueArgs) -> anyhow::Result<ExitCode> {
    let filter = args.filter();
    let is_open =
        serde_json::to_value(&filter)? == serde_json::to_value(RequeueRequest::default())?;
    if args.ids.is_empty() == is_open {
        let problem = if is_open {
            "say which dead jobs are meant: their ids, conditions such as --stage, or --all"
        } else {
            "ids and conditions do not go together; leave one out"
        };
        return Err(ConfigError::argument(problem).into());
    }
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    if args.ids.is_empty() {
        by_filter(&client, &filter, args.json).await
    } else {
        by_id(&client, args).await
    }
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
        0 => say("No dead job fits"),
        AT_ONCE => say("Requeued 1000 jobs; there may be more, so run this again"),
        count => say(format_args!("Requeued {count} {}", jobs(count as usize))),
    }
    Ok(ExitCode::SUCCESS)
}

/// One after the other; one that is refused does not keep the rest waiting.
async fn by_id(client: &Client, args: &RequeueArgs) -> anyhow::Result<ExitCode> {
    let mut requeued = 0;
    let mut refused: Vec<Value> = Vec::new();
    for id in &args.ids {
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
        args.ids.len()
    );
    Ok(if refused.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

pub(crate) async fn discard(args: &DiscardArgs) -> anyhow::Result<ExitCode> {
    const AT_ONCE: usize = 1000;
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let mut done = DiscardResponse { discarded: 0, skipped: Vec::new() };
    for ids in args.ids.chunks(AT_ONCE) {
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
