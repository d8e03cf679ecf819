//! Listing batches.

use domain::{Action, BatchId, Caller};
use store::{After, BatchRecord};

use crate::{Batches, OpsError, Page, PageRequest};

impl Batches {
    /// Newest first.
    pub async fn list_batches(
        &self,
        caller: &Caller,
        request: &PageRequest,
    ) -> Result<Page<BatchRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let batches = tx.list_batches(&request.window()).await?;
        tx.commit().await?;
        Ok(request
            .page_of(batches, |batch| After { moment: batch.created_at, id: batch.batch_id.0 }))
    }

    pub async fn find_batch(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<BatchRecord, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        let batch = tx.find_batch(batch_id).await?;
        tx.commit().await?;
        batch.ok_or(OpsError::NotFound("batch"))
    }

    /// Whether the caller may add documents to this batch. Checked before the first byte is read.
    pub async fn check_batch_for_upload(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        caller.permit(Action::UploadDocuments)?;
        self.find_batch(caller, batch_id).await.map(drop)
    }
}
