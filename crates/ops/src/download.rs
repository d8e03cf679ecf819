//! Links to originals, and what is behind ours.

use std::ops::Range;
use std::time::Duration;

use blob::links::{Link, LinkError};
use blob::{BlobStream, Download};
use chrono::{DateTime, Utc};
use domain::{Action, Caller, DocId, RunId};

use crate::{Ops, OpsError};

/// A link that whoever has it can follow, until it expires.
#[derive(Clone, Debug)]
pub struct SignedLink {
    pub target: LinkTarget,
    pub file_name: String,
    pub expires_at: DateTime<Utc>,
}

/// What a stage left, to be saved as a file.
#[derive(Debug)]
pub struct FoundArtifact {
    pub file_name: String,
    pub bytes: BlobStream,
}

#[derive(Clone, Debug)]
pub enum LinkTarget {
    /// At the object store.
    Elsewhere(String),
    /// The token of a link that this server honours.
    Here(String),
}

impl Ops {
    pub const LONGEST_LINK_HOURS: u8 = 24;

    /// A link to a document's original, good for 1 to 24 hours.
    pub async fn sign_original(
        &self,
        caller: &Caller,
        doc_id: DocId,
        hours: u8,
    ) -> Result<SignedLink, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        if !(1..=Self::LONGEST_LINK_HOURS).contains(&hours) {
            return Err(OpsError::invalid("expires_in_hours", "a link lasts 1 to 24 hours"));
        }
        let mut tx = self.store.read(&scope).await?;
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let hash = tx.original_of(doc_id).await?;
        tx.commit().await?;
        let hash = hash.ok_or(OpsError::NotFound("original: it is not kept any more"))?;
        let expires_in = Duration::from_secs(u64::from(hours) * 3600);
        let expires_at = self.clock.now() + expires_in;
        let download =
            Download { expires_in, file_name: &document.filename, media_type: &document.mime };
        let target = match self.blobs.sign_original(scope.tenant_id(), &hash, download).await? {
            Some(url) => LinkTarget::Elsewhere(url.to_string()),
            None => LinkTarget::Here(self.link_key.sign(&Link {
                tenant: scope.tenant_id(),
                hash,
                file_name: document.filename.clone(),
                media_type: document.mime,
                expires_at,
            })),
        };
        Ok(SignedLink { target, file_name: document.filename, expires_at })
    }

    /// What a stage of a run left under a name.
    pub async fn read_stage_artifact(
        &self,
        caller: &Caller,
        run_id: RunId,
        stage: &str,
        name: &str,
    ) -> Result<FoundArtifact, OpsError> {
        let detail = self.find_run(caller, run_id).await?;
        let stage = detail.stages.iter().find(|left| left.name == stage);
        let listed = stage.and_then(|stage| stage.artifacts.as_array()).into_iter().flatten();
        let artifact = listed.into_iter().find(|artifact| artifact["name"] == name);
        let artifact = artifact.ok_or(OpsError::NotFound("artifact"))?;
        let place = artifact["key"].as_str().and_then(|key| key.parse().ok());
        let place = place.ok_or(OpsError::NotFound("artifact"))?;
        let file_name = artifact["file_name"].as_str().unwrap_or(name).to_owned();
        Ok(FoundArtifact { file_name, bytes: self.blobs.read_artifact(&place, None).await? })
    }

    /// What one of our links leads to. The link itself is the permission.
    pub async fn follow_link(
        &self,
        token: &str,
        range: Option<Range<u64>>,
    ) -> Result<(Link, BlobStream), OpsError> {
        let link = self.link_key.open(token, self.clock.now()).map_err(|error| match error {
            LinkError::Expired => OpsError::LinkExpired,
            LinkError::Forged => OpsError::NotFound("link"),
        })?;
        let bytes = self.blobs.read_original(link.tenant, &link.hash, range).await?;
        Ok((link, bytes))
    }
}
