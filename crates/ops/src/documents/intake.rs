//! Taking documents in: one path for uploads, attachments and sources ([`Intake::accept`]).
//!
//! The bytes are staged in the object store. Then, in this order, two steps make a crash at any point harmless: the
//! original is announced in the database, so that the cleanup task leaves it alone, and published. A row never refers to
//! bytes that are not there: where publishing is a matter of a moment the transaction is written meanwhile, but
//! committed only after it.
//!
//! Nothing here must be kept secret: workers hand in files that they find within others.

use std::collections::BTreeSet;
use std::fmt;
use std::sync::Arc;

use blob::{Blobs, Staged};
use domain::{
    AuditAction, AuditEntry, Clock, ContentHash, DedupResult, DocId, Entity, FileKind, IdGen,
    IdempotencyClaim, JobId, Origin, Pipeline, RetryPolicy, RunConfig, RunId, RunType, Scope,
    SourceType, StageName, SubmissionOptions, TenantLimits, TenantRules, TraceContext, upload_uri,
};
use serde_json::json;
use store::{BatchRecord, NewRun, Store, Submission, Submitted, Tx};

use crate::documents::storage_room::StorageRoom;
use crate::documents::submit::{Accepted, AcceptedRun};
use crate::once::{Done, outcome_of, settle};
use crate::runs::queue_room::{QueueRoom, Room};
use crate::{Described, OpsError};

/// What the operator decides about taking documents in.
#[derive(Clone, Debug)]
pub struct IntakeSettings {
    /// The largest document.
    pub max_bytes: u64,
    pub accepted: BTreeSet<FileKind>,
    /// Runs of one tenant that may wait at once.
    pub queue_quota: u32,
    /// Uploads of one tenant that one process has under way at once.
    pub concurrent_uploads: u32,
    /// How many bytes of originals one tenant may store; `None`: as many as there is space for.
    pub storage_quota: Option<u64>,
    /// What a document passes when nobody says otherwise; `None` while there is no stage.
    pub pipeline: Option<Pipeline>,
    /// Every stage there is, for those who ask for a pipeline of their own.
    pub stages: Vec<StageName>,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Intake {
    pub(crate) store: Store,
    pub(crate) blobs: Blobs,
    pub(crate) ids: Arc<dyn IdGen>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) storage: StorageRoom,
    pub(crate) queue: Arc<QueueRoom>,
    settings: Arc<IntakeSettings>,
}

/// What is known of a document whose bytes are here, and of whoever brought it.
#[derive(Clone, Copy)]
pub(crate) struct Arrival<'a> {
    pub(crate) scope: &'a Scope,
    pub(crate) described: &'a Described,
    pub(crate) batch: Option<&'a BatchRecord>,
    /// Whether the caller may process documents again.
    pub(crate) may_rerun: bool,
    /// Under which it has its effect once.
    pub(crate) claim: Option<&'a IdempotencyClaim>,
    /// The document whose original it replaces.
    pub(crate) replaced: Option<&'a Replaced>,
}

/// A document that gets an updated original.
#[derive(Clone, Debug)]
pub(crate) struct Replaced {
    pub(crate) doc_id: DocId,
    pub(crate) title: String,
    pub(crate) kind: FileKind,
    pub(crate) parent_run_id: Option<RunId>,
    pub(crate) reason: Option<String>,
}

/// What a run is about.
pub(crate) struct Content {
    pub(crate) title: String,
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    pub(crate) size: u64,
    pub(crate) hash: ContentHash,
}

enum Written {
    /// Under the same claim.
    Before(Done<Accepted>),
    Now(Result<Submitted, OpsError>),
}

impl Intake {
    pub fn new(
        store: Store,
        blobs: Blobs,
        ids: Arc<dyn IdGen>,
        clock: Arc<dyn Clock>,
        settings: IntakeSettings,
    ) -> Self {
        let (storage, queue) = (StorageRoom::default(), Arc::default());
        Self { store, blobs, ids, clock, storage, queue, settings: Arc::new(settings) }
    }

    pub(crate) fn settings(&self) -> &IntakeSettings {
        &self.settings
    }

    /// Fails when as many of the tenant's runs wait as may.
    pub(crate) async fn check_queue_room(&self, scope: &Scope) -> Result<(), OpsError> {
        let Room { waiting, limits } = self.room_of(scope).await?;
        let quota = self.queue_quota(limits);
        if waiting >= i64::from(quota) { Err(OpsError::QueueFull { quota }) } else { Ok(()) }
    }

