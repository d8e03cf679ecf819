//! The results of the documents of a batch.

use domain::{Action, BatchId, Caller};
use store::{After, BatchItemRecord};

use crate::{Batches, OpsError, Page, PageRequest};

impl Batches {
    /// The documents of a batch in the order they were added, each with its result.
    pub async fn list_batch_results(
        &self,
        caller: &Caller,
        batch_id: BatchId,
        request: &PageRequest,
    ) -> Result<Page<BatchItemRecord>, OpsError> {
        let scope = caller.permit(Action::SeeDocuments)?;
        let mut tx = self.store.read(&scope).await?;
        tx.find_batch(batch_id).await?.ok_or(OpsError::NotFound("batch"))?;
        let items = tx.list_batch_items(batch_id, &request.window()).await?;
        tx.commit().await?;
        Ok(request.page_of(items, |item| After { moment: item.added_at, id: item.doc_id.0 }))
    }
}
