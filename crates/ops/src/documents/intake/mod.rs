//! Accepting documents: one path for uploads, attachments and sources ([`Intake::accept`]).
//!
//! The bytes are staged in the object store. Two steps, in this order, make a crash at any point harmless: the original is
//! *announced* in the database, so that the cleanup does not remove it, and then *published*, which gives it its final
//! key. A row never refers to missing bytes: if publishing is fast, the transaction is written meanwhile, but it is
//! committed only after publishing succeeded.
//!
//! [`Intake`] contains no secrets, because workers use it to submit attachments.

mod pipelines;
mod submission;

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use blob::{Blobs, Staged};
use domain::{
    Clock, ContentHash, DedupResult, FileKind, IdGen, IdempotencyClaim, Origin, Pipeline, Scope,
    StageName, TenantLimits, TenantRules,
};
use store::{BatchRecord, Store, Submission, Submitted, Tx};

use crate::documents::storage_usage::StorageUsageCache;
use crate::documents::submit::{Accepted, AcceptedRun};
use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::runs::queue_usage::{QueueUsage, QueueUsageCache};
use crate::{OpsError, UploadMetadata};
use submission::submit;
pub(crate) use submission::{RunSubject, UpdateTarget};

/// The operator's settings for accepting documents.
#[derive(Clone, Debug)]
pub struct IntakeSettings {
    /// The size limit of a document.
    pub max_bytes: u64,
    pub accepted: BTreeSet<FileKind>,
    /// The most runs of one tenant that may wait.
    pub queue_quota: u32,
    /// The most concurrent uploads of one tenant in one process.
    pub concurrent_uploads: u32,
    /// The most bytes of originals that one tenant may store; `None` for no limit.
    pub storage_quota: Option<u64>,
    /// The default pipeline; `None` if no stage is configured.
    pub pipeline: Option<Pipeline>,
    /// All available stages, for requests that choose a pipeline.
    pub stages: Vec<StageName>,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Intake {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) storage: StorageUsageCache,
    pub(crate) queue: Arc<QueueUsageCache>,
    settings: Arc<IntakeSettings>,
}

/// A request to accept staged bytes as a document.
#[derive(Clone, Copy)]
pub(crate) struct IntakeRequest<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) metadata: &'a UploadMetadata,
    pub(crate) batch: Option<&'a BatchRecord>,
    /// Whether the caller may rerun documents.
    pub(crate) may_rerun: bool,
    /// The idempotency key of the request.
    pub(crate) claim: Option<&'a IdempotencyClaim>,
    /// The document whose original the bytes replace.
    pub(crate) update: Option<&'a UpdateTarget>,
}

enum SubmitResult {
    /// A request with the same idempotency key was accepted before.
    Replayed(Outcome<Accepted>),
    New(Result<Submitted, OpsError>),
}

impl Intake {
    pub fn new(
        store: Store,
        blobs: Blobs,
        ids: Arc<dyn IdGen>,
        clock: Arc<dyn Clock>,
        settings: IntakeSettings,
    ) -> Self {
        let (storage, queue) = (StorageUsageCache::default(), Arc::default());
        Self { store, blobs, ids, clock, storage, queue, settings: Arc::new(settings) }
    }

    pub(crate) fn settings(&self) -> &IntakeSettings {
        &self.settings
    }

    /// Fails if the tenant's queue is full.
    pub(crate) async fn check_queue_quota(&self, scope: &Scope) -> Result<(), OpsError> {
        let QueueUsage { waiting, limits } = self.queue_usage(scope).await?;
        let quota = self.queue_quota(limits);
        if waiting >= i64::from(quota) { Err(OpsError::QueueFull { quota }) } else { Ok(()) }
    }

    /// The tenant's waiting runs and limits, cached for a second.
    pub(crate) async fn queue_usage(&self, scope: &Scope) -> Result<QueueUsage, OpsError> {
        let (tenant_id, clock) = (scope.tenant_id(), self.clock.as_ref());
        if let Some(usage) = self.queue.get(tenant_id, clock) {
            return Ok(usage);
        }
        let mut tx = self.store.read(scope).await?;
        let limits = tx.find_tenant().await?.limits;
        let waiting = tx.count_waiting_runs(i64::from(self.queue_quota(limits))).await?;
        tx.commit().await?;
        let usage = QueueUsage { waiting, limits };
        self.queue.insert(tenant_id, usage, clock);
        Ok(usage)
    }

    fn queue_quota(&self, limits: TenantLimits) -> u32 {
        limits.queue_quota.unwrap_or(self.settings.queue_quota)
    }

