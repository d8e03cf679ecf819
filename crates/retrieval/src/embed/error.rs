//! Errors of model folders, with advice.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model folder {} has no {file}: {advice}", folder.display())]
    Missing { folder: PathBuf, file: &'static str, advice: &'static str },
    #[error("reading {} failed: check that the file exists and is readable", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} is malformed: {reason}; fetch the model folder again", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("the model in {} is not supported: {what}; {advice}", folder.display())]
    Unsupported { folder: PathBuf, what: String, advice: &'static str },
    #[error("tokenizing a text failed: {reason}")]
    Text { reason: String },
    #[error("starting a thread for the model failed")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    #[error("the model failed: {reason}")]
    Computing { reason: String },
}

impl ModelError {
    pub(super) fn malformed(path: &Path, reason: impl ToString) -> Self {
        Self::Malformed { path: path.to_owned(), reason: reason.to_string() }
    }

    pub(super) fn unreadable(path: &Path, source: std::io::Error) -> Self {
        Self::Unreadable { path: path.to_owned(), source }
    }

    pub(super) fn unsupported(
        folder: &Path,
        what: impl Into<String>,
        advice: &'static str,
    ) -> Self {
        Self::Unsupported { folder: folder.to_owned(), what: what.into(), advice }
    }
}
