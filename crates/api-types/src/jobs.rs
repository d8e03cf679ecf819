//! Jobs and queues.

use chrono::{DateTime, Utc};
use domain::JobState;
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct JobView {
    pub job_id: Uuid,
    #[serde(rename = "type")]
    #[schema(example = "DOCUMENT_PROCESSING")]
    pub kind: String,
    pub run_id: Uuid,
    pub doc_id: Uuid,
    pub doc_title: Option<String>,
    #[schema(example = "ocr")]
    pub stage: String,
    pub status: JobState,
    pub priority: i16,
    /// The number of retries so far, and the maximum.
    pub attempts: i32,
    pub max_attempts: i32,
    /// How often its lease expired because its worker died.
    pub expiries: i32,
    pub next_run_at: DateTime<Utc>,
    pub worker_id: Option<String>,
    pub lease_until: Option<DateTime<Utc>>,
    pub started_at: Option<DateTime<Utc>>,
    /// What happened.
    pub error: Option<String>,
    /// `retry`, `permanent`, `poison`, `unavailable` or `cancelled`.
    pub error_class: Option<String>,
    /// The failure, if a program can handle it: `password_required` or `wrong_password`.
    #[schema(example = "password_required")]
    pub error_code: Option<String>,
    /// What to do about it.
    pub guidance: Option<String>,
    /// Why a dead job needs no attention: its document was `deleted` or `withdrawn`, a later run `superseded` its run, or a
    /// user `discarded` it.
    pub closed_by: Option<String>,
    /// The dependency that a paused job waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
    /// `secrets_key`. The job resumes by itself when that works again.
    pub waiting_for: Option<String>,
    /// How often it was paused. Pauses do not count as attempts.
    pub pauses: i32,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// Conditions on jobs; a job must match all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct JobQuery {
    /// `DEAD` lists the dead jobs that need attention, as `/v1/jobs/dead` does.
    #[serde(default)]
    #[param(inline)]
    pub status: Option<JobState>,
    #[serde(default)]
    pub stage: Option<String>,
    #[serde(default)]
    pub run_id: Option<Uuid>,
    /// The page, counted from 1.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page: faster than a page number, and stable while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum ErrorClass {
    /// It failed until its retries were used up.
    Retry,
    /// It failed in a way that a retry cannot fix.
    Permanent,
    /// It crashed, or its workers died.
    Poison,
    /// A user cancelled its run.
    Cancelled,
}

impl ErrorClass {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Retry => "retry",
            Self::Permanent => "permanent",
            Self::Poison => "poison",
            Self::Cancelled => "cancelled",
        }
    }
}

/// Which dead jobs to requeue, of those that need attention. A job must match all conditions; at least one is required, or
/// `all`.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields, default)]
#[schema(example = json!({"stage": "ocr", "error_class": "retry"}))]
pub struct RequeueRequest {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "ocr")]
    pub stage: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error_class: Option<ErrorClass>,
    /// Inclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_after: Option<DateTime<Utc>>,
    /// Exclusive.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub created_before: Option<DateTime<Utc>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<Uuid>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc_id: Option<Uuid>,
    /// A part of the error; not case-sensitive.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "password")]
    pub error_contains: Option<String>,
    /// Every dead job that needs attention. Cannot be combined with conditions.
    pub all: bool,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RequeueResponse {
    /// How many jobs were requeued, at most 1000 per request.
    pub requeued: u32,
}

/// Which dead jobs to discard.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct DiscardRequest {
    /// The ids of dead jobs.
    #[schema(min_items = 1, max_items = 1000)]
    pub job_ids: Vec<Uuid>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DiscardResponse {
    /// How many dead jobs were discarded.
    pub discarded: u32,
    /// Jobs that were not discarded.
    pub skipped: Vec<SkippedJobView>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct SkippedJobView {
    pub job_id: Uuid,
    /// Why it was not discarded.
    pub problem: String,
}

/// The queue of a stage.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QueueView {
    pub stage: String,
    pub waiting: i64,
    /// The waiting jobs that are paused for a dependency.
    pub paused: i64,
    pub in_flight: i64,
    /// Dead jobs that need attention.
    pub dead: i64,
    /// The age of the oldest job that is ready to run.
    pub oldest_age_seconds: Option<i64>,
    /// Jobs that succeeded or failed in the last minute.
    pub finished_last_minute: i64,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct QueuesView {
    pub queues: Vec<QueueView>,
}
