//! Taking in what was found within another document: a mail's attachments.
//!
//! A part is a document like any other: known by its content, so the same attachment in ten mails is one
//! document; seen by those who may see what it came in, under the name it has there. Doing it twice is doing it once.
//! A part neither renames nor restores what is known already.
//!
//! What came with a batch has its parts in that batch, which does not end before them. They count among its
//! documents, and not among the files that were offered to it. When the tenant's queue is full a part waits
//! outside like everybody's documents: [`OpsError::QueueFull`] is for the stage to try again.

use bytes::Bytes;
use domain::{Action, BatchId, Caller, DedupResult, DocId, Offer, RunId, Scope, TenantId};
use serde_json::json;
use store::{BatchRecord, Submission};

use crate::documents::intake::{Coming, Intake};
use crate::{Described, OpsError};

/// A file that came within another one.
#[derive(Debug)]
pub struct FileWithin {
    pub tenant_id: TenantId,
    pub parent: DocId,
    /// The run that found it.
    pub run_id: RunId,
    /// What it is called there.
    pub name: String,
    pub content: Bytes,
    /// How many documents are around it.
    pub depth: u64,
}

impl Intake {
    /// The document it became; `None` when it is of a kind that is not taken in.
    pub async fn take_in_part(&self, file: FileWithin) -> Result<Option<DocId>, OpsError> {
        let scope = Caller::system(file.tenant_id).permit(Action::UploadDocuments)?;
        let (batch, granted) = self.admit_part(&scope, file.run_id).await?;
        let mut upload = self.blobs.begin_upload(self.ids.next()).await?;
        upload.write(file.content).await?;
        let staged = upload.finish().await?;
        let Ok(kind) = self.acceptable_kind(&staged, &file.name) else {
            self.blobs.discard(staged).await;
            return Ok(None);
        };
        let reserved = match self.reserve_storage(&scope, &staged, granted).await {
            Ok(reserved) => reserved,
            Err(error) => {
                self.blobs.discard(staged).await;
                return Err(error);
            }
        };
        let rules = self.announce(&scope, &staged, kind).await?;
        self.blobs.publish(scope.tenant_id(), &staged).await?;
        let batch_id = batch.as_ref().map(|batch| BatchId(batch.batch_id.0));
        // A name of any bytes, found in a document.
        let file_name = file.name.replace('\0', " ");
        let described = Described { file_name, batch_id, ..Described::default() };
        let mut submission = self.submission(Coming {
            scope: &scope,
            staged: &staged,
            described: &described,
            kind,
            batch: batch.as_ref(),
            rules: &rules,
            source: "attachment",
            may_rerun: false,
        })?;
        mark(&mut submission, file.parent, file.depth);
        let mut tx = self.store.begin(&scope).await?;
        let submitted = tx.submit_document(&submission).await??;
        tx.add_part(file.parent, submitted.doc_id, &described.file_name).await?;
        tx.commit().await?;
        if let (Some(reserved), DedupResult::New) = (reserved, submitted.result) {
            reserved.keep();
        }
        Ok(Some(submitted.doc_id))
    }

    /// Is there room for another document, in which batch is it, and what is the tenant's own storage quota?
    async fn admit_part(
        &self,
        scope: &Scope,
        run_id: RunId,
    ) -> Result<(Option<BatchRecord>, Option<u64>), OpsError> {
        let mut across = self.store.across_tenants().await?;
        let special = across.special_limits().await?;
        across.commit().await?;
        let granted = special.iter().find(|(tenant, _)| *tenant == scope.tenant_id());
        let granted = granted.map(|(_, limits)| *limits).unwrap_or_default();
        let quota = granted.queue_quota.unwrap_or(self.settings().queue_quota);
        let most = i64::from(quota);
        let mut tx = self.store.read(scope).await?;
        let waiting = tx.count_waiting_runs(most).await?;
        let run = tx.find_run(run_id).await?;
        let batch = match run.and_then(|run| run.batch_id) {
            Some(batch_id) => tx.find_batch(BatchId(batch_id)).await?,
            None => None,
        };
        tx.commit().await?;
        if waiting >= most {
            return Err(OpsError::QueueFull { quota });
        }
        Ok((batch, granted.storage_quota_bytes))
    }
}

fn mark(submission: &mut Submission, parent: DocId, depth: u64) {
    // Whatever the batch says of what is offered to it: the stage that found the part may run again.
    submission.offer = Offer { is_part: true, dedupe: true, ..Offer::default() };
    submission.run.config["within"] = json!(parent);
    submission.run.config["depth"] = json!(depth);
}
