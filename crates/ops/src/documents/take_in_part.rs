//! Taking in what was found within another document: a mail's attachments.
//!
//! A part is a document like any other: known by its content, so the same attachment in ten mails is one
//! document; seen by those who may see what it came in, under the name it has there. Doing it twice is doing it once.
//! A part neither renames nor restores what is known already.
//!
//! What came with a batch has its parts in that batch, which does not end before them. They count among its
//! documents, and not among the files that were offered to it. When the tenant's queue is full a part waits
//! outside like everybody's documents: [`OpsError::QueueFull`] is for the stage to try again.

use domain::{Action, AttachedFile, BatchId, Caller, DocId, Origin, RunId, Scope};
use store::BatchRecord;

use crate::documents::intake::{Arrival, Intake};
use crate::{Described, OpsError};

impl Intake {
    /// The document it became; `None` when it is of a kind that is not taken in.
    pub async fn take_in_part(&self, file: AttachedFile) -> Result<Option<DocId>, OpsError> {
        let scope = Caller::system(file.tenant_id).permit(Action::UploadDocuments)?;
        self.check_queue_room(&scope).await?;
        let batch = self.batch_of_run(&scope, file.run_id).await?;
        let mut upload = self.blobs.begin_upload(self.ids.next()).await?;
        upload.write(file.content).await?;
        let staged = upload.finish().await?;
        let described = Described {
            // A name of any bytes, found in a document.
            file_name: file.name.replace('\0', " "),
            batch_id: batch.as_ref().map(|batch| batch.batch_id),
            ..Described::default()
        };
        let arrival = Arrival {
            scope: &scope,
            described: &described,
            batch: batch.as_ref(),
            may_rerun: false,
            claim: None,
            replaced: None,
        };
        let origin = Origin::Attachment { parent: file.parent, depth: file.depth };
        match self.accept(&origin, staged, arrival).await {
            Ok(done) => Ok(Some(done.value.doc_id)),
            Err(OpsError::UnsupportedType { .. } | OpsError::Invalid { field: "file", .. }) => {
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    async fn batch_of_run(
        &self,
        scope: &Scope,
        run_id: RunId,
    ) -> Result<Option<BatchRecord>, OpsError> {
        let mut tx = self.store.read(scope).await?;
        let run = tx.find_run(run_id).await?;
        let batch = match run.and_then(|run| run.batch_id) {
            Some(batch_id) => tx.find_batch(BatchId(batch_id)).await?,
            None => None,
        };
        tx.commit().await?;
        Ok(batch)
    }
}
