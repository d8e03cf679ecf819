//! The message that names a job, the same on every transport.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::StageName;
use crate::{DocId, RunId, TenantId};

/// Names one stage of a run for a worker. Whether the job may run is decided by its row in the database when it is
/// claimed. The version lets a newer Docket read what an older one sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    pub version: u32,
    pub job_type: JobType,
    pub tenant_id: TenantId,
    pub doc_id: DocId,
    pub run_id: RunId,
    pub stage: StageName,
    /// Counted from 1.
    pub attempt: u32,
    /// When this attempt should have ended. The lease decides whether it may still run.
    pub deadline: DateTime<Utc>,
    pub idempotency_key: String,
    /// W3C trace context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_parent: Option<String>,
    #[serde(flatten)]
    pub input: JobInput,
    /// When the document was submitted.
    pub submitted_at: DateTime<Utc>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobType {
    UploadIngest,
}

/// The document of the run. Messages never contain its bytes: `upload_uri` says where they are.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobInput {
    pub upload_uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Such as `pdf`. The message format calls it `source_type`, which means something else in [`crate::RunConfig`].
    #[serde(rename = "source_type")]
    pub file_kind: String,
    pub source_uri: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub original_filename: Option<String>,
    /// `sha256:` and the hash.
    pub content_hash: String,
    /// Absent when there is no embedding model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_model: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedding_dim: Option<u32>,
}

#[derive(Debug, Error)]
pub enum UnreadableEnvelope {
    #[error("the message is not an envelope")]
    Malformed(#[from] serde_json::Error),
    #[error("the envelope has version {found}; this Docket reads up to {}", Envelope::VERSION)]
    TooNew { found: u32 },
    #[error("the envelope's idempotency key is not that of its run, stage and attempt")]
    WrongKey,
}

impl Envelope {
    pub const VERSION: u32 = 1;

    /// The same for the same run, stage and attempt, whichever process computes it.
    pub fn idempotency_key(
        tenant_id: TenantId,
        run_id: RunId,
        stage: &StageName,
        attempt: u32,
    ) -> String {
        format!("{tenant_id}|{run_id}|{stage}|{attempt}")
    }

    pub fn read(json: &str) -> Result<Self, UnreadableEnvelope> {
        #[derive(Deserialize)]
        struct Versioned {
            version: u32,
        }
        let Versioned { version } = serde_json::from_str(json)?;
        if version > Self::VERSION {
            return Err(UnreadableEnvelope::TooNew { found: version });
        }
        let envelope: Self = serde_json::from_str(json)?;
        let Self { tenant_id, run_id, stage, attempt, .. } = &envelope;
        let key = Self::idempotency_key(*tenant_id, *run_id, stage, *attempt);
        if envelope.idempotency_key == key {
            Ok(envelope)
        } else {
            Err(UnreadableEnvelope::WrongKey)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Version 1. It must stay readable.
    const GOLDEN: &str = r#"{
        "version": 1,
        "job_type": "upload_ingest",
        "tenant_id": "00000000-0000-0000-0000-000000000001",
        "doc_id": "00000000-0000-0000-0000-000000000002",
        "run_id": "00000000-0000-0000-0000-000000000003",
        "stage": "ocr",
        "attempt": 1,
        "deadline": "2025-11-01T17:50:00Z",
        "idempotency_key": "00000000-0000-0000-0000-000000000001|00000000-0000-0000-0000-000000000003|ocr|1",
        "trace_parent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "upload_uri": "file:///data/uploads/foo.pdf",
        "title": "IT Security Policy",
        "source_type": "pdf",
        "source_uri": "upload://sha256:abcdef",
        "original_filename": "foo.pdf",
        "content_hash": "sha256:abcdef",
        "embedding_model": "BAAI/bge-base-en-v1.5",
        "embedding_dim": 768,
        "submitted_at": "2026-02-15T00:00:00Z"
    }"#;

    #[test]
    fn the_golden_envelope_reads_back_and_writes_the_same() {
        let envelope = Envelope::read(GOLDEN).unwrap();
        let golden: serde_json::Value = serde_json::from_str(GOLDEN).unwrap();
        assert_eq!(serde_json::to_value(&envelope).unwrap(), golden);
    }

    #[test]
    fn a_newer_envelope_is_refused() {
        let newer = GOLDEN.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(Envelope::read(&newer), Err(UnreadableEnvelope::TooNew { found: 2 })));
        assert!(matches!(Envelope::read("{}"), Err(UnreadableEnvelope::Malformed(_))));
    }

    #[test]
    fn a_key_of_another_attempt_is_refused() {
        let other = GOLDEN.replace("\"attempt\": 1", "\"attempt\": 2");
        assert!(matches!(Envelope::read(&other), Err(UnreadableEnvelope::WrongKey)));
    }
}
