//! `ingest`: is what was published what was accepted?
//!
//! Reads the original back, to the last byte, and holds it against its hash before anybody else reads
//! it. What the disk or the bucket changed is found here, and by name.

use std::fmt;

use blob::{BlobError, Blobs};
use domain::{Artifact, ContentHash, Failure, StageName};
use engine::{StageInput, StageOutput, StageSettings};
use serde_json::json;

use crate::context::{keep, of_store};

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
                "the run does not say which original it is about",
                "Upload the document again.",
            ));
        };
        let size = self.read_back(input, &expected).await.map_err(of_store)?;
        let manifest = json!({ "sha256": expected, "size_bytes": size });
        let manifest = manifest.to_string().into();
        let kept = keep(&self.blobs, input, Artifact::ORIGINAL, manifest).await?;
        Ok(StageOutput { artifacts: vec![Artifact::Original(kept)], ..StageOutput::default() })
    }

    /// What is read is compared with its hash.
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
