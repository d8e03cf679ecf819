//! `docket jobs` and `docket dlq list`

use std::process::ExitCode;

use api_types::{JobPage, JobView};
use chrono::{DateTime, Utc};
use domain::{Dependency, JobState};
use serde_json::json;

use super::listing::{self, Listed};
use crate::cli::{JobStatusArg, JobsArgs};
use crate::client::{IdStyle, Kind, Session};
use crate::color;
use crate::say::say;
use crate::system;
use crate::table::{Table, age, shortened};

pub(crate) async fn list(args: &JobsArgs) -> anyhow::Result<ExitCode> {
    let client = Session::find(args.server.server.as_deref())?.signed_in()?;
    let run_id = match &args.run {
        Some(run) => Some(client.resolve(Kind::Run, run).await?),
        None => None,
    };
    let listed = listing::fetch(args.list.limit(), async |limit, cursor| {
        let mut query = listing::page_query(limit, cursor);
        query.extend(args.status.map(|status| ("status", status.state().to_string())));
        query.extend(args.stage.clone().map(|stage| ("stage", stage)));
        query.extend(run_id.map(|run_id| ("run_id", run_id.to_string())));
        let page: JobPage = client.get_by("/v1/jobs", &query).await?;
        Ok((page.items, page.next_cursor))
    });
    let Listed { items, has_more } = listed.await?;
    if args.json {
        say(json!({ "items": items, "has_more": has_more }));
    } else if items.is_empty() {
        let has_other_conditions = args.stage.is_some() || args.run.is_some();
        say(match args.status {
            Some(JobStatusArg::Failed) if !has_other_conditions => "Nothing needs attention.",
            None if !has_other_conditions => "No jobs yet.",
            _ => "No job matches.",
        });
    } else {
        say(table(&items, args.list.id_style(), system::environment().clock.now()));
        listing::print_rest(items.len(), None, has_more);
    }
    Ok(ExitCode::SUCCESS)
}

fn table(jobs: &[JobView], ids: IdStyle, now: DateTime<Utc>) -> String {
    let columns = ["JOB", "DOCUMENT", "STAGE", "STATUS", ">RETRIES", ">AGE", "NOTE"];
    let mut table = Table::with_columns(columns).with_tones(3);
    for job in jobs {
        table.row([
            ids.show(job.job_id),
            ids.show(job.doc_id),
            job.stage.clone(),
            color::job_status(job.status).to_owned(),
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
        JobState::Processing => format!("by {}", job.worker_id.as_deref().unwrap_or("a worker")),
        JobState::Pending if job.waiting_for.is_some() => {
            let dependency = job.waiting_for.as_deref().unwrap_or_default();
            let shown = dependency
                .parse::<Dependency>()
                .map_or_else(|()| dependency.to_owned(), |dependency| dependency.to_string());
            format!("waiting for {shown}: {error}")
        }
        JobState::Pending if job.next_run_at > now => {
            format!("retry in {}: {error}", age(job.next_run_at - now))
        }
        JobState::Pending | JobState::Completed | JobState::Dead => error.to_owned(),
    };
    shortened(&note, MOST)
}
