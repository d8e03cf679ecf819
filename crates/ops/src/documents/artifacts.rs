//! Downloading an artifact of a stage.

use blob::BlobStream;
use domain::{Action, Caller, ReadableObject, RunId};
use store::{RunRecord, StageRecord};

use crate::documents::content_access::ListedArtifact;
use crate::{Content, OpsError};

/// An artifact with the name to save it under.
#[derive(Debug)]
pub struct ArtifactDownload {
    pub file_name: String,
    pub bytes: BlobStream,
}

impl Content {
    /// The artifact of a stage of a run, by name.
    pub async fn read_stage_artifact(
        &self,
        caller: &Caller,
        run_id: RunId,
        stage: &str,
        name: &str,
    ) -> Result<ArtifactDownload, OpsError> {
        let (record, stages) = self.run_and_stages(caller, run_id).await?;
        let object = ReadableObject::Artifact;
        let run = self.permit_run(caller, object, record.doc_id, Some(run_id)).await?;
        let stage = stages.iter().find(|record| record.name == stage);
        let mut artifacts = stage.into_iter().flat_map(|stage| &stage.artifacts);
        let artifact = artifacts.find(|artifact| artifact.name() == name);
        let artifact = artifact.ok_or(OpsError::NotFound("artifact"))?;
        let listed = ListedArtifact::of(artifact).ok_or(OpsError::NotFound("artifact"))?;
        let file_name = artifact.file_name().to_owned();
        Ok(ArtifactDownload { file_name, bytes: run.read(&self.blobs, &listed).await? })
    }

    /// A run with its stages and their artifacts.
    async fn run_and_stages(
        &self,
        caller: &Caller,
        run_id: RunId,
    ) -> Result<(RunRecord, Vec<StageRecord>), OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let run = tx.find_run(run_id).await?.ok_or(OpsError::NotFound("run"))?;
        let stages = tx.list_stages(&[run_id]).await?;
        tx.commit().await?;
        Ok((run, stages))
    }
}
