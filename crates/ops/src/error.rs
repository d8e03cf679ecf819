//! Why a use case did not happen.

use std::time::Duration;

use blob::BlobError;
use domain::{NotPermitted, Refusal};
use store::StoreError;
use thiserror::Error;

#[derive(Debug, Error)]
pub enum OpsError {
    #[error(transparent)]
    NotPermitted(#[from] NotPermitted),
    /// The role would do, in another tenant.
    #[error("how the server is set up is shown to administrators of the operator's tenant only")]
    OperatorOnly,
    /// There is no such thing, or the caller may not know that there is.
    #[error("there is no such {0}")]
    NotFound(&'static str),
    /// The caller sees the document, and may not read this of it.
    #[error("{problem}")]
    Withheld { code: &'static str, problem: &'static str },
    /// The request cannot be right as it stands.
    #[error("{field}: {problem}")]
    Invalid { field: &'static str, problem: String },
    /// The request is right, but not in the present state of things.
    #[error("{problem}")]
    Conflict { code: &'static str, problem: String },
    /// A document is known already, and the upload asks for what its uploader may not have.
    #[error(transparent)]
    Refused(#[from] Refusal),
    #[error("the email address or the password is wrong")]
    WrongCredentials,
    #[error("too many sign-in attempts; wait {} s and try again", .0.as_secs().max(1))]
    TooManyAttempts(Duration),
    /// The queue of password checks is full, or this client has its part of it.
    #[error("too many people sign in at this moment; try again in a few seconds")]
    SignInBusy,
    #[error("a request with this Idempotency-Key is still being worked on")]
    StillInProgress,
    #[error("this Idempotency-Key was used for a different request; use a new key")]
    KeyUsedForOtherRequest,
    #[error("the file is larger than {} MB, which is the most that is taken", .limit / (1024 * 1024))]
    TooLarge { limit: u64 },
    #[error("{problem}")]
    UnsupportedType { problem: String },
    #[error("{quota} documents of this tenant wait already; try again when some are done")]
    QueueFull { quota: u32 },
    #[error("this tenant has {most} uploads under way already; try again when one has ended")]
    TooManyUploads { most: u32 },
    #[error(
        "the tenant may store {} MB, and with this file it would be more; delete documents, or ask the operator for a \
         larger quota",
        .quota / (1024 * 1024)
    )]
    StorageQuotaExceeded { quota: u64 },
    #[error("no stage is set up that could process a document; see the setting pipeline")]
    NoPipeline,
    #[error("what can be found here is being loaded into memory; try again in a few seconds")]
    IndexIsLoading,
    #[error("the audit log is being checked already; try again in a few seconds")]
    AuditCheckRunning,
    #[error("this link has expired; ask for a new one")]
    LinkExpired,
    #[error(
        "this link was revoked: whoever made it may no longer read the document; ask for a new one"
    )]
    LinkRevoked,
    #[error(transparent)]
    Blob(#[from] BlobError),
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error("{attempted} failed")]
    Internal {
        attempted: &'static str,
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

const TASK_PANICKED: &str = "the task panicked; the log says where";
const TASK_CANCELLED: &str = "the task was cancelled";

impl OpsError {
    pub(crate) fn internal(
        attempted: &'static str,
        source: impl std::error::Error + Send + Sync + 'static,
    ) -> Self {
        let source: Box<dyn std::error::Error + Send + Sync> = Box::new(source);
        // It repeats the message of a panic, which may quote a document.
        let source = match source.downcast::<tokio::task::JoinError>() {
            Ok(ended) if ended.is_panic() => TASK_PANICKED.into(),
            Ok(_) => TASK_CANCELLED.into(),
            Err(source) => source,
        };
        Self::Internal { attempted, source }
    }

    /// The same request would be refused again.
    pub(crate) fn is_final(&self) -> bool {
        match self {
            Self::Invalid { .. } | Self::TooLarge { .. } | Self::UnsupportedType { .. } => true,
            Self::Refused(refusal) => !refusal.is_transient(),
            _ => false,
        }
    }

    pub(crate) fn invalid(field: &'static str, problem: impl ToString) -> Self {
        Self::Invalid { field, problem: problem.to_string() }
    }
}
