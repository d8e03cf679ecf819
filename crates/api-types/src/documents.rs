//! Documents, runs and links to originals.

use chrono::{DateTime, Utc};
use domain::{
    ArtifactEntry, DedupResult, DocumentStatus, RunState, RunStats, RunType, StageStatus,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};
use uuid::Uuid;

use crate::{RunConfigView, TradeView};

/// A file and its metadata.
#[derive(Debug, ToSchema)]
pub struct UploadForm {
    #[schema(value_type = String, format = Binary)]
    pub file: Vec<u8>,
    /// Default: the file name.
    #[schema(max_length = 500, value_type = String, required = false, example = "Lease, 12 High Street")]
    pub title: Option<String>,
    /// The password of the file, if it has one.
    #[schema(max_length = 200, value_type = String, required = false)]
    pub password: Option<String>,
    /// May be repeated.
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
    /// Applies to the next file in the form, as do the password and the tags.
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

/// The result of an upload.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct IngestResponse {
    pub doc_id: Uuid,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run_id: Option<Uuid>,
    pub status: IngestStatus,
    /// How the content relates to known documents. Later versions may add values.
    #[schema(example = "new", value_type = DedupResult)]
    pub dedup_result: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "already ingested, no changes")]
    pub reason: Option<String>,
    #[schema(example = "sha256:2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824")]
    pub content_hash: String,
}

/// The result of one file of several.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct FileOutcome {
    pub filename: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub accepted: Option<IngestResponse>,
    /// Why the file was refused. This does not affect the other files.
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
    /// The failure, if a program can handle it: `password_required` or `wrong_password`.
    /// `POST /v1/documents/{id}/rerun` accepts the password.
    #[serde(default)]
    #[schema(example = "password_required")]
    pub error_code: Option<String>,
    /// The format of the file.
    #[schema(example = "pdf")]
    pub file_kind: String,
    pub source_uri: String,
    /// How it was submitted first.
    #[schema(example = "manual")]
    pub source: String,
    #[schema(example = "application/pdf")]
    pub content_type: String,
    pub size_bytes: i64,
    /// The number of pages of the active version, once a run has counted them.
    #[serde(default)]
    pub pages: Option<i32>,
    /// The active version.
    pub doc_version_id: Option<Uuid>,
    pub version_label: Option<String>,
    pub content_hash: Option<String>,
    /// Whether search and answers can use it. A document that was processed without the stage `index` is listed only.
    #[serde(default)]
    pub is_searchable: bool,
    /// Counts the edits by people, for optimistic locking.
    pub revision: i32,
    pub tags: Vec<String>,
    /// The document has a password that you have not presented. Upload it again with its password to read and find it.
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
    /// Whether search can use it while it is active.
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
    /// Its attachments, and the documents that it is an attachment of.
    pub parts: Vec<AttachmentView>,
    /// The trades of its current result. Empty when you may not read them.
    #[serde(default)]
    pub trades: Vec<TradeView>,
}

/// An attachment of this document, or a document that this one is an attachment of.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct AttachmentView {
    pub doc_id: Uuid,
    /// The name of the attachment in the containing document.
    pub name: String,
    pub title: String,
    pub status: DocumentStatus,
    /// `within` for an attachment of this document, `around` for a document that contains it.
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

/// A stage of a run.
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
    /// The progress of a running stage, if it reports any.
    pub progress: Option<StageProgress>,
    /// The dependency that a paused stage waits for: `object_store`, `database`, `local_disk`, `embedding_model`, `reader` or
    /// `secrets_key`. It resumes by itself when that works again.
    pub waiting_for: Option<String>,
    pub artifacts: Vec<ArtifactEntry>,
}

/// Progress in units of work, usually pages.
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
    /// When the run was queued.
    pub created_at: DateTime<Utc>,
    /// When its first stage began.
    pub started_at: Option<DateTime<Utc>>,
    /// The last heartbeat or change.
    pub updated_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
    pub config: RunConfigView,
    pub stats: RunStats,
    pub error: Option<String>,
    /// The failure, if a program can handle it: `password_required` or `wrong_password`.
    #[serde(default)]
    pub error_code: Option<String>,
    /// Whether the caller may read the artifacts; otherwise `artifacts` are empty.
    #[serde(default)]
    pub artifacts_readable: bool,
    pub stages: Vec<StageView>,
}

/// A condition on the status of documents.
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
    /// `None` for every status.
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

    /// The value of the query parameter.
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

/// Conditions on documents; a document must match all of them.
#[derive(Debug, Default, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct DocumentQuery {
    /// Without it, only `active` documents; `all` for every status.
    #[serde(default)]
    #[param(inline)]
    pub status: Option<DocumentStatusFilter>,
    /// The file kind: pdf, docx, …
    #[serde(default, rename = "type")]
    #[param(max_length = 20, example = "pdf")]
    pub kind: Option<String>,
    /// How it was submitted: manual, batch, attachment, …
    #[serde(default)]
    #[param(max_length = 100, example = "manual")]
    pub source: Option<String>,
    #[serde(default)]
    #[param(max_length = 200)]
    pub tag: Option<String>,
    #[serde(default)]
    pub batch_id: Option<Uuid>,
    /// A part of the title or of the file name; not case-sensitive.
    #[serde(default)]
    #[param(max_length = 200)]
    pub search: Option<String>,
    /// Inclusive.
    #[serde(default)]
    pub from: Option<DateTime<Utc>>,
    /// Exclusive.
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
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page, with the same `sort`: faster than a page number, and stable while rows are
    /// added.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// Conditions on runs; a run must match all of them.
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
    /// Rows per page.
    #[serde(default)]
    #[param(minimum = 1, maximum = 100)]
    pub limit: Option<u32>,
    /// `next_cursor` of the previous page: faster than a page number, and stable while rows are added.
    #[serde(default)]
    pub cursor: Option<String>,
}

/// The number of documents by status.
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
    /// The stages to run. Default: the tenant's pipeline.
    #[serde(default)]
    pub pipeline: Option<Vec<String>>,
    /// The first stage to run, on the output of the earlier stages of a previous run. Default: the first stage of the
    /// pipeline.
    #[serde(default)]
    pub from_stage: Option<String>,
    /// The password of the original. Default: the stored password, if there is one.
    #[serde(default)]
    #[schema(max_length = 200)]
    pub password: Option<String>,
    /// The document type, which must exist, or `auto` for the classifier's choice. Default: as in the previous run.
    #[serde(default)]
    #[schema(max_length = 63, example = "invoice")]
    pub document_type: Option<String>,
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
    /// How long the link is valid.
    #[serde(default)]
    #[param(minimum = 1, maximum = 24)]
    pub expires_in_hours: Option<u8>,
}

/// A link that works without a credential, until it expires or is revoked.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct LinkView {
    pub url: String,
    pub filename: String,
    pub expires_in_hours: u8,
    pub expires_at: DateTime<Utc>,
}
