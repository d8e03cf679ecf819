//! Taking a document in.
//!
//! Bytes stream into the object store while they are hashed; then one transaction decides whether the
//! document is new and queues its run. In between, in this order, stand two steps that make a crash
//! at any point harmless: the original is announced in the database, so that the janitor leaves it
//! alone, and then published. A row never refers to bytes that are not there: where publishing is a matter
//! of a moment the transaction is written meanwhile, but committed only after it.

use std::fmt;

use blob::{Staged, Upload};
use bytes::Bytes;
use domain::{
    Action, BatchId, Caller, DedupResult, DocId, FileKind, IdempotencyClaim, RunId, RunState,
    Scope, Secret, upload_uri,
};
use serde::{Deserialize, Serialize};
use store::{BatchRecord, Submission, Submitted, Tx};

use crate::documents::intake::Coming;
use crate::documents::tags::checked_tags;
use crate::once::{Done, outcome_of, settle};
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
    pub status: String,
}

/// What was received, from whom, and what they say of it.
#[derive(Clone, Copy)]
struct Handed<'a> {
    scope: &'a Scope,
    staged: &'a Staged,
    described: &'a Described,
    may_rerun: bool,
}

enum Written {
    /// Under the same claim.
    Before(Done<Accepted>),
    Now(Result<Submitted, OpsError>),
}

