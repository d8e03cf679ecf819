//! What can be wrong with a model's folder, and what to do about it.

use std::path::{Path, PathBuf};

#[derive(Debug, thiserror::Error)]
pub enum ModelError {
    #[error("the model folder {} has no {file}: {advice}", folder.display())]
    Missing { folder: PathBuf, file: &'static str, advice: &'static str },
    #[error("{} cannot be read: check that it is there, whole, and readable", path.display())]
    Unreadable {
        path: PathBuf,
        #[source]
        source: std::io::Error,
    },
    #[error("{} is not what a model has there: {reason}; fetch the folder again", path.display())]
    Malformed { path: PathBuf, reason: String },
    #[error("the model in {} is not supported: {what}; {advice}", folder.display())]
    Unsupported { folder: PathBuf, what: String, advice: &'static str },
    #[error("the tokenizer cannot read a text: {reason}")]
    Text { reason: String },
    #[error("no thread could be started for the model")]
    Threads(#[source] rayon::ThreadPoolBuildError),
    #[error("the model failed while computing: {reason}")]
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
