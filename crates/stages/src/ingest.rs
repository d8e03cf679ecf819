//! `ingest`: verifies the stored original.
//!
//! Reads the whole original and compares it with its hash before any other stage reads it. A change by the disk or the
//! object store is detected here, with the name of the object.

use std::fmt;

use blob::{BlobError, Blobs};
use domain::{Artifact, ContentHash, Failure, StageName};
use engine::{StageInput, StageOutput, StageSettings};
use serde_json::json;

use crate::context::{store_artifact, store_failure};

pub struct Ingest {
    settings: StageSettings,
    blobs: Blobs,
}

impl Ingest {
    pub const NAME: StageName = StageName::INGEST;

    pub fn new(blobs: Blobs) -> Self {
        let settings = StageSettings { concurrency: 8, ..StageSettings::default() };
        Self { settings, blobs }
    }

    async fn check(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let Some(expected) = input.content else {
            return Err(Failure::permanent(
                "the run names no original",
                "Upload the document again.",
            ));
        };
        let size = self.read_back(input, &expected).await.map_err(store_failure)?;
        let manifest = json!({ "sha256": expected, "size_bytes": size });
        let manifest = manifest.to_string().into();
        let stored = store_artifact(&self.blobs, input, Artifact::ORIGINAL, manifest).await?;
        Ok(StageOutput { artifacts: vec![Artifact::Original(stored)], ..StageOutput::default() })
    }

    /// Reading compares the content with its hash.
    async fn read_back(&self, input: &StageInput, hash: &ContentHash) -> Result<u64, BlobError> {
        let original = self.blobs.read_original(input.tenant_id, hash, None).await?;
        let size = original.size();
        original.read_through().await?;
        Ok(size)
    }
}

stage!(Ingest, check);

impl fmt::Debug for Ingest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Ingest").finish_non_exhaustive()
    }
}