impl Uploads {
    /// May the caller hand something in now? Asked before the first byte is taken.
    pub async fn begin_upload(&self, caller: &Caller) -> Result<Receiving, OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        let sees = caller.permit(Action::SeeDocuments)?;
        self.check_queue_room(&scope).await?;
        let upload = self.blobs.begin_upload(self.store.ids().next()).await?;
        let limits = self.limits.of(scope.tenant_id());
        let limit = limits.max_upload_bytes.unwrap_or(self.intake.settings().max_bytes);
        let may_rerun = caller.permit(Action::RerunDocuments).is_ok();
        Ok(Receiving { scope, sees, may_rerun, upload, limit })
    }

    pub(crate) async fn check_queue_room(&self, scope: &Scope) -> Result<(), OpsError> {
        let (tenant_id, clock) = (scope.tenant_id(), self.store.clock().as_ref());
        let granted = self.limits.of(tenant_id).queue_quota;
        let quota = granted.unwrap_or(self.intake.settings().queue_quota);
        let most = i64::from(quota);
        let waiting = if let Some(waiting) = self.queue_room.known(tenant_id, clock) {
            waiting
        } else {
            let mut tx = self.store.read(scope).await?;
            let waiting = tx.count_waiting_runs(most).await?;
            tx.commit().await?;
            self.queue_room.counted(tenant_id, waiting, clock);
            waiting
        };
        if waiting >= most {
            return Err(OpsError::QueueFull { quota });
        }
        Ok(())
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
        let described = match checked_tags(std::mem::take(&mut described.tags)) {
            Ok(tags) => Described { tags, ..described },
            Err(error) => {
                self.blobs.discard(staged).await;
                return Err(error);
            }
        };
        let accepted = match self.batch_of(&sees, &described).await {
            Ok(batch) => {
                let handed =
                    Handed { scope: &scope, staged: &staged, described: &described, may_rerun };
                self.accept(handed, batch.as_ref(), claim).await
            }
            Err(error) => Err(error),
        };
        match &accepted {
            Ok(done) if done.replayed => self.blobs.discard(staged).await,
            Ok(_) => {}
            Err(error) => {
                tracing::info!(
                    event = "ingest_refused",
                    tenant_id = %scope.tenant_id(),
                    filename = described.file_name,
                    size_bytes = staged.size,
                    %error,
                    "a document was not accepted"
                );
                self.blobs.discard(staged).await;
                if let (Some(batch_id), true) = (described.batch_id, error.is_final()) {
                    self.note_refused_in_batch(&scope, batch_id).await?;
                }
            }
        }
        accepted
    }

    async fn accept(
        &self,
        handed: Handed<'_>,
        batch: Option<&BatchRecord>,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let Handed { scope, staged, described, may_rerun } = handed;
        let kind = self.intake.acceptable_kind(staged, &described.file_name)?;
        let granted = self.limits.of(scope.tenant_id()).storage_quota_bytes;
        let reserved = self.intake.reserve_storage(scope, staged, granted).await?;
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        let rules = self.intake.announce(scope, staged, kind).await?;
        let source = if batch.is_some() { "batch" } else { "manual" };
        let rules = &rules;
        let coming = Coming { scope, staged, described, kind, batch, rules, source, may_rerun };
        let submission = self.intake.submission(coming)?;

        let publishing = self.blobs.publish(scope.tenant_id(), staged);
        let writing = self.write_down(scope, &submission, claim.as_ref());
        let (published, written) = if self.blobs.is_published_at_once(staged) {
            tokio::join!(publishing, writing)
        } else {
            publishing.await?;
            (Ok(()), writing.await)
        };
        let (tx, written) = written?;
        let submitted = match published.map(|()| written) {
            Err(error) => Err(error.into()),
            Ok(Written::Before(done)) => return Ok(done),
            Ok(Written::Now(submitted)) => submitted,
        };
        let accepted = submitted.map(|submitted| Accepted {
            doc_id: submitted.doc_id,
            result: submitted.result,
            run: submitted
                .run
                .map(|(run_id, status)| AcceptedRun { run_id, status: status.as_str().to_owned() }),
            content_hash: format!("sha256:{}", staged.sha256),
        });
        let done = settle(tx, claim.as_ref(), accepted).await?;
        if matches!(done.value.result, DedupResult::New | DedupResult::NewVersion) {
            self.queue_room.one_more(scope.tenant_id());
        }
        if let (Some(reserved), DedupResult::New) = (reserved, done.value.result) {
            reserved.keep();
        }
        log(scope, staged, described, kind, &done.value);
        Ok(done)
    }

    /// All but the commit, which has to wait until the original is where its rows say.
    async fn write_down(
        &self,
        scope: &Scope,
        submission: &Submission,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<(Tx, Written), OpsError> {
        let mut tx = self.store.begin(scope).await?;
        let written = match outcome_of(&mut tx, claim).await? {
            Some(done) => Written::Before(done),
            None => Written::Now(match tx.submit_document(submission).await {
                Ok(submitted) => submitted.map_err(OpsError::from),
                Err(error) => Err(error.into()),
            }),
        };
        Ok((tx, written))
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
    /// Tells one request from another: the content, however it was cut into pieces.
    pub fn content(&self) -> &[u8; 32] {
        self.staged.sha256.as_bytes()
    }
}

/// One line for each document that came.
fn log(scope: &Scope, staged: &Staged, described: &Described, kind: FileKind, accepted: &Accepted) {
    metrics::counter!("docket_uploads_total", "outcome" => accepted.result.as_str()).increment(1);
    metrics::counter!("docket_upload_bytes_total").increment(staged.size);
    tracing::info!(
        event = "ingest_job_submitted",
        tenant_id = %scope.tenant_id(),
        user_id = %scope.actor(),
        run_id = accepted.run.as_ref().map(|run| run.run_id.to_string()),
        doc_id = %accepted.doc_id,
        dedup_result = %accepted.result,
        filename = described.file_name,
        content_type = kind.media_type(),
        size_bytes = staged.size,
        content_hash = %format_args!("sha256:{}", staged.sha256),
        source_uri = upload_uri(staged.sha256),
        delegation_mode = "database",
        delegation_success = true,
        trace_id = scope.trace_id().map(|trace| trace.to_string()),
        "a document was handed in"
    );
}

impl AcceptedRun {
    pub fn is_running(&self) -> bool {
        self.status == RunState::Running.as_str()
    }
}

impl fmt::Debug for Receiving {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Receiving").field("bytes", &self.upload.size()).finish_non_exhaustive()
    }
}
