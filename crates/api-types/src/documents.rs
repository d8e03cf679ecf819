//! Documents, runs, batches and links to originals.

use chrono::{DateTime, Utc};
use domain::{
    ArtifactEntry, BatchStatus, DedupResult, DocumentStatus, RunState, RunStats, RunType,
    StageStatus,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::RunConfigView;

/// A file and what is said of it.
#[derive(Debug, ToSchema)]
pub struct UploadForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// The file's name when left out.
    #[schema(max_length = 500, value_type = String, required = false, example = "Lease, 12 High Street")]
    pub title: Option<String>,
    /// Opens the file, where it is locked.
    #[schema(max_length = 200, value_type = String, required = false)]
    pub password: Option<String>,
    /// Any number of them.
    #[schema(max_items = 50, required = false, example = json!(["lease"]))]
    pub tag: Vec<String>,
}

/// The bytes of a file.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
pub struct FileContent(pub Vec<u8>);

/// Any number of files.
#[derive(Debug, ToSchema)]
pub struct UploadManyForm {
    #[schema(value_type = Vec<String>, format = Binary)]
    pub file: Vec<Vec<u8>>,
    /// Of the file that comes next, like the password and the tags.
    #[schema(max_length = 500, value_type = String, required = false)]
    pub title: Option<String>,
    #[schema(max_length = 200, value_type = String, required = false)]
    pub password: Option<String>,
    #[schema(max_items = 50, required = false)]
    pub tag: Vec<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum IngestStatus {
    Queued,
    Running,
    Skipped,
}

/// What became of an upload.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct IngestResponse {
    pub doc_id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<Uuid>,
    pub status: IngestStatus,
    /// What handing it in came to. Later versions may tell more kinds apart.
    #[schema(example = "new", value_type = DedupResult)]
    pub dedup_result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "already ingested, no changes")]
    pub reason: Option<String>,
    #[schema(example = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")]
    pub content_hash: String,
}

/// What became of one file of several.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FileOutcome {
    pub filename: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<IngestResponse>,
    /// Why it was not accepted; the others were all the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<FileProblem>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FileProblem {
    pub code: String,
    pub detail: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchUploadResponse {
    pub batch_id: Uuid,
    pub files: Vec<FileOutcome>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentView {
    pub doc_id: Uuid,
    pub title: String,
    pub filename: String,
    #[schema(example = "active")]
    pub status: DocumentStatus,
    /// Why the last run failed.
    pub error: Option<String>,
    /// Which failure that is, where a program can do something about it: `password_required` or `wrong_password`.
    /// `POST /v1/documents/{id}/rerun` takes the password.
    #[serde(default)]
    #[schema(example = "password_required")]
    pub error_code: Option<String>,
    /// The format of the file.
    #[schema(example = "pdf")]
    pub file_kind: String,
    pub source_uri: String,
    /// Which way it came in first.
    #[schema(example = "manual")]
    pub source: String,
    #[schema(example = "application/pdf")]
    pub content_type: String,
    pub size_bytes: i64,
    /// Of the version that is served, once a run has counted them.
    #[serde(default)]
    pub pages: Option<i32>,
    /// Of the active version.
    pub doc_version_id: Option<Uuid>,
    pub version_label: Option<String>,
    pub content_hash: Option<String>,
    /// Searches and answers can use it. A document that was processed without the stage `index` is listed only.
    #[serde(default)]
    pub is_searchable: bool,
    /// Counts the edits by people, for optimistic locking.
    pub revision: i32,
    pub tags: Vec<String>,
    /// It has a password that you have not presented: upload it again with its password to read and find it.
    #[serde(default)]
    pub content_locked: bool,
    /// Its first page can be shown as a small image: `GET /v1/documents/{id}/pages/1.png?width=320`. False for files
    /// without pages and for documents with masks.
    #[serde(default)]
    pub has_page_images: bool,
    /// How far the run is that processes the document; null when no run does.
    #[serde(default)]
    pub progress: Option<DocumentProgressView>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
}

/// How far a run is.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentProgressView {
    pub run_id: Uuid,
    /// The stage that is running or is next; null between two stages.
    #[schema(example = "ocr")]
    pub stage: Option<String>,
    /// A worker runs the stage; otherwise the stage waits for one.
    pub is_running: bool,
    /// How many pages or other parts the stage has finished, and how many there are, as far as it reports them.
    pub done: Option<i32>,
    pub total: Option<i32>,
    /// The dependency that the stage is paused for.
    #[schema(example = "object_store")]
    pub waiting_for: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct VersionView {
    pub doc_version_id: Uuid,
    pub run_id: Uuid,
    pub version_label: String,
    pub content_hash: String,
    pub is_active: bool,
    /// Searches can use it while it is active.
    #[serde(default)]
    pub is_searchable: bool,
    pub created_at: DateTime<Utc>,
    pub deactivated_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct DocumentDetailView {
    #[serde(flatten)]
    pub document: DocumentView,
    pub versions: Vec<VersionView>,
    /// The latest ones, newest first.
    pub runs: Vec<RunView>,
    /// What came within it as attachments, and what it came within.
    pub parts: Vec<PartView>,
}

/// A document that came within this one, or the other way round.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct PartView {
    pub doc_id: Uuid,
    /// What the inner one is called in the outer one.
    pub name: String,
    pub title: String,
    pub status: DocumentStatus,
    /// `within` this document, or `around` it.
    #[schema(example = "within")]
    pub place: String,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"tags": ["lease", "2026"]}))]
