//! Events: the rows of the outbox.
//!
//! Topic and payload are stored, and sent to clients as stored. Golden files (`tests/golden/events`) hold both: fields may
//! be added, but not renamed or removed without a new version.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::{BatchId, Dependency, DocId, FailureCode, ResultState, RunId, StageName};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "topic", content = "payload")]
pub enum Event {
    #[serde(rename = "document.queued")]
    DocumentQueued { doc_id: DocId, run_id: RunId, title: String },
    /// A worker claimed the first job of the run.
    #[serde(rename = "document.started")]
    DocumentStarted { doc_id: DocId, run_id: RunId },
    #[serde(rename = "document.paused")]
    DocumentPaused { doc_id: DocId, run_id: RunId, stage: StageName, waiting_for: Dependency },
    /// All stages of the run succeeded.
    #[serde(rename = "document.completed")]
    DocumentCompleted(RunEnd),
    /// A job of the run is dead, or the run was cancelled.
    #[serde(rename = "document.failed")]
    DocumentFailed(RunEnd),
    /// The document's title changed: for everyone, or only for one `owner`. Nobody else receives that event.
    #[serde(rename = "document.renamed")]
    DocumentRenamed {
        doc_id: DocId,
        title: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        owner: Option<String>,
    },
    /// The document has a new result, which is current, or waits for promotion because a person reviewed the current one.
    #[serde(rename = "document.result_created")]
    DocumentResultCreated { doc_id: DocId, run_id: RunId, result_version: u32, state: ResultState },
    /// All documents of the batch succeeded.
    #[serde(rename = "batch.completed")]
    BatchCompleted(BatchEnd),
    /// All documents of the batch have ended, and some failed or were refused.
    #[serde(rename = "batch.partial")]
    BatchPartial(BatchEnd),
    /// The list of dead jobs has changed. The event names no document, because subscribers may not see a deleted one.
    #[serde(rename = "dead_jobs.changed")]
    DeadJobsChanged {},
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunEnd {
    pub doc_id: DocId,
    pub run_id: RunId,
    /// The stage that ended it, if one did.
    pub stage: Option<StageName>,
    pub error: Option<String>,
    pub code: Option<FailureCode>,
}

/// How the documents of a batch ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BatchEnd {
    pub batch_id: BatchId,
    pub documents: i32,
    pub succeeded: i32,
    pub failed: i32,
    pub refused: i32,
}

impl Event {
    /// The version of all payloads.
    pub const VERSION: u32 = 1;

    /// Topic and payload as they are stored.
    pub fn stored(&self) -> (String, Value) {
        let mut whole = json!(self);
        let topic = whole["topic"].as_str().unwrap_or_default().to_owned();
        let mut payload = whole["payload"].take();
        payload["version"] = json!(Self::VERSION);
        (topic, payload)
    }

    /// Whether only the event stream carries it. Webhooks are sent for the other events.
    pub fn is_stream_only(&self) -> bool {
        match self {
            Self::DocumentQueued { .. }
            | Self::DocumentStarted { .. }
            | Self::DocumentPaused { .. }
            | Self::DocumentRenamed { .. }
            | Self::DocumentResultCreated { .. }
            | Self::DeadJobsChanged {} => true,
            Self::DocumentCompleted(_)
            | Self::DocumentFailed(_)
            | Self::BatchCompleted(_)
            | Self::BatchPartial(_) => false,
        }
    }
}
