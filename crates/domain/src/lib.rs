//! What Docket talks about, with no I/O and nothing async.
//!
//! Every other crate knows this one; this one knows nobody. A term has one name here, and the same
//! name in SQL, logs, the API and the UI.

mod access;
mod audit;
mod audit_checkpoint;
mod backoff;
mod chunks;
mod clock;
mod content;
mod content_hash;
mod documents;
mod environment;
mod event;
mod idempotency;
mod ids;
mod origin;
mod panics;
mod people;
mod permission;
mod progression;
mod rules;
mod run_config;
mod scope;
mod secret;
mod submission;
mod trace;
mod words;
mod work;

pub use access::{ApiKeyRecord, Revocation};
pub use audit::{
    AuditAction, AuditEntry, AuditFilter, AuditRecord, ChainFault, ChainReport, CheckpointReport,
    Entity,
};
pub use audit_checkpoint::{
    CheckpointFault, CheckpointOrigin, CheckpointStatement, LaneHead, SignedCheckpoint,
};
pub use backoff::Backoff;
pub use chunks::{ChunkArea, EmbeddedPart, NewChunk, NewChunks, NewVectors};
pub use clock::{ClockJump, ClockReading, ClockReport, ClockUse, in_words};
pub use content::{ContentNeed, ReadableObject};
pub use content_hash::{ContentHash, InvalidContentHash};
pub use documents::{DedupResult, DocumentStatus, FileKind, UnknownFileKind, upload_uri};
pub use environment::{Clock, Environment, IdGen, Random};
pub use event::{BatchEnd, Event, RunEnd};
pub use idempotency::{IdempotencyClaim, IdempotencyKey, InvalidIdempotencyKey};
pub use ids::{
    ApiKeyId, AuditId, BatchId, DocId, JobId, LeaseToken, RunId, TenantId, TokenId, UserId,
};
pub use origin::{FileWithin, Origin, RunType, SourceType};
pub use panics::panic_message;
pub use people::{
    ApiKey, EmailAddress, InvalidEmail, InvalidName, InvalidPassword, KeyCreator, Name,
    NewPassword, PasswordHash, Tenant, User, UserChange,
};
pub use permission::{Action, Reach, Role, UnknownRole};
pub use progression::{
    BatchCounts, BatchStatus, FollowingDocument, Move, MovingRun, NewVersion, RunChange,
};
pub use rules::{InvalidRules, MaskRule, TenantLimits, TenantRules};
pub use run_config::{RunConfig, UnreadableRunConfig};
pub use scope::{Actor, Caller, NotPermitted, Scope, Session};
pub use secret::Secret;
pub use submission::{Decision, KnownContent, Offer, Refusal};
pub use trace::{SpanId, TraceContext, TraceId};
pub use words::UnknownWord;
pub use work::{
    Artifact, ArtifactEntry, AttachmentArtifact, AttachmentContent, ClosedBy, Dependency,
    EarlierArtifacts, Effect, Envelope, Failure, FailureClass, FailureCode, IllegalTransition,
    InvalidPipeline, Jitter, JobEvent, JobInput, JobState, JobType, PagesArtifact, Pipeline,
    RetryPolicy, RunEvent, RunState, RunStats, StageName, StageOutput, StageStatus, StoredFile,
    StoredStats, Tries, UnreadableEnvelope, Verdict,
};
