//! Accepting documents: one path for uploads, attachments and sources ([`Intake::accept`]).
//!
//! The bytes are staged in the object store. Two steps, in this order, make a crash at any point harmless: the original is
//! *announced* in the database, so that the cleanup does not remove it, and then *published*, which gives it its final
//! key. A row never refers to missing bytes: if publishing is fast, the transaction is written meanwhile, but it is
//! committed only after publishing succeeded.
//!
//! [`Intake`] contains no secrets, because workers use it to submit attachments.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use blob::{Blobs, Staged};
use domain::{
    AuditAction, AuditEntry, Clock, ContentHash, DedupResult, DocId, Entity, FileKind, IdGen,
    IdempotencyClaim, JobId, Origin, Pipeline, RetryPolicy, RunConfig, RunId, RunType,
    SchemaMapping, Scope, SourceType, StageName, SubmissionOptions, TenantLimits, TenantRules,
    TraceContext, upload_uri,
};
use serde_json::json;
use store::{BatchRecord, NewRun, Store, Submission, Submitted, Tx};

use crate::documents::storage_usage::StorageUsageCache;
use crate::documents::submit::{Accepted, AcceptedRun};
use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::runs::queue_usage::{QueueUsage, QueueUsageCache};
use crate::{OpsError, UploadMetadata};

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

/// The document that an updated original is for.
#[derive(Clone, Debug)]
pub(crate) struct UpdateTarget {
    pub(crate) doc_id: DocId,
    pub(crate) title: String,
    pub(crate) kind: FileKind,
    pub(crate) parent_run_id: Option<RunId>,
    pub(crate) reason: Option<String>,
}

/// The content that a run processes, and its names.
pub(crate) struct RunSubject {
    pub(crate) title: String,
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    pub(crate) size: u64,
    pub(crate) hash: ContentHash,
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

    fn submission(
        &self,
        origin: &Origin,
        staged: &Staged,
        request: IntakeRequest<'_>,
        kind: FileKind,
        rules: TenantRules,
    ) -> Result<Submission, OpsError> {
        let IntakeRequest { scope, metadata, batch, update, .. } = request;
        let pipeline = self.pipeline_for(batch, &rules)?;
        let title = metadata.title.clone().filter(|title| !title.trim().is_empty());
        let title = update.map_or(title, |update| Some(update.title.clone()));
        let title = title.unwrap_or_else(|| metadata.file_name.clone());
        let doc_id = update.map_or_else(|| DocId(self.ids.next()), |update| update.doc_id);
        let content = RunSubject {
            title: title.clone(),
            file_name: metadata.file_name.clone(),
            media_type: kind.media_type().to_owned(),
            size: staged.size,
            hash: staged.sha256,
        };
        let (within, depth) = match origin {
            Origin::Attachment { parent, depth } => (Some(*parent), *depth),
            _ => (None, 0),
        };
        let config = RunConfig {
            upload_uri: Some(upload_uri(staged.sha256)),
            within,
            depth,
            document_type: batch.and_then(|batch| chosen_type(batch, kind, &metadata.file_name)),
            ..content.run_config(scope, origin.source_type())
        };
        let run_type = if update.is_some() { RunType::Rerun } else { origin.run_type() };
        let run = NewRun {
            content: Some(staged.sha256),
            batch_id: metadata.batch_id,
            password: metadata.password.clone(),
            parent_run_id: update.and_then(|update| update.parent_run_id),
            reason: update.and_then(|update| update.reason.clone()),
            ..self.new_run(scope, doc_id, run_type, pipeline, config)
        };
        let source = match origin {
            Origin::Upload if batch.is_some() => "batch",
            Origin::Upload => "manual",
            other => other.source_type().as_str(),
        };
        Ok(Submission {
            doc_id,
            source_uri: origin.source_uri(staged.sha256),
            kind,
            source,
            title,
            file_name: metadata.file_name.clone(),
            tags: metadata.tags.clone(),
            bytes_len: staged.size,
            content: staged.sha256,
            batch_id: metadata.batch_id,
            options: submission_options(origin, request),
            rules,
            run,
        })
    }

