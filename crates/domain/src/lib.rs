//! The terms, types and rules of Docket: no I/O, nothing async.
//!
//! Every other crate depends on this one, and this one on no other. A term has one name here, and the same name in SQL,
//! logs, the API and the UI.

mod access;
mod audit;
mod audit_checkpoint;
mod backoff;
mod chunks;
mod clock;
mod content;
mod content_hash;
mod document_type;
mod documents;
mod environment;
mod event;
mod extraction;
mod idempotency;
mod ids;
mod origin;
mod panics;
mod people;
mod permission;
mod processing;
mod progression;
mod records;
mod result_diff;
mod results;
mod rules;
mod run_config;
mod schema_mapping;
mod scope;
mod secret;
mod string_enum;
mod submission;
mod trace;

pub use access::{ApiKeyRecord, Revocation};
pub use audit::{
    AuditAction, AuditEntry, AuditFilter, AuditRecord, ChainFault, ChainReport, CheckpointReport,
    Entity,
};
pub use audit_checkpoint::{
    CheckpointFault, CheckpointOrigin, CheckpointStatement, ShardHead, SignedCheckpoint,
};
pub use backoff::Backoff;
pub use chunks::{ChunkArea, EmbeddedWindow, NewChunk, NewChunks, NewVectors};
pub use clock::{ClockJump, ClockReading, ClockReport, ClockUse, format_duration};
pub use content::{ContentNeed, ReadableObject};
pub use content_hash::{ContentHash, InvalidContentHash};
#[cfg(feature = "openapi")]
pub use document_type::FieldConditions;
pub use document_type::{Constraint, FieldSpec, split_group};
pub use documents::{DedupResult, DocumentStatus, FileKind, UnknownFileKind, upload_uri};
pub use environment::{Clock, Environment, IdGen, Random};
pub use event::{BatchEnd, Event, RunEnd};
pub use extraction::{
    AUTOMATIC_TYPE, Alternative, Check, Extraction, Field, FieldGroup, FieldKind, FieldSource,
    FieldStatus, NewResult, UnreadableExtraction,
};
pub use idempotency::{IdempotencyClaim, IdempotencyKey, InvalidIdempotencyKey};
pub use ids::{
    ApiKeyId, AuditId, BatchId, DocId, JobId, LeaseToken, MemoryId, ResultId, RunId, TenantId,
    TokenId, TradeId, UserId,
};
pub use origin::{AttachedFile, Origin, RunType, SourceType};
pub use panics::panic_message;
pub use people::{
    ApiKey, EmailAddress, InvalidEmail, InvalidName, InvalidPassword, KeyCreator, Name,
    NewPassword, PasswordHash, Tenant, User, UserChange,
};
pub use permission::{Action, Reach, Role, UnknownRole};
pub use processing::{
    Artifact, ArtifactEntry, AttachmentArtifact, AttachmentContent, ClosedBy, Dependency,
    EarlierArtifacts, Effect, Envelope, Failure, FailureClass, FailureCode, IllegalTransition,
    InvalidPipeline, Jitter, JobEvent, JobInput, JobState, JobType, PagesArtifact, Pipeline,
    RetryDecision, RetryPolicy, RunEvent, RunState, RunStats, StageName, StageOutput, StageStatus,
    StoredFile, StoredStats, Tries, UnreadableEnvelope,
};
pub use progression::{
    BatchCounts, BatchStatus, ChangingDocument, ChangingRun, NewVersion, RunChange, RunTransition,
};
pub use records::{
    FieldAgreement, FieldReason, FieldRole, RecordCandidate, RecordFields, RecordTypeDefinition,
};
pub use result_diff::{ChangeKind, ComparedField, FieldChange, ResultDiff};
pub use results::{
    CurrentResult, MatchStatus, ResultState, ResultSummary, ReviewStatus, TradeFacts, kept_trades,
    same_values,
};
pub use rules::{
    AcceptanceRules, InvalidAcceptance, InvalidRules, MaskRule, TenantLimits, TenantRules,
    TypeAcceptance,
};
pub use run_config::{RunConfig, UnreadableRunConfig};
pub use schema_mapping::{InvalidSchemaMapping, SchemaMapping, is_type_name};
pub use scope::{Actor, Caller, NotPermitted, Scope, Session};
pub use secret::Secret;
pub use string_enum::UnknownValue;
pub use submission::{Decision, KnownContent, Refusal, SubmissionOptions};
pub use trace::{SpanId, TraceContext, TraceId};
