//! `ingest`: is what was published what was accepted?
//!
//! Reads the original back, to the last byte, and holds it against its hash before anybody else reads
//! it. What the disk or the bucket changed is found here, and by name.

use std::fmt;

use blob::{BlobError, Blobs};
use domain::{ContentHash, Failure, StageName};
use engine::{StageOutput, StageSettings, Work};
use serde_json::json;

use crate::desk::{keep, of_store};

pub struct Ingest {
    name: StageName,
    settings: StageSettings,
    blobs: Blobs,
}

impl Ingest {
    pub const NAME: &str = "ingest";

    pub fn new(blobs: Blobs) -> Result<Self, domain::InvalidPipeline> {
        let settings = StageSettings { concurrency: 8, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, blobs })
    }

    async fn check(&self, work: &Work) -> Result<StageOutput, Failure> {
        let Some(expected) = work.content else {
            return Err(Failure::permanent(
                "the run does not say which original it is about",
                "Upload the document again.",
            ));
        };
        let size = self.read_back(work, &expected).await.map_err(of_store)?;
        let manifest = json!({ "sha256": expected, "size_bytes": size });
        let listed = keep(&self.blobs, work, "original.json", manifest.to_string().into()).await?;
        Ok(StageOutput { artifacts: vec![listed], ..StageOutput::default() })
    }

    /// What is read is compared with its hash.
    async fn read_back(&self, work: &Work, hash: &ContentHash) -> Result<u64, BlobError> {
        let original = self.blobs.read_original(work.tenant_id, hash, None).await?;
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
