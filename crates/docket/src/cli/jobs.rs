//! The commands about jobs, and about those that failed and need attention.

use api_types::{ErrorClass, RequeueRequest};
use chrono::{DateTime, Utc};
use clap::builder::PossibleValue;
use clap::{Args, Subcommand, ValueEnum};
use domain::JobState;
use uuid::Uuid;

use super::{IdArg, ListArgs, ServerArgs};

#[derive(Debug, Subcommand)]
pub(crate) enum DlqCommand {
    /// List failed jobs that need attention, newest first.
    List(DeadJobsArgs),
    /// Show what happened to a job, and what you can do.
    Show {
        /// The job.
        #[arg(value_name = "JOB_ID")]
        id: IdArg,
        #[command(flatten)]
        server: ServerArgs,
        /// Print one JSON document instead of text.
        #[arg(long)]
        json: bool,
    },
    /// Run failed jobs again: the given ones, or all that match the conditions.
    Requeue(RequeueArgs),
    /// Remove failed jobs from the list without repairing them. Their documents stay failed and can be rerun.
    Discard(DiscardArgs),
}

#[derive(Debug, Args)]
pub(crate) struct JobsArgs {
    /// Only jobs with this status.
    #[arg(long, value_enum, ignore_case = true)]
    pub(crate) status: Option<JobStatusArg>,
    /// Only jobs of this stage.
    #[arg(long)]
    pub(crate) stage: Option<String>,
    /// Only jobs of this run.
    #[arg(long, value_name = "RUN_ID")]
    pub(crate) run: Option<IdArg>,
    #[command(flatten)]
    pub(crate) list: ListArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    pub(crate) json: bool,
}

/// A status by the word that tables show, or by the API's value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum JobStatusArg {
    Pending,
    Processing,
    Completed,
    Failed,
}

impl JobStatusArg {
    pub(crate) fn state(self) -> JobState {
        match self {
            Self::Pending => JobState::Pending,
            Self::Processing => JobState::Processing,
            Self::Completed => JobState::Completed,
            Self::Failed => JobState::Dead,
        }
    }
}

impl ValueEnum for JobStatusArg {
    fn value_variants<'a>() -> &'a [Self] {
        &[Self::Pending, Self::Processing, Self::Completed, Self::Failed]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Self::Pending => PossibleValue::new("pending").alias("queued"),
            Self::Processing => PossibleValue::new("processing"),
            Self::Completed => PossibleValue::new("completed"),
            Self::Failed => PossibleValue::new("failed").alias("dead"),
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct DeadJobsArgs {
    /// Only jobs of this stage.
    #[arg(long)]
    stage: Option<String>,
    /// Only jobs of this run.
    #[arg(long, value_name = "RUN_ID")]
    run: Option<IdArg>,
    #[command(flatten)]
    list: ListArgs,
    #[command(flatten)]
    server: ServerArgs,
    /// Print one JSON document instead of a table.
    #[arg(long)]
    json: bool,
}

impl DeadJobsArgs {
    pub(crate) fn as_jobs(&self) -> JobsArgs {
        JobsArgs {
            status: Some(JobStatusArg::Failed),
            stage: self.stage.clone(),
            run: self.run.clone(),
            list: self.list.clone(),
            server: self.server.clone(),
            json: self.json,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct RequeueArgs {
    /// The jobs.
    #[arg(value_name = "JOB_ID")]
    pub(crate) ids: Vec<IdArg>,
    /// The jobs of this stage.
    #[arg(long)]
    stage: Option<String>,
    /// The jobs with this class of error: retry, permanent, poison or cancelled.
    #[arg(long, value_name = "CLASS", value_parser = error_class)]
    error_class: Option<ErrorClass>,
    /// The jobs created at this time or later: 2026-11-15, or 2026-11-15T08:00:00Z.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    created_after: Option<DateTime<Utc>>,
    /// The jobs created before this time.
    #[arg(long, value_name = "TIME", value_parser = moment)]
    created_before: Option<DateTime<Utc>>,
    /// The job of this run.
    #[arg(long, value_name = "RUN_ID")]
    run: Option<IdArg>,
    /// The jobs of this document.
    #[arg(long, value_name = "DOC_ID")]
    doc: Option<IdArg>,
    /// The jobs whose error contains this text.
    #[arg(long, value_name = "TEXT")]
    error_contains: Option<String>,
    /// All failed jobs that need attention.
    #[arg(long)]
    all: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
    /// Print one JSON document instead of text.
    #[arg(long)]
    pub(crate) json: bool,
}

/// The ids in the conditions of a requeue, in full.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RequeueIds {
    pub(crate) run: Option<Uuid>,
    pub(crate) doc: Option<Uuid>,
}

impl RequeueArgs {
    pub(crate) fn run(&self) -> Option<&IdArg> {
        self.run.as_ref()
    }

    pub(crate) fn doc(&self) -> Option<&IdArg> {
        self.doc.as_ref()
    }

    pub(crate) fn has_conditions(&self) -> bool {
        let Self { stage, error_class, created_after, created_before, error_contains, .. } = self;
        stage.is_some()
            || error_class.is_some()
            || created_after.is_some()
            || created_before.is_some()
            || error_contains.is_some()
            || self.run.is_some()
            || self.doc.is_some()
            || self.all
    }

    pub(crate) fn filter(&self, ids: RequeueIds) -> RequeueRequest {
        RequeueRequest {
            stage: self.stage.clone(),
            error_class: self.error_class,
            created_after: self.created_after,
            created_before: self.created_before,
            run_id: ids.run,
            doc_id: ids.doc,
            error_contains: self.error_contains.clone(),
            all: self.all,
        }
    }
}

#[derive(Debug, Args)]
pub(crate) struct DiscardArgs {
    /// The jobs.
    #[arg(required = true, value_name = "JOB_ID")]
    pub(crate) ids: Vec<IdArg>,
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
    found.ok_or_else(|| "give retry, permanent, poison or cancelled".to_owned())
}

/// A time, or the start of a day in UTC.
fn moment(text: &str) -> Result<DateTime<Utc>, String> {
    let whole =
        if text.contains(['T', ' ']) { text.to_owned() } else { format!("{text}T00:00:00Z") };
    whole.parse().map_err(|_| {
        "give a day such as 2026-11-15, or a time such as 2026-11-15T08:00:00Z".to_owned()
    })
}
