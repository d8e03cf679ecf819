//! The message that carries a job, the same on every transport.

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use thiserror::Error;

use super::StageName;
use crate::{DocId, RunId, TenantId};

/// A job on its way. Carries a version, so that a newer Docket can read what an older one sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Envelope {
    pub version: u32,
    pub tenant_id: TenantId,
    pub doc_id: DocId,
    pub run_id: RunId,
    pub stage: StageName,
    /// Counted from 1.
    pub attempt: u32,
    /// After this moment nobody waits for the outcome any more.
    pub deadline: DateTime<Utc>,
    pub idempotency_key: String,
    /// W3C trace context.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trace_parent: Option<String>,
}

#[derive(Debug, Error)]
pub enum UnreadableEnvelope {
    #[error("the message is not an envelope")]
    Malformed(#[from] serde_json::Error),
    #[error("the envelope has version {found}; this Docket reads up to {}", Envelope::VERSION)]
    TooNew { found: u32 },
}

impl Envelope {
    pub const VERSION: u32 = 1;

    /// The same for the same stage and attempt of a document's run, whoever makes it.
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
        Ok(serde_json::from_str(json)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As version 1 was first written. It must stay readable for ever.
    const GOLDEN: &str = r#"{
        "version": 1,
        "tenant_id": "00000000-0000-0000-0000-000000000001",
        "doc_id": "00000000-0000-0000-0000-000000000002",
        "run_id": "00000000-0000-0000-0000-000000000003",
        "stage": "ocr",
        "attempt": 1,
        "deadline": "2025-11-01T17:50:00Z",
        "idempotency_key": "00000000-0000-0000-0000-000000000001|00000000-0000-0000-0000-000000000003|ocr|1",
        "trace_parent": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
    }"#;

    #[test]
    fn the_golden_envelope_reads_back_and_writes_the_same() {
        let envelope = Envelope::read(GOLDEN).unwrap();
        let key = Envelope::idempotency_key(
            envelope.tenant_id,
            envelope.run_id,
            &envelope.stage,
            envelope.attempt,
        );
        assert_eq!(envelope.idempotency_key, key);
        let golden: serde_json::Value = serde_json::from_str(GOLDEN).unwrap();
        assert_eq!(serde_json::to_value(&envelope).unwrap(), golden);
    }

    #[test]
    fn a_newer_envelope_is_left_alone() {
        let newer = GOLDEN.replace("\"version\": 1", "\"version\": 2");
        assert!(matches!(Envelope::read(&newer), Err(UnreadableEnvelope::TooNew { found: 2 })));
        assert!(matches!(Envelope::read("{}"), Err(UnreadableEnvelope::Malformed(_))));
    }
}