pub struct Tags {
    #[schema(max_items = 50)]
    pub tags: Vec<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"title": "Lease of 12 Elm Street"}))]
pub struct DocumentTitle {
    /// One line. Spaces around it are removed.
    #[schema(min_length = 1, max_length = 300)]
    pub title: String,
}

/// What became of a stage, or where it stands.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct StageView {
    pub name: String,
    pub status: StageStatus,
    pub started_at: Option<DateTime<Utc>>,
    pub ended_at: Option<DateTime<Utc>>,
    pub duration_ms: Option<i64>,
    pub worker_id: Option<String>,
    pub retries: i32,
    pub error: Option<String>,
    /// Of one that is being worked on, where it tells.
    pub progress: Option<StageProgress>,
    /// What a stage that is paused waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
    /// `secrets_key`. It goes on by itself when that works again.
    pub waiting_for: Option<String>,
    pub artifacts: Vec<ArtifactEntry>,
}

/// So many of so many: pages, mostly.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StageProgress {
    #[schema(example = 812)]
    pub done: i32,
    #[schema(example = 3000)]
    pub total: i32,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RunView {
    pub run_id: Uuid,
    pub tenant_id: Uuid,
    pub doc_id: Uuid,
    pub status: RunState,
    /// What started it.
    pub run_type: RunType,
    pub pipeline: Vec<String>,
    pub parent_run_id: Option<Uuid>,
    pub reason: Option<String>,
    pub batch_id: Option<Uuid>,
    /// When it was accepted, when the first stage began, the last sign of life, and the end.
    pub created_at: DateTime<Utc>,
    pub started_at: Option<DateTime<Utc>>,
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub config: RunConfigView,
    pub stats: RunStats,
    pub error: Option<String>,
    /// Which failure that is, where a program can do something about it: `password_required` or `wrong_password`.
    #[serde(default)]
    pub error_code: Option<String>,
    /// Whether the caller may read what its stages left; otherwise `artifacts` are empty.
    #[serde(default)]
    pub artifacts_readable: bool,
    pub stages: Vec<StageView>,
}

/// Which documents are wanted by where they stand.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentStatusFilter {
    #[default]
    Active,
    Uploaded,
    Processing,
    Failed,
    Inactive,
    Rejected,
    All,
}

impl DocumentStatusFilter {
    /// `None` for all of them.
    pub fn status(self) -> Option<DocumentStatus> {
        match self {
            Self::Active => Some(DocumentStatus::Active),
            Self::Uploaded => Some(DocumentStatus::Uploaded),
            Self::Processing => Some(DocumentStatus::Processing),
            Self::Failed => Some(DocumentStatus::Failed),
            Self::Inactive => Some(DocumentStatus::Inactive),
            Self::Rejected => Some(DocumentStatus::Rejected),
            Self::All => None,
        }
    }
}

/// The order of a list of documents.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum DocumentSort {
    #[default]
    Newest,
    Oldest,
    Title,
    TitleDesc,
    Updated,
}

impl DocumentSort {
    pub const ALL: [Self; 5] =
        [Self::Newest, Self::Oldest, Self::Title, Self::TitleDesc, Self::Updated];

    /// As it is spelled in a query.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newest => "newest",
            Self::Oldest => "oldest",
            Self::Title => "title",
            Self::TitleDesc => "title_desc",
            Self::Updated => "updated",
        }
    }
}