    pub(crate) fn new_run(
        &self,
        scope: &Scope,
        doc_id: DocId,
        run_type: RunType,
        pipeline: Pipeline,
        config: RunConfig,
    ) -> NewRun {
        NewRun {
            run_id: RunId(self.ids.next()),
            job_id: JobId(self.ids.next()),
            doc_id,
            pipeline,
            priority: 0,
            retries: RetryPolicy::PIPELINE.retries(),
            run_type,
            parent_run_id: None,
            reason: None,
            config,
            trace_parent: scope.trace().map(TraceContext::to_traceparent),
            content: None,
            batch_id: None,
            password: None,
            reused: None,
        }
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

    /// The pipeline of the batch, else of the tenant, else of the operator.
    pub(crate) fn pipeline_for(
        &self,
        batch: Option<&BatchRecord>,
        rules: &TenantRules,
    ) -> Result<Pipeline, OpsError> {
        if let Some(names) = batch.and_then(|batch| batch.pipeline.as_deref()) {
            return self.pipeline_of(names);
        }
        if !rules.pipeline.is_empty() {
            return self.pipeline_of(&rules.pipeline);
        }
        self.settings.pipeline.clone().ok_or(OpsError::NoPipeline)
    }

    /// Builds a pipeline of named stages, which must exist.
    pub(crate) fn pipeline_of(&self, names: &[String]) -> Result<Pipeline, OpsError> {
        let available = || {
            let names: Vec<&str> = self.settings.stages.iter().map(StageName::as_str).collect();
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        };
        let mut stages = Vec::new();
        for name in names {
            let found = self.settings.stages.iter().find(|stage| stage.as_str() == name);
            stages.push(found.cloned().ok_or_else(|| {
                OpsError::invalid(
                    "pipeline",
                    format!("Unknown stage '{name}'. Available stages: {}.", available()),
                )
            })?);
        }
        Pipeline::try_from(stages).map_err(|error| OpsError::invalid("pipeline", error))
    }
}

/// The document type that the batch chooses for a file. Batches from before mappings were checked may have a mapping that
/// cannot be read; then the classifier decides.
fn chosen_type(batch: &BatchRecord, kind: FileKind, file_name: &str) -> Option<String> {
    let mapping = SchemaMapping::read(batch.schema_mapping.clone()?).ok()?;
    mapping.type_for(kind.media_type(), file_name).map(str::to_owned)
}

/// What the request asks for. An attachment asks for nothing, whatever its batch says, because the stage that found it may
/// run again.
fn submission_options(origin: &Origin, request: IntakeRequest<'_>) -> SubmissionOptions {
    if matches!(origin, Origin::Attachment { .. }) {
        return SubmissionOptions {
            is_attachment: true,
            dedupe: true,
            ..SubmissionOptions::default()
        };
    }
    let IntakeRequest { metadata, batch, may_rerun, update, .. } = request;
    SubmissionOptions {
        dedupe: update.is_none() && batch.is_none_or(|batch| batch.dedupe),
        pipeline_is_chosen: batch.is_some_and(|batch| batch.pipeline.is_some()),
        has_password: metadata.password.is_some(),
        may_rerun,
        is_attachment: false,
        is_update: update.is_some(),
    }
}

async fn submit(
    tx: &mut Tx,
    origin: &Origin,
    request: IntakeRequest<'_>,
    mut submission: Submission,
) -> Result<Submitted, OpsError> {
    if let Some(update) = request.update {
        let identity = tx.take_own_identity(update.doc_id).await?;
        submission.source_uri = identity.ok_or(OpsError::NotFound("document"))?;
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentRerunQueued,
            entity: Entity::Document(update.doc_id),
            detail: json!({
                "run_id": submission.run.run_id,
                "parent_run_id": update.parent_run_id,
                "reason": update.reason,
                "content_hash": submission.run.config.content_hash,
            }),
        })
        .await?;
    } else if let Some(identity) = deleted_identity(tx, origin, &submission).await? {
        submission.source_uri = identity;
    }
    let submitted = tx.submit_document(&submission).await??;
    if let Origin::Attachment { parent, .. } = origin {
        tx.add_part(*parent, submitted.doc_id, &submission.file_name).await?;
    }
    Ok(submitted)
}

/// The identity of the deleted document that content without a document of its own belonged to.
async fn deleted_identity(
    tx: &mut Tx,
    origin: &Origin,
    submission: &Submission,
) -> Result<Option<String>, OpsError> {
    match origin {
        Origin::Upload | Origin::Attachment { .. } => {
            Ok(tx.deleted_update_of(&submission.content).await?)
        }
        Origin::S3 { .. } | Origin::Gcs { .. } | Origin::Folder { .. } => Ok(None),
    }
}

impl UpdateTarget {
    /// The file kind of a document must not change: otherwise an update could evade rules for a file kind.
    fn check_kind(&self, kind: FileKind) -> Result<(), OpsError> {
        if kind == self.kind {
            return Ok(());
        }
        Err(OpsError::UnsupportedType {
            problem: format!(
                "The document is a {} file, but the uploaded file is {kind}. Upload it as a new document.",
                self.kind
            ),
        })
    }
}

impl RunSubject {
    pub(crate) fn run_config(self, scope: &Scope, source_type: SourceType) -> RunConfig {
        RunConfig {
            source_type,
            title: self.title,
            original_filename: self.file_name,
            content_type: self.media_type,
            file_size_bytes: self.size,
            content_hash: format!("sha256:{}", self.hash),
            created_by_user_id: scope.actor().user_id(),
            created_by: Some(scope.actor().to_string()),
            ..RunConfig::default()
        }
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
