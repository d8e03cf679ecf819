//! The commands about jobs, those that were given up among them.

use api_types::{ErrorClass, RequeueRequest};
use chrono::{DateTime, Utc};
use clap::Args;
use uuid::Uuid;

use super::{ServerArgs, at_least_one, id};

#[derive(Debug, Args)]
pub(crate) struct JobsArgs {
    /// Only jobs that are pending, processing, completed or dead.
    #[arg(long, value_parser = ["pending", "processing", "completed", "dead"], ignore_case = true)]
    pub(crate) status: Option<String>,
    /// Only jobs of this stage.
    #[arg(long)]
    pub(crate) stage: Option<String>,
    /// Only jobs of this run.
    #[arg(long, value_name = "ID", value_parser = id)]
    pub(crate) run: Option<Uuid>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    pub(crate) limit: usize,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct DeadJobsArgs {
    /// Only jobs of this stage.
    #[arg(long)]
    stage: Option<String>,
    /// Only jobs of this run.
    #[arg(long, value_name = "ID", value_parser = id)]
    run: Option<Uuid>,
    /// How many at most.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = at_least_one)]
    limit: usize,
    #[command(flatten)]
    server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
}

impl DeadJobsArgs {
    pub(crate) fn as_jobs(&self) -> JobsArgs {
        JobsArgs {
            status: Some("dead".to_owned()),
            stage: self.stage.clone(),
            run: self.run,
            limit: self.limit,
            server: self.server.clone(),
            json: self.json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RequeueArgs {
    /// The jobs' ids.
    #[arg(value_parser = id)]
    pub(crate) ids: Vec<Uuid>,
    /// Those of this stage.
    #[arg(long)]
    stage: Option<String>,
    /// Those that failed in this way: retry, permanent, poison or cancelled.
    #[arg(long, value_name = "CLASS", value_parser = error_class)]
    error_class: Option<ErrorClass>,
    /// Those made then or later: 2026-11-15, or 2026-11-15T08:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    created_after: Option<DateTime<Utc>>,
    /// Those made before.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    created_before: Option<DateTime<Utc>>,
    /// The one of this run.
    #[arg(long, value_name = "ID", value_parser = id)]
    run: Option<Uuid>,
    /// Those of this document.
    #[arg(long, value_name = "ID", value_parser = id)]
    doc: Option<Uuid>,
    /// Those whose error contains this.
    #[arg(long, value_name = "TEXT")]
    error_contains: Option<String>,
    /// Every dead job.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

impl RequeueArgs {
    pub(crate) fn filter(&self) -> RequeueRequest {
        RequeueRequest {
            stage: self.stage.clone(),
            error_class: self.error_class,
            created_after: self.created_after,
            created_before: self.created_before,
            run_id: self.run,
            doc_id: self.doc,
            error_contains: self.error_contains.clone(),
            all: self.all,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DiscardArgs {
    /// The jobs' ids.
    #[arg(required = true, value_name = "ID")]
    pub(crate) ids: Vec<Uuid>,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

fn error_class(text: &str) -> Result<ErrorClass, String> {
    let classes =
        [ErrorClass::Retry, ErrorClass::Permanent, ErrorClass::Poison, ErrorClass::Cancelled];
    let found = classes.into_iter().find(|class| class.as_str() == text);
    found.ok_or_else(|| "write retry, permanent, poison or cancelled".to_owned())
}

/// A moment, or a day's beginning in UTC.
fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    let whole =
        if text.contains(['T', ' ']) { text.to_owned() } else { format!("{text}T00:00:00Z") };
    whole
        .parse()
        .map_err(|_| "write a day as 2026-11-15, or a moment as 2026-11-15T08:00:00Z".to_owned())
}