/// Which documents are wanted; all conditions hold together.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DocumentQuery {
    /// Only those that are served (`active`) when left out; `all` for every state.
    #[serde(default)]
    #[param(inline)]
    pub status: Option<DocumentStatusFilter>,
    /// The kind of file: pdf, docx, …
    #[serde(default, rename = "type")]
    #[param(max_length = 20, example = "pdf")]
    pub kind: Option<String>,
    /// Which way it came in: manual, batch, attachment, …
    #[serde(default)]
    #[param(max_length = 100, example = "manual")]
    pub source: Option<String>,
    #[serde(default)]
    #[param(max_length = 200)]
    pub tag: Option<String>,
    #[serde(default)]
    pub batch_id: Option<Uuid>,
    /// A part of the title or of the file's name, in capitals or not.
    #[serde(default)]
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Not before this moment.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Before this moment.
    #[serde(default)]
    pub to: Option<DateTime<Utc>>,
    /// `newest` (the latest upload first, when left out), `oldest`, `title` (A to Z, in capitals or not), `title_desc`
    /// or `updated` (the latest change first).
    #[serde(default)]
    #[param(inline)]
    pub sort: Option<DocumentSort>,
    /// The page, counted from 1.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows a page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before: quicker than a page number, and steady while rows are added. It belongs to the
    /// `sort` it was made with.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Which runs are wanted; all conditions hold together.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct RunQuery {
    #[serde(default)]
    #[param(inline)]
    pub status: Option<RunState>,
    #[serde(default)]
    pub doc_id: Option<Uuid>,
    /// The page, counted from 1.
    #[serde(default)]
    #[param(minimum = 1, maximum = 1_000_000)]
    pub page: Option<u32>,
    /// Rows a page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the page before: quicker than a page number, and steady while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// How many documents there are, by where they stand.
#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
pub struct DocumentSummary {
    pub total: i64,
    pub uploaded: i64,
    pub processing: i64,
    pub active: i64,
    pub failed: i64,
    pub inactive: i64,
    pub rejected: i64,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"reason": "OCR was improved", "from_stage": "ocr"}))]
pub struct RerunRequest {
    #[serde(default)]
    #[schema(max_length = 1000)]
    pub reason: Option<String>,
    /// The stages to pass; the usual ones when left out.
    #[serde(default)]
    pub pipeline: Option<Vec<String>>,
    /// The stage to begin with, on what the stages before it left the last time; the first one when
    /// left out.
    #[serde(default)]
    pub from_stage: Option<String>,
    /// Opens the original; the one that was given before when left out.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub password: Option<String>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct RerunResponse {
    pub doc_id: Uuid,
    pub run_id: Uuid,
    pub status: RunState,
}

#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct LinkQuery {
    /// How long the link lasts.
    #[serde(default)]
    #[param(minimum = 1, maximum = 24)]
    pub expires_in_hours: Option<u8>,
}

/// A link that whoever has it can follow, until it expires or is revoked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LinkView {
    pub url: String,
    pub filename: String,
    pub expires_in_hours: u8,
    pub expires_at: DateTime<Utc>,
}

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "March invoices", "expected_documents": 12}))]
pub struct CreateBatchRequest {
    #[serde(default)]
    #[schema(max_length = 200)]
    pub name: Option<String>,
    /// Where to tell what became of it.
    #[serde(default)]
    pub webhook_url: Option<String>,
    #[serde(default)]
    pub schema_mapping: Option<Value>,
    /// Whether content that is served already is left alone. Yes, when left out.
    #[serde(default)]
    pub dedupe: Option<bool>,
    /// The stages its documents pass; the usual ones when left out.
    #[serde(default)]
    pub pipeline: Option<Vec<String>>,
    /// How many files will come, refused ones included. The batch is over with the last of them;
    /// without this, whenever all that came so far are done.
    #[serde(default)]
    #[schema(minimum = 1)]
    pub expected_documents: Option<i32>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchView {
    pub batch_id: Uuid,
    pub name: Option<String>,
    pub status: BatchStatus,
    pub webhook_url: Option<String>,
    pub schema_mapping: Option<Value>,
    pub dedupe: bool,
    pub pipeline: Option<Vec<String>>,
    pub expected_documents: Option<i32>,
    pub counts: BatchCounts,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}

#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchCounts {
    /// Files that were offered, and those among them that were refused.
    pub offered: i32,
    pub refused: i32,
    /// The same content twice is one document.
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
    pub pending: i32,
}

/// A document of a batch, and what became of it.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResultView {
    pub doc_id: Uuid,
    pub run_id: Option<Uuid>,
    pub title: String,
    pub filename: String,
    /// Where the document stands.
    pub status: DocumentStatus,
    /// What handing it in came to.
    pub dedup_result: DedupResult,
    pub run_status: Option<RunState>,
    pub error: Option<String>,
    pub stats: Option<RunStats>,
    pub added_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}
