//! Batches and their results.

use chrono::{DateTime, Utc};
use domain::{BatchStatus, DedupResult, DocumentStatus, RunState, RunStats};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;
use uuid::Uuid;

#[derive(Debug, Default, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(example = json!({"name": "March invoices", "expected_documents": 12}))]
pub struct CreateBatchRequest {
    #[serde(default)]
    #[schema(max_length = 200)]
    pub name: Option<String>,
    /// Where to send the events of the batch.
    #[serde(default)]
    pub webhook_url: Option<String>,
    /// Which document type the documents have: the name of one type, or an object of patterns and names. A pattern with a
    /// slash is compared with the media type, others with the file name. Without a match the classifier decides.
    #[serde(default)]
    #[schema(example = json!({"application/pdf": "invoice", "*.jpg": "receipt"}))]
    pub schema_mapping: Option<Value>,
    /// Whether to skip content that is already active. Default: true.
    #[serde(default)]
    pub dedupe: Option<bool>,
    /// The stages for its documents. Default: the tenant's pipeline.
    #[serde(default)]
    pub pipeline: Option<Vec<String>>,
    /// How many files will be uploaded, including refused ones. The batch ends when the last of them is done; without this,
    /// whenever all files so far are done.
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
    /// The number of uploaded files, and how many of them were refused.
    pub offered: i32,
    pub refused: i32,
    /// Files with the same content count as one document.
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
    pub pending: i32,
}

/// A document of a batch, and its result.
#[derive(Debug, Serialize, Deserialize, ToSchema)]
pub struct BatchResultView {
    pub doc_id: Uuid,
    pub run_id: Option<Uuid>,
    pub title: String,
    pub filename: String,
    /// The status of the document.
    pub status: DocumentStatus,
    /// How its content related to known documents.
    pub dedup_result: DedupResult,
    pub run_status: Option<RunState>,
    pub error: Option<String>,
    pub stats: Option<RunStats>,
    pub added_at: DateTime<Utc>,
    pub finished_at: Option<DateTime<Utc>>,
}
