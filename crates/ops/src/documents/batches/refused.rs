//! Files that were refused while their batch was being uploaded.

use domain::{Action, BatchId, Caller, Scope};

use crate::{OpsError, Uploads};

impl Uploads {
    /// Counts a file that was refused because it is too large.
    pub async fn note_too_large_in_batch(
        &self,
        caller: &Caller,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        self.note_refused_in_batch(&scope, batch_id).await
    }

    /// Counts a refused file, so that a batch with `expected_documents` does not wait for it.
    pub(crate) async fn note_refused_in_batch(
        &self,
        scope: &Scope,
        batch_id: BatchId,
    ) -> Result<(), OpsError> {
        let mut tx = self.store.begin(scope).await?;
        tx.note_refused_in_batch(batch_id).await?;
        Ok(tx.commit().await?)
    }
}