    /// Accepts staged bytes as a document. If they are refused, they are deleted.
    pub(crate) async fn accept(
        &self,
        origin: &Origin,
        staged: Staged,
        request: IntakeRequest<'_>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let accepted = self.try_to_accept(origin, &staged, request).await;
        match &accepted {
            Ok(done) if done.replayed => self.blobs.discard(staged).await,
            Ok(_) => {}
            Err(error) => {
                tracing::info!(
                    event = "ingest_refused",
                    tenant_id = %request.scope.tenant_id(),
                    origin = %origin.source_type(),
                    filename = request.metadata.file_name,
                    size_bytes = staged.size,
                    %error,
                    "document refused"
                );
                self.blobs.discard(staged).await;
            }
        }
        accepted
    }

    async fn try_to_accept(
        &self,
        origin: &Origin,
        staged: &Staged,
        request: IntakeRequest<'_>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let IntakeRequest { scope, claim, .. } = request;
        let kind = self.acceptable_kind(staged, &request.metadata.file_name)?;
        request.update.map_or(Ok(()), |update| update.check_kind(kind))?;
        let reserved = self.reserve_storage(scope, staged).await?;
        let rules = self.announce(scope, staged, kind).await?;
        let submission = self.submission(origin, staged, request, kind, rules)?;

        let publishing = self.blobs.publish(scope.tenant_id(), staged);
        let writing = self.write_rows(origin, request, submission);
        let (published, written) = if self.blobs.is_published_at_once(staged) {
            tokio::join!(publishing, writing)
        } else {
            publishing.await?;
            (Ok(()), writing.await)
        };
        let (tx, written) = written?;
        let submitted = match published.map(|()| written) {
            Err(error) => Err(error.into()),
            Ok(SubmitResult::Replayed(done)) => return Ok(done),
            Ok(SubmitResult::New(submitted)) => submitted,
        };
        let accepted = submitted.map(|submitted| Accepted::of(submitted, staged.sha256));
        let done = commit_outcome(tx, claim, accepted).await?;
        if matches!(done.value.result, DedupResult::New | DedupResult::NewVersion) {
            self.queue.increment(scope.tenant_id());
        }
        let is_stored_now = done.value.result == DedupResult::New || request.update.is_some();
        if let Some(reserved) = reserved.filter(|_| is_stored_now) {
            reserved.confirm();
        }
        self.log(origin, staged, request, kind, &done.value);
        Ok(done)
    }

    /// Announces an original, so that the cleanup does not remove it once it is published. Returns the tenant's rules.
    async fn announce(
        &self,
        scope: &Scope,
        staged: &Staged,
        kind: FileKind,
    ) -> Result<TenantRules, OpsError> {
        let mut tx = self.store.begin(scope).await?;
        let rules = tx.announce_blob(&staged.sha256, staged.size, kind.media_type()).await?;
        tx.commit().await?;
        Ok(rules)
    }

    /// Writes the rows without committing: the caller commits once the original is published.
    async fn write_rows(
        &self,
        origin: &Origin,
        request: IntakeRequest<'_>,
        submission: Submission,
    ) -> Result<(Tx, SubmitResult), OpsError> {
        let mut tx = self.store.begin(request.scope).await?;
        let written = match recorded_outcome(&mut tx, request.claim).await? {
            Some(done) => SubmitResult::Replayed(done),
            None => SubmitResult::New(submit(&mut tx, origin, request, submission).await),
        };
        Ok((tx, written))
    }

    /// Logs one line per submitted document.
    fn log(
        &self,
        origin: &Origin,
        staged: &Staged,
        request: IntakeRequest<'_>,
        kind: FileKind,
        accepted: &Accepted,
    ) {
        let scope = request.scope;
        let is_queued = matches!(accepted.result, DedupResult::New | DedupResult::NewVersion);
        tracing::info!(
            event = "ingest_job_submitted",
            tenant_id = %scope.tenant_id(),
            user_id = %scope.actor(),
            run_id = accepted.run.as_ref().map(|run| run.run_id.to_string()),
            doc_id = %accepted.doc_id,
            origin = %origin.source_type(),
            dedup_result = %accepted.result,
            filename = request.metadata.file_name,
            content_type = kind.media_type(),
            size_bytes = staged.size,
            content_hash = accepted.content_hash,
            source_uri = origin.source_uri(staged.sha256),
            upload_uri = self.blobs.address_of_original(scope.tenant_id(), &staged.sha256),
            delegation_mode = "database",
            // The job is a row of the same transaction, so delegating it to the queue cannot fail separately.
            delegation_success = is_queued.then_some(true),
            trace_id = scope.trace_id().map(|trace| trace.to_string()),
            "document submitted"
        );
    }
}

impl Accepted {
    fn of(submitted: Submitted, content: ContentHash) -> Self {
        let Submitted { doc_id, result, run } = submitted;
        let run = run.map(|(run_id, status)| AcceptedRun { run_id, status });
        Self { doc_id, result, run, content_hash: format!("sha256:{content}") }
    }
}

impl fmt::Debug for Intake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Intake").field("settings", &self.settings).finish_non_exhaustive()
    }
}
