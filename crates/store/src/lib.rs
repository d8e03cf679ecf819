//! Everything Docket keeps in PostgreSQL, and the private server it brings along for the default.
//!
//! All SQL of the product lives in this crate: statements of more than a line in `sql/`, the schema
//! in `migrations/`. Callers speak in domain values and hold one of two kinds of transaction:
//!
//! - [`Tx`] works inside one tenant. It is opened with a [`domain::Scope`], tells the database which
//!   tenant it is for, and row-level security hides every other tenant's rows from it.
//! - [`AcrossTenants`] is for the few things that belong to no tenant yet (signing in, operator
//!   commands, housekeeping). It logs in to the database as a role of its own.
//!
//! *Architecture invariant:* nothing outside this crate names a table.

mod access;
mod across;
mod api_keys;
mod audit;
mod audit_checkpoints;
mod clock;
mod documents;
mod error;
mod idempotency;
mod jobs;
mod object_store;
mod open;
mod page;
mod passwords;
pub mod private;
#[cfg(feature = "proof")]
mod proof;
mod search;
mod secrets;
mod storable;
mod tenants;
mod tx;
mod users;
mod vector;
mod write_check;

pub use access::RevocationFeed;
pub use across::AcrossTenants;
pub use api_keys::NewApiKey;
pub use audit_checkpoints::CheckpointRecord;
pub use clock::DatabaseClock;
pub use documents::{
    AbandonedBlob, Audience, BatchItemRecord, BatchName, BatchRecord, ContainedFile, ContentFacts,
    DocumentFilter, DocumentOrder, DocumentPlace, DocumentProgress, DocumentRecord, DocumentWindow,
    EventRecord, ExaminedDocuments, Facet, FacetCounts, IdKind, Masking, NewBatch, NotVisible,
    PartRecord, ProgressRecord, ReadAs, ResumedAt, RunFacts, RunRecord, RunStanding, SortKey,
    StageRecord, StateOfRun, Submission, Submitted, ValueCount, VersionRecord,
};
pub use error::StoreError;
pub use idempotency::Claimed;
pub use jobs::{
    BegunSchedule, Claim, ClaimedJob, DeadJobFilter, EndedRun, Held, JobFilter, JobRecord,
    JobStanding, Lease, NamedClaim, NewRun, Next, Outcome, PausedJobs, QueueRecord, Report, Reused,
    StageRoom, StaleBefore, TakenBack, Told, WorkFeed,
};
pub use object_store::{KnownArtifacts, KnownOriginal};
pub use open::{
    DatabaseUrl, DatabaseUrls, InvalidDatabaseUrl, OpenError, StatementTimeouts, Store,
};
pub use page::{After, Window};
#[cfg(feature = "proof")]
pub use proof::{ProvenRun, Takeover};
pub use search::{
    Changes, FindableChunk, FindableDocument, FindableOwner, KnownRecord, PassageRecord,
    WaitingChunk,
};
pub use secrets::{LoadKeys, Rotated, SecretKeys, SecretPurpose};
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
