//! Taking in what was found within another document: a mail's attachments.
//!
//! A part is a document like any other: known by its content, so the same attachment in ten mails is one
//! document; seen by those who may see what it came in. Doing it twice is doing it once.

use bytes::Bytes;
use domain::{Action, Caller, DocId, TenantId};
use serde_json::json;
use store::Submission;

use crate::intake::{Coming, Intake};
use crate::{Described, OpsError};

/// A file that came within another one.
#[derive(Debug)]
pub struct FileWithin {
    pub tenant_id: TenantId,
    pub parent: DocId,
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
        let mut upload = self.blobs.begin_upload(self.ids.next()).await?;
        upload.write(file.content).await?;
        let staged = upload.finish().await?;
        let Ok(kind) = self.acceptable_kind(&staged, &file.name) else {
            self.blobs.discard(staged).await;
            return Ok(None);
        };
        let rules = self.publish(&scope, &staged, kind).await?;
        let described = Described { file_name: file.name, ..Described::default() };
        let mut submission = self.submission(Coming {
            scope: &scope,
            staged: &staged,
            described: &described,
            kind,
            batch: None,
            rules: &rules,
            source: "attachment",
        })?;
        mark(&mut submission, file.parent, file.depth);
        let mut tx = self.store.begin(&scope).await?;
        let submitted = tx.submit_document(&submission).await?;
        tx.add_part(file.parent, submitted.doc_id, &described.file_name).await?;
        tx.commit().await?;
        Ok(Some(submitted.doc_id))
    }
}

fn mark(submission: &mut Submission, parent: DocId, depth: u64) {
    submission.run.config["within"] = json!(parent);
    submission.run.config["depth"] = json!(depth);
}
