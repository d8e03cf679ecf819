//! Uploading a document: the bytes stream into the object store while they are hashed, then [`Intake::accept`] decides.
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

use crate::documents::intake::Arrival;
use crate::documents::tags::checked_tags;
use crate::once::Done;
use crate::{OpsError, Uploads};

/// Bytes on their way in.
pub struct Receiving {
    scope: Scope,
    sees: Scope,
    may_rerun: bool,
    upload: Upload,
    limit: u64,
}

/// All bytes have come, and nobody knows of them yet.
#[derive(Debug)]
pub struct Received {
    scope: Scope,
    /// What the same caller may see: batches, for one.
    sees: Scope,
    /// Whether the same caller may process documents again.
    may_rerun: bool,
    staged: Staged,
}

/// What is said of a document by whoever hands it in.
#[derive(Clone, Debug, Default)]
pub struct Described {
    pub file_name: String,
    pub title: Option<String>,
    pub batch_id: Option<BatchId>,
    /// Opens the file, where it is locked.
    pub password: Option<Secret>,
    pub tags: Vec<String>,
    /// Why, where it replaces the original of a document.
    pub reason: Option<String>,
}

/// What became of a document that was handed in.
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
    /// May the caller hand something in now? Asked before the first byte is taken.
    pub async fn begin_upload(&self, caller: &Caller) -> Result<Receiving, OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        let sees = caller.permit(Action::SeeDocuments)?;
        self.intake.check_queue_room(&scope).await?;
        let upload = self.blobs.begin_upload(self.store.ids().next()).await?;
        let limits = self.limits.of(scope.tenant_id());
        let limit = limits.max_upload_bytes.unwrap_or(self.intake.settings().max_bytes);
        let may_rerun = caller.permit(Action::RerunDocuments).is_ok();
        Ok(Receiving { scope, sees, may_rerun, upload, limit })
    }

    /// Gives up what was received.
    pub async fn discard(&self, received: Received) {
        self.blobs.discard(received.staged).await;
    }

    /// Accepts what was received, once under one claim. Refused, nothing of it stays.
    pub async fn submit_document(
        &self,
        received: Received,
        mut described: Described,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let Received { scope, sees, may_rerun, staged } = received;
        let size = staged.size;
        let checked = match checked_tags(std::mem::take(&mut described.tags)) {
            Ok(tags) => self.batch_of(&sees, &described).await.map(|batch| (tags, batch)),
            Err(error) => Err(error),
        };
        let (tags, batch) = match checked {
            Ok(checked) => checked,
            Err(error) => {
                self.blobs.discard(staged).await;
                return Err(error);
            }
        };
        let described = Described { tags, ..described };
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let arrival = Arrival {
            scope: &scope,
            described: &described,
            batch: batch.as_ref(),
            may_rerun,
            claim: claim.as_ref(),
            replaced: None,
        };
        let accepted = self.intake.accept(&Origin::Upload, staged, arrival).await;
        match &accepted {
            Ok(done) => count_upload(done, size),
            Err(error) => {
                if let (Some(batch_id), true) = (described.batch_id, error.is_final()) {
                    self.note_refused_in_batch(&scope, batch_id).await?;
                }
            }
        }
        accepted
    }

    async fn batch_of(
        &self,
        sees: &Scope,
        described: &Described,
    ) -> Result<Option<BatchRecord>, OpsError> {
        let Some(batch_id) = described.batch_id else { return Ok(None) };
        let mut tx = self.store.read(sees).await?;
        let batch = tx.find_batch(batch_id).await?;
        tx.commit().await?;
        batch.map(Some).ok_or(OpsError::NotFound("batch"))
    }
}

impl Receiving {
    /// Refuses as soon as it is too much.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), OpsError> {
        if self.upload.size() + bytes.len() as u64 > self.limit {
            return Err(OpsError::TooLarge { limit: self.limit });
        }
        Ok(self.upload.write(bytes).await?)
    }

    pub async fn finish(self) -> Result<Received, OpsError> {
        let Self { scope, sees, may_rerun, upload, .. } = self;
        Ok(Received { staged: upload.finish().await?, scope, sees, may_rerun })
    }
}

impl Received {
    pub(crate) fn into_staged(self) -> Staged {
        self.staged
    }

    /// Tells one request from another: the content, however it was cut into pieces.
    pub fn content(&self) -> &[u8; 32] {
        self.staged.sha256.as_bytes()
    }
}

/// A repetition is none.
fn count_upload(done: &Done<Accepted>, size: u64) {
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

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving").field("bytes", &self.upload.size()).finish_non_exhaustive()
    }
}
