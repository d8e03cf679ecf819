//! Uploading a document: the bytes are hashed while they stream into the object store, then [`Intake::accept`] decides.
//!
//! [`Intake::accept`]: crate::Intake

use std::fmt;

use blob::{Staged, Upload};
use bytes::Bytes;
use domain::{
    Action, BatchId, Caller, DedupResult, DocId, IdempotencyClaim, Origin, RunId, RunState, Scope,
    Secret,
};
use serde::{Deserialize, Serialize};
use store::BatchRecord;

use crate::documents::intake::IntakeRequest;
use crate::documents::tags::normalized_tags;
use crate::idempotency::Outcome;
use crate::{OpsError, Uploads};

/// An upload whose bytes are being received.
pub struct IncomingUpload {
    scope: Scope,
    visible: Scope,
    may_rerun: bool,
    upload: Upload,
    limit: u64,
}

/// An upload whose bytes are staged in the object store; no document refers to them yet.
#[derive(Debug)]
pub struct StagedUpload {
    scope: Scope,
    /// What the caller may see, such as batches.
    visible: Scope,
    /// Whether the caller may rerun documents.
    may_rerun: bool,
    staged: Staged,
}

/// What the client says about a file that it uploads.
#[derive(Clone, Debug, Default)]
pub struct UploadMetadata {
    pub file_name: String,
    pub title: Option<String>,
    pub batch_id: Option<BatchId>,
    /// The password of the file, if it has one.
    pub password: Option<Secret>,
    pub tags: Vec<String>,
    /// Why the file replaces the original of a document.
    pub reason: Option<String>,
    /// The document type that the new content of a document has. `None`: as before.
    pub document_type: Option<String>,
}

/// The result of an accepted upload.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub doc_id: DocId,
    pub result: DedupResult,
    pub run: Option<AcceptedRun>,
    /// `sha256:…`
    #[serde(default)]
    pub content_hash: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedRun {
    pub run_id: RunId,
    pub status: RunState,
}

impl Uploads {
    /// Begins an upload if the caller may upload now. Call it before reading the first byte.
    pub async fn begin_upload(&self, caller: &Caller) -> Result<IncomingUpload, OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        let visible = caller.permit(Action::SeeDocuments)?;
        self.intake.check_queue_quota(&scope).await?;
        let upload = self.blobs.begin_upload(self.store.ids().next()).await?;
        let limits = self.limits.of(scope.tenant_id());
        let limit = limits.max_upload_bytes.unwrap_or(self.intake.settings().max_bytes);
        let may_rerun = caller.permit(Action::RerunDocuments).is_ok();
        Ok(IncomingUpload { scope, visible, may_rerun, upload, limit })
    }

    /// Deletes the staged bytes.
    pub async fn discard(&self, received: StagedUpload) {
        self.blobs.discard(received.staged).await;
    }

    /// Submits an upload, once per claim. If it is refused, the staged bytes are deleted.
    pub async fn submit_document(
        &self,
        received: StagedUpload,
        mut metadata: UploadMetadata,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let StagedUpload { scope, visible, may_rerun, staged } = received;
        let size = staged.size;
        let checked = match normalized_tags(std::mem::take(&mut metadata.tags)) {
            Ok(tags) => self.batch_of(&visible, &metadata).await.map(|batch| (tags, batch)),
            Err(error) => Err(error),
        };
        let (tags, batch) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                self.blobs.discard(staged).await;
                return Err(error);
            }
        };
        let metadata = UploadMetadata { tags, ..metadata };
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        let request = IntakeRequest {
            scope: &scope,
            metadata: &metadata,
            batch: batch.as_ref(),
            may_rerun,
            claim: claim.as_ref(),
            update: None,
        };
        let accepted = self.intake.accept(&Origin::Upload, staged, request).await;
        match &accepted {
            Ok(done) => count_upload(done, size),
            Err(error) => {
                if let (Some(batch_id), true) = (metadata.batch_id, error.is_final()) {
                    self.note_refused_in_batch(&scope, batch_id).await?;
                }
            }
        }
        accepted
    }

    async fn batch_of(
        &self,
        visible: &Scope,
        metadata: &UploadMetadata,
    ) -> Result<Option<BatchRecord>, OpsError> {
        let Some(batch_id) = metadata.batch_id else { return Ok(None) };
        let mut tx = self.store.read(visible).await?;
        let batch = tx.find_batch(batch_id).await?;
        tx.commit().await?;
        batch.map(Some).ok_or(OpsError::NotFound("batch"))
    }
}

impl IncomingUpload {
    /// Fails as soon as the upload exceeds the size limit.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), OpsError> {
        if self.upload.size() + bytes.len() as u64 > self.limit {
            return Err(OpsError::TooLarge { limit: self.limit });
        }
        Ok(self.upload.write(bytes).await?)
    }

    pub async fn finish(self) -> Result<StagedUpload, OpsError> {
        let Self { scope, visible, may_rerun, upload, .. } = self;
        Ok(StagedUpload { staged: upload.finish().await?, scope, visible, may_rerun })
    }
}

impl StagedUpload {
    pub(crate) fn into_staged(self) -> Staged {
        self.staged
    }

    /// The SHA-256 of the content, which identifies the request whatever the chunk sizes.
    pub fn content_hash(&self) -> &[u8; 32] {
        self.staged.sha256.as_bytes()
    }
}

/// Does not count replayed requests.
fn count_upload(done: &Outcome<Accepted>, size: u64) {
    if !done.replayed {
        let outcome = done.value.result.as_str();
        metrics::counter!("docket_uploads_total", "outcome" => outcome).increment(1);
        metrics::counter!("docket_upload_bytes_total").increment(size);
    }
}

impl AcceptedRun {
    pub fn is_running(&self) -> bool {
        self.status == RunState::Running
    }
}

impl fmt::Debug for IncomingUpload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("IncomingUpload").field("bytes", &self.upload.size()).finish_non_exhaustive()
    }
}
