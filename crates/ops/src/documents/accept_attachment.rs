//! Accepting attachments: files that a stage found in another document, such as those of a mail.
//!
//! An attachment is a document like any other. It is identified by its content, so the same attachment in ten mails is one
//! document. Everyone who sees the containing document sees it, under the name it has there. Accepting an attachment is
//! idempotent, and never renames or restores a known document.
//!
//! Attachments of a document in a batch join that batch, which does not end before they are done. They count among its
//! documents, but not among the files that were uploaded to it. The queue quota applies: on [`OpsError::QueueFull`] the
//! stage retries.

use domain::{Action, AttachedFile, BatchId, Caller, DocId, Origin, RunId, Scope};
use store::BatchRecord;

use crate::documents::intake::{Intake, IntakeRequest};
use crate::{OpsError, UploadMetadata};

impl Intake {
    /// The document that the attachment became; `None` if its format is not accepted.
    pub async fn accept_attachment(&self, file: AttachedFile) -> Result<Option<DocId>, OpsError> {
        let scope = Caller::system(file.tenant_id).permit(Action::UploadDocuments)?;
        self.check_queue_quota(&scope).await?;
        let batch = self.batch_of_run(&scope, file.run_id).await?;
        let mut upload = self.blobs.begin_upload(self.ids.next()).await?;
        upload.write(file.content).await?;
        let staged = upload.finish().await?;
        let metadata = UploadMetadata {
            // The name comes from a document and may contain any bytes.
            file_name: file.name.replace('\0', " "),
            batch_id: batch.as_ref().map(|batch| batch.batch_id),
            ..UploadMetadata::default()
        };
        let request = IntakeRequest {
            scope: &scope,
            metadata: &metadata,
            batch: batch.as_ref(),
            may_rerun: false,
            claim: None,
            update: None,
        };
        let origin = Origin::Attachment { parent: file.parent, depth: file.depth };
        match self.accept(&origin, staged, request).await {
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
