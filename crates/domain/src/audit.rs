//! The types of the audit log: actions, entries, records, and the faults that verifying its hash chain finds.

use std::fmt;

use chrono::{DateTime, Utc};
use serde_json::Value;
use uuid::Uuid;

use crate::{ApiKeyId, AuditId, BatchId, CheckpointFault, DocId, JobId, RunId, TenantId, UserId};

macro_rules! audit_actions {
    ($($variant:ident = $name:literal),+ $(,)?) => {
        /// Everything that the log records, by its stored name.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum AuditAction { $($variant),+ }

        impl AuditAction {
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $name),+ }
            }
        }
    };
}

audit_actions! {
    TenantCreated = "TENANT_CREATED",
    TenantLimitsChanged = "TENANT_LIMITS_CHANGED",
    TenantRulesChanged = "TENANT_RULES_CHANGED",
    DocumentTypeChanged = "DOCUMENT_TYPE_CHANGED",
    DocumentTypeWithdrawn = "DOCUMENT_TYPE_WITHDRAWN",
    UserCreated = "USER_CREATED",
    UserUpdated = "USER_UPDATED",
    UserDeactivated = "USER_DEACTIVATED",
    UserLogin = "USER_LOGIN",
    UserLoginFailed = "USER_LOGIN_FAILED",
    UserLogout = "USER_LOGOUT",
    ApiKeyCreated = "API_KEY_CREATED",
    ApiKeyRevoked = "API_KEY_REVOKED",
    DocumentUploadQueued = "DOCUMENT_UPLOAD_QUEUED",
    DocumentRerunQueued = "DOCUMENT_RERUN_QUEUED",
    DocumentDeactivated = "DOCUMENT_DEACTIVATED",
    DocumentDeleted = "DOCUMENT_DELETED",
    DocumentTagged = "DOCUMENT_TAGGED",
    OriginalLinkCreated = "ORIGINAL_LINK_CREATED",
    OriginalRead = "ORIGINAL_READ",
    DocumentRenamed = "DOCUMENT_RENAMED",
    DocumentRestored = "DOCUMENT_RESTORED",
    LayoutLearnt = "LAYOUT_LEARNT",
    LayoutMemoryDeleted = "LAYOUT_MEMORY_DELETED",
    OwnerAdded = "OWNER_ADDED",
    BatchCreated = "BATCH_CREATED",
    JobCreated = "JOB_CREATED",
    JobStarted = "JOB_STARTED",
    JobCompleted = "JOB_COMPLETED",
    JobRetryScheduled = "JOB_RETRY_SCHEDULED",
    JobReleased = "JOB_RELEASED",
    JobFailed = "JOB_FAILED",
    JobRetriedByAdmin = "JOB_RETRIED_BY_ADMIN",
    JobDiscarded = "JOB_DISCARDED",
    RunCancelled = "RUN_CANCELLED",
    RunClosed = "RUN_CLOSED",
    ResultCreated = "RESULT_CREATED",
    ResultPromoted = "RESULT_PROMOTED",
}

impl fmt::Display for AuditAction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The object that an audit row is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entity {
    Tenant(TenantId),
    User(UserId),
    ApiKey(ApiKeyId),
    Job(JobId),
    Run(RunId),
    Document(DocId),
    Batch(BatchId),
}

impl Entity {
    pub fn kind(self) -> &'static str {
        match self {
            Self::Tenant(_) => "tenant",
            Self::User(_) => "user",
            Self::ApiKey(_) => "api_key",
            Self::Job(_) => "job",
            Self::Run(_) => "run",
            Self::Document(_) => "document",
            Self::Batch(_) => "batch",
        }
    }

    pub fn id(self) -> Uuid {
        match self {
            Self::Tenant(id) => id.0,
            Self::User(id) => id.0,
            Self::ApiKey(id) => id.0,
            Self::Job(id) => id.0,
            Self::Run(id) => id.0,
            Self::Document(id) => id.0,
            Self::Batch(id) => id.0,
        }
    }
}

/// A row to be written; the store adds the actor and the time.
#[derive(Clone, Debug)]
pub struct AuditEntry {
    pub action: AuditAction,
    pub entity: Entity,
    pub detail: Value,
}

/// A stored row.
#[derive(Clone, Debug, PartialEq)]
pub struct AuditRecord {
    pub audit_id: AuditId,
    pub ts: DateTime<Utc>,
    pub action: String,
    pub actor: String,
    /// The actor's current email address or key name. The row's hash does not cover it.
    pub actor_name: Option<String>,
    pub user_id: Option<UserId>,
    pub entity_type: String,
    pub entity_id: Uuid,
    pub detail: Value,
    pub trace_id: Option<String>,
    /// The chain shard that the row is in, and its position in that shard.
    pub shard: i16,
    pub position: i64,
    pub hash: Vec<u8>,
}

/// Which rows to list; `None` matches every row.
#[derive(Clone, Debug, Default)]
pub struct AuditFilter {
    pub action: Option<String>,
    /// An actor as the log names it, a user's email address or a key's name.
    pub actor: Option<String>,
    pub entity_type: Option<String>,
    pub entity_id: Option<Uuid>,
    pub from: Option<DateTime<Utc>>,
    pub to: Option<DateTime<Utc>>,
}

/// A fault in a tenant's chain: a row that is wrong or missing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ChainFault {
    /// The row's content does not match its hash.
    Changed { audit_id: AuditId, shard: i16, position: i64 },
    /// The row is at another position than the one its hash covers.
    Reordered { audit_id: AuditId, shard: i16, position: i64 },
    /// All rows from position `from` to `to` are missing.
    Missing { shard: i16, from: i64, to: i64 },
    /// The recorded head of the chain shard does not match its last row.
    HeadDiffers { shard: i16 },
}

impl fmt::Display for ChainFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Changed { audit_id, shard, position } => write!(
                f,
                "row {audit_id} (chain shard {shard}, position {position}) was changed after it was written"
            ),
            Self::Reordered { audit_id, shard, position } => write!(
                f,
                "row {audit_id} (now chain shard {shard}, position {position}) was moved from its position"
            ),
            Self::Missing { shard, from, to } if from == to => {
                write!(f, "the row at chain shard {shard}, position {from} is missing")
            }
            Self::Missing { shard, from, to } => {
                write!(f, "the rows at chain shard {shard}, positions {from} to {to} are missing")
            }
            Self::HeadDiffers { shard } => {
                write!(f, "the recorded head of chain shard {shard} does not match its last row")
            }
        }
    }
}

/// The result of verifying one tenant's chain.
#[derive(Clone, Debug)]
pub struct ChainReport {
    pub tenant_id: TenantId,
    pub tenant_name: String,
    pub rows: i64,
    pub faults: Vec<ChainFault>,
    pub checkpoints: CheckpointReport,
}

impl ChainReport {
    pub fn is_intact(&self) -> bool {
        self.faults.is_empty() && self.checkpoints.faults.is_empty()
    }

    /// Every fault, as a sentence.
    pub fn sentences(&self) -> Vec<String> {
        let rows = self.faults.iter().map(ToString::to_string);
        rows.chain(self.checkpoints.faults.iter().map(ToString::to_string)).collect()
    }
}

/// The result of comparing a chain with its signed checkpoints.
#[derive(Clone, Debug, Default)]
pub struct CheckpointReport {
    /// How many checkpoints were compared, from all origins.
    pub compared: usize,
    pub last_taken_at: Option<DateTime<Utc>>,
    pub faults: Vec<CheckpointFault>,
}
