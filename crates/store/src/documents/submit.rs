//! Taking a document in: get or create, decide whether it is new, queue its run. One transaction.

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, BatchId, ContentHash, DedupResult, DocId, Entity, RunId, RunState,
};
use serde_json::json;
use uuid::Uuid;

use super::blobs::content_hash;
use crate::{NewRun, StoreError, Tx, sql};

/// A document whose bytes are published, about to be accepted.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Its id, should it be new.
    pub doc_id: DocId,
    pub source_uri: String,
    /// What kind of file it is.
    pub source_type: String,
    /// Which way it came.
    pub source: &'static str,
    pub title: String,
    pub file_name: String,
    /// None leaves those that it has.
    pub tags: Vec<String>,
    pub media_type: String,
    pub bytes_len: u64,
    pub content: ContentHash,
    /// Whether content that is served already is left alone.
    pub dedupe: bool,
    pub batch_id: Option<BatchId>,
    /// Whether it came within another document: then nobody offered it to the batch.
    pub is_part: bool,
    /// The run, should one be needed; its document is decided here.
    pub run: NewRun,
}

/// What became of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub doc_id: DocId,
    pub result: DedupResult,
    /// The run that processes it; none when there is nothing to do.
    pub run: Option<(RunId, RunState)>,
}

impl Tx {
    /// Accepts a document. The row of the document is held from the first statement on: of two who
    /// hand in the same thing at once, the second sees what the first decided.
    pub async fn submit_document(
        &mut self,
        submission: &Submission,
    ) -> Result<Submitted, StoreError> {
        let (doc_id, created_at, is_new) = self.get_or_create_document(submission).await?;
        self.add_owner(doc_id, created_at).await?;
        let (result, run) = if is_new {
            (DedupResult::New, None)
        } else {
            self.compare_with_what_is_there(doc_id, submission).await?
        };
        let run = match result {
            DedupResult::Skipped | DedupResult::InProgress => run,
            DedupResult::New | DedupResult::NewVersion => {
                self.queue_run(doc_id, submission).await?;
                Some((submission.run.run_id, RunState::Queued))
            }
        };
        if let Some(batch_id) = submission.batch_id {
            let (run_id, told) = (run.map(|(run_id, _)| run_id), (result, submission.is_part));
            self.add_to_batch(batch_id, doc_id, run_id, told).await?;
        }
        Ok(Submitted { doc_id, result, run })
    }

    async fn get_or_create_document(
        &mut self,
        submission: &Submission,
    ) -> Result<(DocId, DateTime<Utc>, bool), StoreError> {
        let (doc_id, created_at, is_new): (Uuid, DateTime<Utc>, bool) =
            sqlx::query_as(sql!("documents/get_or_create"))
                .bind(submission.doc_id.0)
                .bind(self.tenant_id().0)
                .bind(&submission.source_type)
                .bind(&submission.source_uri)
                .bind(&submission.title)
                .bind(submission.source)
                .bind(&submission.file_name)
                .bind(&submission.media_type)
                .bind(i64::try_from(submission.bytes_len).unwrap_or(i64::MAX))
                .bind(self.now())
                .bind(&submission.tags)
                .fetch_one(self.connection())
                .await?;
        Ok((DocId(doc_id), created_at, is_new))
    }

    /// Whoever brings a document in may see it, even when somebody else was first.
    async fn add_owner(
        &mut self,
        doc_id: DocId,
        created_at: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        sqlx::query(sql!("documents/add_owner"))
            .bind(self.tenant_id().0)
            .bind(self.scope().actor().to_string())
            .bind(doc_id.0)
            .bind(created_at)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    async fn compare_with_what_is_there(
        &mut self,
        doc_id: DocId,
        submission: &Submission,
    ) -> Result<(DedupResult, Option<(RunId, RunState)>), StoreError> {
        let (active, run_id, status): (Option<Vec<u8>>, Option<Uuid>, Option<String>) =
            sqlx::query_as(sql!("documents/standing"))
                .bind(self.tenant_id().0)
                .bind(doc_id.0)
                .bind(submission.content.as_bytes())
                .fetch_one(self.connection())
                .await?;
        if !submission.dedupe {
            let known = active.is_some();
            return Ok((if known { DedupResult::NewVersion } else { DedupResult::New }, None));
        }
        if let (Some(run_id), Some(status)) = (run_id, status) {
            let status = status.parse().map_err(|()| StoreError::NotUnderstood {
                what: "state of a run",
                value: status.clone(),
            })?;
            return Ok((DedupResult::InProgress, Some((RunId(run_id), status))));
        }
        Ok(match active.as_deref().map(content_hash).transpose()? {
            Some(hash) if hash == submission.content => (DedupResult::Skipped, None),
            Some(_) => (DedupResult::NewVersion, None),
            None => (DedupResult::New, None),
        })
    }

    async fn queue_run(
        &mut self,
        doc_id: DocId,
        submission: &Submission,
    ) -> Result<(), StoreError> {
        let run = NewRun { doc_id, ..submission.run.clone() };
        self.append_audit(AuditEntry {
            action: AuditAction::DocumentUploadQueued,
            entity: Entity::Document(doc_id),
            detail: json!({
                "run_id": run.run_id,
                "title": submission.title,
                "content_hash": format!("sha256:{}", submission.content),
                "size_bytes": submission.bytes_len,
            }),
        })
        .await?;
        self.start_run(&run).await?;
        self.tell_followers(
            "document.queued",
            json!({ "doc_id": doc_id, "run_id": run.run_id, "title": submission.title }),
        )
        .await
    }
}
