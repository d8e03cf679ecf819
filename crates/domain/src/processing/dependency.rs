//! Dependencies: what processing needs besides the document.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// A part of the installation that a stage needs. While it does not work, the job is paused, because the document is not
/// the cause.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Dependency {
    /// Unreachable, refusing, full, or not the right one.
    ObjectStore,
    Database,
    /// Space and permission for temporary files on the worker's machine.
    LocalDisk,
    /// The service that computes vectors.
    EmbeddingModel,
    /// A reading tool that is not installed, or a child process that cannot be started in its sandbox.
    Reader,
    /// The key that opens stored passwords of documents.
    SecretsKey,
}

impl Dependency {
    pub const ALL: [Self; 6] = [
        Self::ObjectStore,
        Self::Database,
        Self::LocalDisk,
        Self::EmbeddingModel,
        Self::Reader,
        Self::SecretsKey,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::ObjectStore => "object_store",
            Self::Database => "database",
            Self::LocalDisk => "local_disk",
            Self::EmbeddingModel => "embedding_model",
            Self::Reader => "reader",
            Self::SecretsKey => "secrets_key",
        }
    }

    /// What an operator can do when it does not recover by itself.
    pub fn advice(self) -> &'static str {
        match self {
            Self::ObjectStore => {
                "Check that the object store is up, mounted and not full, and that its credentials are valid."
            }
            Self::Database => "Check that PostgreSQL is up and has space and connections left.",
            Self::LocalDisk => {
                "Free space for temporary files on the worker's machine, and check that they may be written."
            }
            Self::EmbeddingModel => {
                "Check that the embedding service is up, and its address, model and key in the settings."
            }
            Self::Reader => {
                "Run `docket doctor` on the worker's machine: it names what is missing."
            }
            Self::SecretsKey => "Set secrets_key on every worker to the one that the server uses.",
        }
    }
}

/// For messages: "waits for the object store".
impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ObjectStore => "the object store",
            Self::Database => "the database",
            Self::LocalDisk => "space for temporary files",
            Self::EmbeddingModel => "the embedding model",
            Self::Reader => "a working reader",
            Self::SecretsKey => "a worker with the key for document passwords",
        })
    }
}

impl FromStr for Dependency {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        Self::ALL.into_iter().find(|dependency| dependency.as_str() == text).ok_or(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_dependency_reads_back_from_its_name() {
        for dependency in Dependency::ALL {
            assert_eq!(dependency.as_str().parse(), Ok(dependency));
        }
        assert_eq!("weather".parse::<Dependency>(), Err(()));
    }
}
