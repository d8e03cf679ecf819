//! Classifies errors of the client.
//!
//! The client does not export the types with the status of a response; only its error messages contain it. They are parsed
//! here; `tests/conformance` checks that the messages are still the same.

use std::error::Error;

use object_store::client::HttpError;

use crate::error::{BlobError, BoxError};

/// The name of the store in messages, and what to do when it refuses.
#[derive(Clone, Debug)]
pub(super) struct BucketLocation {
    /// As in the URL.
    pub(super) at: String,
    pub(super) fix: &'static str,
}

impl BucketLocation {
    pub(super) fn failed(&self, attempt: &'static str, error: object_store::Error) -> BlobError {
        let at = self.at.clone();
        if mentions(&error, "NoSuchBucket") {
            return BlobError::NoBucket { at, source: Box::new(error) };
        }
        match &error {
            object_store::Error::NotFound { path, .. } => {
                return BlobError::NotFound { key: path.clone() };
            }
            object_store::Error::PermissionDenied { .. }
            | object_store::Error::Unauthenticated { .. } => return self.refused(attempt, error),
            _ => {}
        }
        match status_of(&error) {
            Some(401 | 403) => self.refused(attempt, error),
            Some(404) => BlobError::NoBucket { at, source: Box::new(error) },
            Some(507) => BlobError::Full { at, source: Box::new(error) },
            Some(408 | 429 | 500..) => self.unavailable(attempt, Box::new(error)),
            None if is_connection_error(&error) => self.unavailable(attempt, Box::new(error)),
            _ => BlobError::Failed { attempt: "talk to", at, source: Box::new(error) },
        }
    }

    pub(super) fn unavailable(&self, attempt: &'static str, source: BoxError) -> BlobError {
        BlobError::Unavailable { attempt, at: self.at.clone(), source }
    }

    fn refused(&self, attempt: &'static str, error: object_store::Error) -> BlobError {
        let Self { at, fix } = self.clone();
        BlobError::Refused { attempt, at, fix, source: Box::new(error) }
    }
}

/// The HTTP status of the response, if there was one.
pub(super) fn status_of(error: &object_store::Error) -> Option<u16> {
    let words = "non-2xx status code: ";
    causes(error).find_map(|cause| {
        let text = cause.to_string();
        let from = text.find(words)? + words.len();
        text.get(from..from + 3)?.parse().ok()
    })
}

fn is_connection_error(error: &object_store::Error) -> bool {
    causes(error).any(|cause| {
        cause.is::<HttpError>() || cause.is::<std::io::Error>() || cause.is::<reqwest::Error>()
    })
}

fn mentions(error: &object_store::Error, word: &str) -> bool {
    causes(error).any(|cause| cause.to_string().contains(word))
}

fn causes(error: &object_store::Error) -> impl Iterator<Item = &(dyn Error + 'static)> {
    let first: &(dyn Error + 'static) = error;
    std::iter::successors(Some(first), |&cause| cause.source())
}
