//! The artifacts of the stages `parse` and `reconcile`: JSON with a version.
//!
//! Each names the version of the document type, so that a later stage uses the same one.

use domain::Extraction;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::parsed::Parsed;

/// The output of a stage, with the version of its document type.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Versioned<T> {
    /// 0 without a document type.
    pub type_version: u32,
    #[serde(flatten)]
    pub content: T,
}

pub type ParsedArtifact = Versioned<Parsed>;
pub type ExtractionArtifact = Versioned<Extraction>;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum UnreadableArtifact {
    #[error("the stored fields are damaged")]
    Malformed,
    #[error("the stored fields have version {0}, which this version of Docket does not support")]
    TooNew(u64),
}

#[derive(Serialize)]
struct Written<'a, T> {
    version: u64,
    #[serde(flatten)]
    content: &'a T,
}

#[derive(Deserialize)]
struct Version {
    version: u64,
}

impl<T: Serialize + DeserializeOwned> Versioned<T> {
    pub const VERSION: u64 = 1;

    pub fn to_json(&self) -> Vec<u8> {
        // String keys and plain values: this cannot fail.
        serde_json::to_vec(&Written { version: Self::VERSION, content: self }).unwrap_or_default()
    }

    pub fn read(json: &[u8]) -> Result<Self, UnreadableArtifact> {
        let Version { version } =
            serde_json::from_slice(json).map_err(|_| UnreadableArtifact::Malformed)?;
        if version > Self::VERSION {
            return Err(UnreadableArtifact::TooNew(version));
        }
        serde_json::from_slice(json).map_err(|_| UnreadableArtifact::Malformed)
    }
}
