//! Errors of use cases. The texts are shown to users.

use std::time::Duration;

use blob::BlobError;
use domain::{NotPermitted, Refusal};
use extraction::types::InvalidType;
use store::StoreError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum OpsError {
    #[error(transparent)]
    NotPermitted(#[from] NotPermitted),
    /// The role would be sufficient in the operator's tenant.
    #[error("Only administrators of the operator's tenant can view the server's configuration.")]
    OperatorOnly,
    /// It does not exist, or the caller may not know that it does.
    #[error("{}", not_found(.0))]
    NotFound(&'static str),
    /// The caller sees the document, but its original is no longer stored.
    #[error("The original was deleted. Upload the document again.")]
    OriginalDeleted,
    /// The caller sees the document but may not read this content.
    #[error("{problem}")]
    Withheld { code: &'static str, problem: &'static str },
    /// A field of the request is not valid.
    #[error("{field}: {problem}")]
    Invalid { field: &'static str, problem: String },
    /// A definition of a document type that cannot be used.
    #[error("The document type cannot be used. {}", sentences(.0))]
    InvalidDocumentType(InvalidType),
    /// The request names a document type that the tenant does not have.
    #[error(
        "There is no document type '{name}'. Choose one of: {}. Or use \"auto\" to let Docket recognise it.",
        listed(.known)
    )]
    UnknownDocumentType { field: &'static str, name: String, known: Vec<String> },
    /// The request conflicts with the current state.
    #[error("{problem}")]
    Conflict { code: &'static str, problem: String },
    /// The content is known, and the caller may not do with it what the upload asks for.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("The email address or the password is wrong.")]
    WrongCredentials,
    #[error("Too many sign-in attempts. Wait {} s and try again.", .0.as_secs().max(1))]
    TooManyAttempts(Duration),
    /// The queue of password checks is full, or this client has used its share of it.
    #[error("Too many users are signing in. Try again in a few seconds.")]
    SignInBusy,
    /// The caller's access ended while a long response was sent.
    #[error("Your access ended. Sign in again.")]
    AccessEnded,
    #[error("A request with this Idempotency-Key is still in progress. Try again in a second.")]
    StillInProgress,
    #[error("This Idempotency-Key was used for a different request. Use a new key.")]
    KeyUsedForOtherRequest,
    #[error("The file is larger than the limit of {} MB.", .limit / (1024 * 1024))]
    TooLarge { limit: u64 },
    #[error("{problem}")]
    UnsupportedType { problem: String },
    #[error(
        "The queue is full: {quota} documents of this tenant are waiting. Try again when some are done."
    )]
    QueueFull { quota: u32 },
    #[error("This tenant already has {most} uploads in progress. Try again when one has finished.")]
    TooManyUploads { most: u32 },
    #[error(
        "This file would exceed the tenant's storage quota of {} MB. Delete documents, or ask the operator for a larger \
         quota.",
        .quota / (1024 * 1024)
    )]
    StorageQuotaExceeded { quota: u64 },
    #[error("No processing stage is configured. Check the setting `pipeline`.")]
    NoPipeline,
    #[error("The search index is loading. Try again in a few seconds.")]
    IndexIsLoading,
    #[error("The audit log is already being checked. Try again in a few seconds.")]
    AuditCheckRunning,
    #[error("Document types are being tried already. Try again in a few seconds.")]
    DryRunRunning,
    #[error("This link has expired. Ask for a new one.")]
    LinkExpired,
    #[error(
        "This link was revoked, because its creator can no longer read the document. Ask for a new one."
    )]
    LinkRevoked,
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error(transparent)]
    Store(#[from] StoreError),
    /// `attempted` names the operation for the log, such as `hashing a password`.
    #[error("{attempted} failed")]
    Internal {
        attempted: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// The problems of a definition, the first few in full.
fn sentences(invalid: &InvalidType) -> String {
    const SHOWN: usize = 5;
    let shown = invalid.problems.iter().take(SHOWN).map(|problem| format!("{problem}."));
    let text = shown.collect::<Vec<_>>().join(" ");
    match invalid.problems.len().saturating_sub(SHOWN) {
        0 => text,
        1 => format!("{text} There is 1 more problem."),
        more => format!("{text} There are {more} more problems."),
    }
}

/// Names, the first ones of many.
fn listed(names: &[String]) -> String {
    const SHOWN: usize = 20;
    let text = names.iter().take(SHOWN).map(String::as_str).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(SHOWN) {
        0 => text,
        more => format!("{text} and {more} more"),
    }
}

fn not_found(what: &str) -> String {
    let state = if what == "document" { "was deleted" } else { "does not exist" };
    format!("This {what} {state}, or you don't have access.")
}

const TASK_PANICKED: &str = "the task panicked; see the log for the location";
const TASK_CANCELLED: &str = "the task was cancelled";

impl OpsError {
    pub(crate) fn internal(
        attempted: &'static str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = Box::new(source);
        // A JoinError repeats the panic message, which may contain document text.
        let source = match source.downcast::<tokio::task::JoinError>() {
            Ok(ended) if ended.is_panic() => TASK_PANICKED.into(),
            Ok(_) => TASK_CANCELLED.into(),
            Err(source) => source,
        };
        Self::Internal { attempted, source }
    }

    /// Whether the same request would be refused again.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Invalid { .. }
            | Self::InvalidDocumentType(_)
            | Self::TooLarge { .. }
            | Self::UnsupportedType { .. } => true,
            Self::Refused(refusal) => !refusal.is_transient(),
            _ => false,
        }
    }

    pub(crate) fn invalid(field: &'static str, problem: impl ToString) -> Self {
        Self::Invalid { field, problem: problem.to_string() }
    }
}
