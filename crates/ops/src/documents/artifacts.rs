//! Downloading what a stage left.

use blob::BlobStream;
use domain::{Action, Caller, ReadableObject, RunId};
use store::{RunRecord, StageRecord};

use crate::documents::content_access::ListedArtifact;
use crate::{Content, OpsError};

/// What a stage left, to be saved as a file.
#[derive(Debug)]
pub struct FoundArtifact {
    pub file_name: String,
    pub bytes: BlobStream,
}

impl Content {
    /// What a stage of a run left under a name.
    pub async fn read_stage_artifact(
        &self,
        caller: &Caller,
        run_id: RunId,
        stage: &str,
        name: &str,
    ) -> Result<FoundArtifact, OpsError> {
        let (record, stages) = self.run_and_stages(caller, run_id).await?;
        let object = ReadableObject::Artifact;
        let run = self.permit_run(caller, object, record.doc_id, Some(run_id)).await?;
        let stage = stages.iter().find(|left| left.name == stage);
        let listed = stage.and_then(|stage| stage.artifacts.as_array()).into_iter().flatten();
        let artifact = listed.into_iter().find(|artifact| artifact["name"] == name);
        let artifact = artifact.ok_or(OpsError::NotFound("artifact"))?;
        let listed = ListedArtifact::parse(artifact).ok_or(OpsError::NotFound("artifact"))?;
        let file_name = artifact["file_name"].as_str().unwrap_or(name).to_owned();
        Ok(FoundArtifact { file_name, bytes: run.read(&self.blobs, &listed).await? })
    }

    /// A run with all that its stages left.
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