    /// How many of the tenant's runs wait, and what the tenant is granted: as of the last second.
    pub(crate) async fn room_of(&self, scope: &Scope) -> Result<Room, OpsError> {
        let (tenant_id, clock) = (scope.tenant_id(), self.clock.as_ref());
        if let Some(room) = self.queue.known(tenant_id, clock) {
            return Ok(room);
        }
        let mut tx = self.store.read(scope).await?;
        let limits = tx.find_tenant().await?.limits;
        let waiting = tx.count_waiting_runs(i64::from(self.queue_quota(limits))).await?;
        tx.commit().await?;
        let room = Room { waiting, limits };
        self.queue.counted(tenant_id, room, clock);
        Ok(room)
    }

    fn queue_quota(&self, limits: TenantLimits) -> u32 {
        limits.queue_quota.unwrap_or(self.settings.queue_quota)
    }

    /// Takes in what was staged. Refused, nothing of it stays.
    pub(crate) async fn accept(
        &self,
        origin: &Origin,
        staged: Staged,
        arrival: Arrival<'_>,
    ) -> Result<Done<Accepted>, OpsError> {
        let accepted = self.try_to_accept(origin, &staged, arrival).await;
        match &accepted {
            Ok(done) if done.replayed => self.blobs.discard(staged).await,
            Ok(_) => {}
            Err(error) => {
                tracing::info!(
                    event = "ingest_refused",
                    tenant_id = %arrival.scope.tenant_id(),
                    origin = %origin.source_type(),
                    filename = arrival.described.file_name,
                    size_bytes = staged.size,
                    %error,
                    "a document was not accepted"
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
        arrival: Arrival<'_>,
    ) -> Result<Done<Accepted>, OpsError> {
        let Arrival { scope, claim, .. } = arrival;
        let kind = self.acceptable_kind(staged, &arrival.described.file_name)?;
        arrival.replaced.map_or(Ok(()), |replaced| replaced.check_kind(kind))?;
        let reserved = self.reserve_storage(scope, staged).await?;
        let rules = self.announce(scope, staged, kind).await?;
        let submission = self.submission(origin, staged, arrival, kind, rules)?;

        let publishing = self.blobs.publish(scope.tenant_id(), staged);
        let writing = self.write_down(origin, arrival, submission);
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
        let accepted = submitted.map(|submitted| Accepted::of(submitted, staged.sha256));
        let done = settle(tx, claim, accepted).await?;
        if matches!(done.value.result, DedupResult::New | DedupResult::NewVersion) {
            self.queue.one_more(scope.tenant_id());
        }
        let is_stored_now = done.value.result == DedupResult::New || arrival.replaced.is_some();
        if let Some(reserved) = reserved.filter(|_| is_stored_now) {
            reserved.keep();
        }
        self.log(origin, staged, arrival, kind, &done.value);
        Ok(done)
    }

    /// Announces an original, so that the cleanup task leaves it alone: from here on it may be published. Gives
    /// the rules that hold for it.
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

    /// All but the commit, which has to wait until the original is where its rows say.
    async fn write_down(
        &self,
        origin: &Origin,
        arrival: Arrival<'_>,
        submission: Submission,
    ) -> Result<(Tx, Written), OpsError> {
        let mut tx = self.store.begin(arrival.scope).await?;
        let written = match outcome_of(&mut tx, arrival.claim).await? {
            Some(done) => Written::Before(done),
            None => Written::Now(submit(&mut tx, origin, arrival, submission).await),
        };
        Ok((tx, written))
    }

    fn submission(
        &self,
        origin: &Origin,
        staged: &Staged,
        arrival: Arrival<'_>,
        kind: FileKind,
        rules: TenantRules,
    ) -> Result<Submission, OpsError> {
        let Arrival { scope, described, batch, replaced, .. } = arrival;
        let pipeline = self.pipeline_for(batch, &rules)?;
        let title = described.title.clone().filter(|title| !title.trim().is_empty());
        let title = replaced.map_or(title, |replaced| Some(replaced.title.clone()));
        let title = title.unwrap_or_else(|| described.file_name.clone());
        let doc_id = replaced.map_or_else(|| DocId(self.ids.next()), |replaced| replaced.doc_id);
        let content = Content {
            title: title.clone(),
            file_name: described.file_name.clone(),
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
            ..content.run_config(scope, origin.source_type())
        };
        let run_type = if replaced.is_some() { RunType::Rerun } else { origin.run_type() };
        let run = NewRun {
            content: Some(staged.sha256),
            batch_id: described.batch_id,
            password: described.password.clone(),
            parent_run_id: replaced.and_then(|replaced| replaced.parent_run_id),
            reason: replaced.and_then(|replaced| replaced.reason.clone()),
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
            file_name: described.file_name.clone(),
            tags: described.tags.clone(),
            bytes_len: staged.size,
            content: staged.sha256,
            batch_id: described.batch_id,
            options: submission_options(origin, arrival),
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

    /// One line for each document that came.
    fn log(
        &self,
        origin: &Origin,
        staged: &Staged,
        arrival: Arrival<'_>,
        kind: FileKind,
        accepted: &Accepted,
    ) {
        let scope = arrival.scope;
        let is_queued = matches!(accepted.result, DedupResult::New | DedupResult::NewVersion);
        tracing::info!(
            event = "ingest_job_submitted",
            tenant_id = %scope.tenant_id(),
            user_id = %scope.actor(),
            run_id = accepted.run.as_ref().map(|run| run.run_id.to_string()),
            doc_id = %accepted.doc_id,
            origin = %origin.source_type(),
            dedup_result = %accepted.result,
            filename = arrival.described.file_name,
            content_type = kind.media_type(),
            size_bytes = staged.size,
            content_hash = accepted.content_hash,
            source_uri = origin.source_uri(staged.sha256),
            upload_uri = self.blobs.address_of_original(scope.tenant_id(), &staged.sha256),
            delegation_mode = "database",
            // The job is a row of the same transaction: when there is one, it has reached the queue.
            delegation_success = is_queued.then_some(true),
            trace_id = scope.trace_id().map(|trace| trace.to_string()),
            "a document was handed in"
        );
    }

    /// As the batch says, else the tenant, else the operator.
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

    /// A pipeline somebody asks for, of stages that exist.
    pub(crate) fn pipeline_of(&self, names: &[String]) -> Result<Pipeline, OpsError> {
        let known = || {
            let names: Vec<&str> = self.settings.stages.iter().map(StageName::as_str).collect();
            if names.is_empty() { "none yet".to_owned() } else { names.join(", ") }
        };
        let mut stages = Vec::new();
        for name in names {
            let found = self.settings.stages.iter().find(|stage| stage.as_str() == name);
            stages.push(found.cloned().ok_or_else(|| {
                OpsError::invalid(
                    "pipeline",
                    format!("there is no stage '{name}'; there are: {}", known()),
                )
            })?);
        }
        Pipeline::try_from(stages).map_err(|error| OpsError::invalid("pipeline", error))
    }
}

/// What the caller asks for. A part asks for nothing, whatever its batch says: the stage that found it may run again.
fn submission_options(origin: &Origin, arrival: Arrival<'_>) -> SubmissionOptions {
    if matches!(origin, Origin::Attachment { .. }) {
        return SubmissionOptions {
            is_attachment: true,
            dedupe: true,
            ..SubmissionOptions::default()
        };
    }
    let Arrival { described, batch, may_rerun, replaced, .. } = arrival;
    SubmissionOptions {
        dedupe: replaced.is_none() && batch.is_none_or(|batch| batch.dedupe),
        pipeline_is_chosen: batch.is_some_and(|batch| batch.pipeline.is_some()),
        has_password: described.password.is_some(),
        may_rerun,
        is_attachment: false,
        is_update: replaced.is_some(),
    }
}

async fn submit(
    tx: &mut Tx,
    origin: &Origin,
    arrival: Arrival<'_>,
    mut submission: Submission,
) -> Result<Submitted, OpsError> {
    if let Some(replaced) = arrival.replaced {
        let identity = tx.take_own_identity(replaced.doc_id).await?;
        submission.source_uri = identity.ok_or(OpsError::NotFound("document"))?;
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentRerunQueued,
            entity: Entity::Document(replaced.doc_id),
            detail: json!({
                "run_id": submission.run.run_id,
                "parent_run_id": replaced.parent_run_id,
                "reason": replaced.reason,
                "content_hash": submission.run.config.content_hash,
            }),
        })
        .await?;
    }
    let submitted = tx.submit_document(&submission).await??;
    if let Origin::Attachment { parent, .. } = origin {
        tx.add_part(*parent, submitted.doc_id, &submission.file_name).await?;
    }
    Ok(submitted)
}

impl Replaced {
    /// A document stays of its kind: rules that hold for a kind of file must not be escaped by an update.
    fn check_kind(&self, kind: FileKind) -> Result<(), OpsError> {
        if kind == self.kind {
            return Ok(());
        }
        Err(OpsError::UnsupportedType {
            problem: format!(
                "the document is a {} and the file a {kind}; upload it as a document of its own",
                self.kind
            ),
        })
    }
}

impl Content {
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
