//! Errors of the object store, each with a message for the operator.

use std::io;
use std::path::Path;

use thiserror::Error;

use crate::identity::{MARKER, StoreId};

pub(crate) type BoxError = Box<dyn std::error::Error + Send + Sync>;
pub(crate) type Result<T> = std::result::Result<T, BlobError>;

#[derive(Debug, Error)]
pub enum BlobError {
    #[error("There is no object {key} in the object store.")]
    NotFound { key: String },

    /// The range starts after the end.
    #[error("The object has {size} bytes, and the requested range starts after them.")]
    OutOfRange { size: u64 },

    /// Timeouts, 5xx, failed connections: transient errors.
    #[error(
        "The object store {at} did not {attempt}. If this goes on, check that it is up and that this \
         machine reaches it."
    )]
    Unavailable { attempt: &'static str, at: String, source: BoxError },

    #[error(
        "There is no space left in {at}. Free some space there and try again; nothing was lost."
    )]
    Full { at: String, source: BoxError },

    /// Credentials or permissions.
    #[error("The object store {at} did not let Docket {attempt}. {fix}.")]
    Refused { attempt: &'static str, at: String, fix: &'static str, source: BoxError },

    /// The store has another marker than the database expects, or none: a folder that is not mounted, for one.
    #[error("{}", other_store(.at, *.found, *.expected))]
    OtherStore { at: String, found: Option<StoreId>, expected: StoreId },

    /// The store is the right one, but lacks a folder.
    #[error("The object store {at} has lost its folder {name}. Restore it from a backup.")]
    FolderLost { at: String, name: &'static str },

    #[error("There is no bucket at {at}. Create it, or name another one; then try again.")]
    NoBucket { at: String, source: BoxError },

    #[error("Objects of more than {limit} bytes do not fit into the object store.")]
    TooLarge { limit: u64 },

    /// An object is shorter than its length says, or differs from what was written.
    #[error("The object {key} in the object store is damaged: {how}.")]
    Damaged { key: String, how: String },

    /// The environment has invalid settings for the store.
    #[error("The object store {at} cannot be opened: check the {variables} variables.")]
    Misconfigured { at: String, variables: &'static str, source: BoxError },

    /// Something that is not expected to fail.
    #[error("Docket could not {attempt} {at}.")]
    Failed { attempt: &'static str, at: String, source: BoxError },
}

impl BlobError {
    /// Whether the same call may succeed later without a change in Docket.
    pub fn is_retryable(&self) -> bool {
        matches!(
            self,
            Self::Unavailable { .. }
                | Self::Full { .. }
                | Self::OtherStore { .. }
                | Self::FolderLost { .. }
        )
    }

    pub fn is_not_found(&self) -> bool {
        matches!(self, Self::NotFound { .. })
    }

    /// An object that differs from what was written. Logs and counts it, so that operators are alerted.
    pub(crate) fn damaged(key: &str, how: String) -> Self {
        metrics::counter!("docket_objects_corrupted_total").increment(1);
        tracing::error!(
            key,
            how,
            "an object is damaged: `docket check` lists all damaged objects and says how to repair them"
        );
        Self::Damaged { key: key.to_owned(), how }
    }

    pub(crate) fn from_io(source: io::Error, attempt: &'static str, path: &Path) -> Self {
        let at = path.display().to_string();
        let kind = source.kind();
        let source = Box::new(source);
        match kind {
            io::ErrorKind::StorageFull | io::ErrorKind::QuotaExceeded => Self::Full { at, source },
            io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
                let fix = "Make the folder writable for the user that runs Docket";
                Self::Refused { attempt, at, fix, source }
            }
            io::ErrorKind::TimedOut
            | io::ErrorKind::StaleNetworkFileHandle
            | io::ErrorKind::HostUnreachable
            | io::ErrorKind::NetworkUnreachable => Self::Unavailable { attempt, at, source },
            _ => Self::Failed { attempt, at, source },
        }
    }
}

fn other_store(at: &str, found: Option<StoreId>, expected: StoreId) -> String {
    let what = match found {
        None => format!("has no valid {MARKER} in it"),
        Some(found) => format!("belongs to another database (its {MARKER} says {})", found.0),
    };
    format!(
        "The object store {at} {what}, and the database expects the store {}. If it is a disk or a network share, \
         mount it; if blob_url names the wrong place, correct it. If you moved the store on purpose, run `docket \
         check --adopt`.",
        expected.0
    )
}

/// Adds the attempted operation and the path to an error.
pub(crate) trait Attempt<T> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T>;
}

impl<T> Attempt<T> for io::Result<T> {
    fn attempt(self, attempt: &'static str, path: &Path) -> Result<T> {
        self.map_err(|error| BlobError::from_io(error, attempt, path))
    }
}
