//! Everything that Docket stores in PostgreSQL, and the private PostgreSQL server that it starts by default.
//!
//! All SQL of the product is in this crate: statements of more than a few lines in `sql/`, the schema in `migrations/`.
//! Callers pass domain values and use one of two kinds of transaction:
//!
//! - [`Tx`] works inside one tenant. It is opened with a [`domain::Scope`] and tells the database its tenant; row-level
//!   security hides the rows of all other tenants.
//! - [`AcrossTenants`] is for work that spans tenants (signing in, the queue, operator commands, periodic tasks). It
//!   logs in to the database with a role of its own.
//!
//! *Architecture invariant:* nothing outside this crate names a table.

mod access;
mod across;
mod api_keys;
mod audit;
mod audit_checkpoints;
mod clock;
#[cfg(feature = "consistency-checks")]
mod consistency;
mod document_types;
mod documents;
mod error;
mod idempotency;
mod jobs;
mod layout_memory;
mod object_store;
mod open;
mod page;
mod passwords;
pub mod private;
mod quality;
mod results;
mod search;
mod secrets;
mod storable;
mod tenants;
mod tx;
mod users;
mod vector;
mod write_check;

pub use access::RevocationNotifications;
pub use across::AcrossTenants;
pub use api_keys::NewApiKey;
pub use audit_checkpoints::CheckpointRecord;
pub use clock::DatabaseClock;
#[cfg(feature = "consistency-checks")]
pub use consistency::{CheckedRun, Takeover};
pub use document_types::{DocumentTypeRecord, NewDocumentType};
pub use documents::{
    AbandonedBlob, Audience, BatchItemRecord, BatchName, BatchRecord, ContainedFile, ContentFacts,
    DocumentFilter, DocumentOrder, DocumentPlace, DocumentProgress, DocumentRecord, DocumentWindow,
    EventRecord, ExaminedDocuments, Facet, FacetCounts, IdKind, Masking, NewBatch, NotVisible,
    OptionalRunState, PartRecord, ProgressRecord, ResumedAt, RunFacts, RunRank, RunRecord, SortKey,
    StageArtifacts, StageRecord, Submission, Submitted, ValueCount, VersionRecord,
};
pub use error::StoreError;
pub use idempotency::KeyClaim;
pub use jobs::{
    ClaimedJob, DeadJobFilter, EndedRun, ExpiredLease, JobClaim, JobFilter, JobNotifications,
    JobRecord, JobSummary, Lease, LeaseRef, NamedClaim, NewRun, NextJob, Outcome, PausedJobs,
    ProgressReport, QueueRecord, Report, ReusedStages, ScheduleLease, StageSlots, StaleBefore,
};
pub use layout_memory::{
    LayoutMemoryRecord, LayoutMemorySummary, LayoutMemoryVerdict, NewLayoutMemory,
};
pub use object_store::{KnownArtifacts, KnownOriginal};
pub use open::{
    DatabaseUrl, DatabaseUrls, InvalidDatabaseUrl, OpenError, StatementTimeouts, Store,
};
pub use page::{After, Window};
pub use quality::{
    DocumentStep, ExtractedCounts, FieldOutcome, LatestReviewed, QualityFilter, ReviewedCounts,
    ReviewedResult, StepCounts,
};
pub use results::{Promotion, ResultRecord, TradeFilter, TradeRecord};
pub use search::{
    Changes, KnowledgeBaseRecord, PassageRecord, SearchableChunk, SearchableDocument,
    SearchableOwner, UnembeddedChunk,
};
pub use secrets::{LoadKeys, RotationResult, SecretKeys, SecretPurpose};
pub use tenants::{TenantRecord, TenantUsage};
pub use tx::Tx;
pub use users::{LoginUser, NewUser};

/// The text of a statement in `sql/`.
macro_rules! sql {
    ($name:literal) => {
        include_str!(concat!(env!("CARGO_MANIFEST_DIR"), "/sql/", $name, ".sql"))
    };
}
pub(crate) use sql;
