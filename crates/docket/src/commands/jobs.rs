//! `docket jobs` and `docket dlq list`

use std::process::ExitCode;

use api_types::{JobPage, JobView};
use chrono::{DateTime, Utc};
use domain::{Dependency, JobState};
use serde_json::json;

use crate::cli::JobsArgs;
use crate::client::{Client, ClientError, Session};
use crate::say::say;
use crate::system;
use crate::table::{Table, age, shortened};

pub(crate) async fn list(args: &JobsArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let jobs = fetch(&client, args).await?;
    if args.json {
        say(json!({ "items": jobs }));
    } else if jobs.is_empty() {
        say("There is no such job");
    } else {
        say(table(&jobs, system::environment().clock.now()));
    }
    Ok(ExitCode::SUCCESS)
}

/// Newest first, page by page.
async fn fetch(client: &Client, args: &JobsArgs) -> Result<Vec<JobView>, ClientError> {
    const PAGE: usize = 100;
    let mut jobs: Vec<JobView> = Vec::new();
    let mut cursor: Option<String> = None;
    loop {
        let wanted = (args.limit - jobs.len()).min(PAGE);
        let mut query = vec![("limit", wanted.to_string())];
        query.extend(args.status.as_ref().map(|status| ("status", status.to_uppercase())));
        query.extend(args.stage.clone().map(|stage| ("stage", stage)));
        query.extend(args.run.map(|run| ("run_id", run.to_string())));
        query.extend(cursor.map(|cursor| ("cursor", cursor)));
        let page: JobPage = client.get_by("/v1/jobs", &query).await?;
        jobs.extend(page.items);
        cursor = page.next_cursor;
        if cursor.is_none() || jobs.len() >= args.limit {
            return Ok(jobs);
        }
    }
}

fn table(jobs: &[JobView], now: DateTime<Utc>) -> String {
    let mut table = Table::with_columns(["JOB", "STAGE", "STATUS", ">RETRIES", ">AGE", "NOTE"]);
    for job in jobs {
        table.row([
            job.job_id.to_string(),
            job.stage.clone(),
            job.status.to_string(),
            format!("{}/{}", job.attempts, job.max_attempts),
            age(now - job.created_at),
            note(job, now),
        ]);
    }
    table.text()
}

fn note(job: &JobView, now: DateTime<Utc>) -> String {
    const MOST: usize = 70;
    let error = job.error.as_deref().unwrap_or_default();
    let note = match job.status {
        JobState::Processing => format!("by {}", job.worker_id.as_deref().unwrap_or("somebody")),
        JobState::Pending if job.waiting_for.is_some() => {
            let dependency = job.waiting_for.as_deref().unwrap_or_default();
            let shown = dependency
                .parse::<Dependency>()
                .map_or_else(|()| dependency.to_owned(), |dependency| dependency.to_string());
            format!("waiting for {shown}: {error}")
        }
        JobState::Pending if job.next_run_at > now => {
            format!("again in {}: {error}", age(job.next_run_at - now))
        }
        JobState::Pending | JobState::Completed | JobState::Dead => error.to_owned(),
    };
    shortened(&note, MOST)
}
