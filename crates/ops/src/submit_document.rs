//! Taking a document in.
//!
//! Bytes stream into the object store while they are hashed; then one transaction decides whether the
//! document is new and queues its run. In between, in this order, stand two steps that make a crash
//! at any point harmless: the original is announced in the database, so that the janitor leaves it
//! alone, and then published. A row never refers to bytes that are not there.

use std::collections::BTreeSet;
use std::fmt;

use blob::{Staged, Upload};
use bytes::Bytes;
use domain::{
    Action, BatchId, Caller, DedupResult, DocId, FileKind, IdempotencyClaim, JobId, Pipeline,
    RunId, RunState, Scope, StageName, TraceId, upload_uri,
};
use serde::{Deserialize, Serialize};
use serde_json::json;
use store::{BatchRecord, NewRun, Submission};

use crate::once::{Done, outcome_of, settle};
use crate::{Ops, OpsError};
use reading::detect::{Detected, detect, ending};

/// What the operator decides about taking documents in.
#[derive(Clone, Debug)]
pub struct IntakeSettings {
    /// The largest document.
    pub max_bytes: u64,
    pub accepted: BTreeSet<FileKind>,
    /// Runs of one tenant that may wait at once.
    pub queue_quota: u32,
    /// What a document passes when its batch does not say otherwise; `None` while there is no stage.
    pub pipeline: Option<Pipeline>,
    /// Every stage there is, for those who ask for a pipeline of their own.
    pub stages: Vec<StageName>,
}

/// Bytes on their way in.
pub struct Receiving {
    scope: Scope,
    sees: Scope,
    upload: Upload,
    limit: u64,
}

/// All bytes have come, and nobody knows of them yet.
#[derive(Debug)]
pub struct Received {
    scope: Scope,
    /// What the same caller may see: batches, for one.
    sees: Scope,
    staged: Staged,
}

/// What is said of a document by whoever hands it in.
#[derive(Clone, Debug, Default)]
pub struct Described {
    pub file_name: String,
    pub title: Option<String>,
    pub batch_id: Option<BatchId>,
}

/// What became of a document that was handed in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Accepted {
    pub doc_id: DocId,
    pub result: DedupResult,
    pub run: Option<AcceptedRun>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AcceptedRun {
    pub run_id: RunId,
    pub status: String,
}

impl Ops {
    /// May the caller hand something in now? Asked before the first byte is taken.
    pub async fn begin_upload(&self, caller: &Caller) -> Result<Receiving, OpsError> {
        let scope = caller.permit(Action::UploadDocuments)?;
        let sees = caller.permit(Action::SeeDocuments)?;
        self.check_queue_room(&scope).await?;
        let upload = self.blobs.begin_upload(self.ids.next()).await?;
        Ok(Receiving { scope, sees, upload, limit: self.intake.max_bytes })
    }

    async fn check_queue_room(&self, scope: &Scope) -> Result<(), OpsError> {
        let (tenant_id, clock) = (scope.tenant_id(), self.clock.as_ref());
        let quota = i64::from(self.intake.queue_quota);
        let waiting = if let Some(waiting) = self.queue_room.known(tenant_id, clock) {
            waiting
        } else {
            let mut tx = self.store.read(scope).await?;
            let waiting = tx.count_waiting_runs(quota).await?;
            tx.commit().await?;
            self.queue_room.counted(tenant_id, waiting, clock);
            waiting
        };
        if waiting >= quota {
            return Err(OpsError::QueueFull { quota: self.intake.queue_quota });
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
        described: Described,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let Received { scope, sees, staged } = received;
        let accepted = match self.batch_of(&sees, &described).await {
            Ok(batch) => self.accept(&scope, &staged, &described, batch.as_ref(), claim).await,
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
        scope: &Scope,
        staged: &Staged,
        described: &Described,
        batch: Option<&BatchRecord>,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let kind = self.acceptable_kind(staged, &described.file_name)?;
        let submission = self.submission(scope, staged, described, kind, batch)?;
        let claim = claim.map(|claim| self.request_seal.seal(claim));

        let mut tx = self.store.begin(scope).await?;
        tx.announce_blob(&staged.sha256, staged.size, kind.media_type()).await?;
        tx.commit().await?;
        self.blobs.publish(scope.tenant_id(), staged).await?;

        let mut tx = self.store.begin(scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim.as_ref()).await? {
            return Ok(done);
        }
        let submitted = tx.submit_document(&submission).await.map_err(OpsError::from);
        let accepted = submitted.map(|submitted| Accepted {
            doc_id: submitted.doc_id,
            result: submitted.result,
            run: submitted
                .run
                .map(|(run_id, status)| AcceptedRun { run_id, status: status.as_str().to_owned() }),
        });
        let done = settle(tx, claim.as_ref(), accepted).await?;
        if matches!(done.value.result, DedupResult::New | DedupResult::NewVersion) {
            self.queue_room.one_more(scope.tenant_id());
        }
        log(scope, staged, described, kind, &done.value);
        Ok(done)
    }

    fn acceptable_kind(&self, staged: &Staged, file_name: &str) -> Result<FileKind, OpsError> {
        if staged.size == 0 {
            return Err(OpsError::invalid("file", "the file is empty"));
        }
        let kind = match detect(&staged.head, file_name) {
            Detected::Kind(kind) if self.intake.accepted.contains(&kind) => kind,
            Detected::Kind(kind) => return Err(self.refused(kind.media_type())),
            Detected::Foreign(what) => return Err(self.refused(what)),
        };
        match ending(file_name).and_then(|ending| ending.parse::<FileKind>().ok()) {
            Some(named) if named != kind && !both_text(named, kind) => {
                Err(OpsError::UnsupportedType {
                    problem: format!(
                        "the file is named .{named} but contains {}; send it under its right name",
                        kind.media_type()
                    ),
                })
            }
            _ => Ok(kind),
        }
    }

    fn refused(&self, what: &str) -> OpsError {
        let kinds: Vec<&str> = self.intake.accepted.iter().map(|kind| kind.as_str()).collect();
        OpsError::UnsupportedType {
            problem: format!("the file is {what}; accepted are {}", kinds.join(", ")),
        }
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

    fn submission(
        &self,
        scope: &Scope,
        staged: &Staged,
        described: &Described,
        kind: FileKind,
        batch: Option<&BatchRecord>,
    ) -> Result<Submission, OpsError> {
        let pipeline = match batch.and_then(|batch| batch.pipeline.as_deref()) {
            Some(names) => self.pipeline_of(names)?,
            None => self.intake.pipeline.clone().ok_or(OpsError::NoPipeline)?,
        };
        let title = described.title.clone().filter(|title| !title.trim().is_empty());
        let title = title.unwrap_or_else(|| described.file_name.clone());
        let doc_id = DocId(self.ids.next());
        let source = if batch.is_some() { "batch" } else { "manual" };
        let config = json!({
            "source_type": "upload",
            "upload_uri": upload_uri(staged.sha256),
            "title": title,
            "original_filename": described.file_name,
            "content_type": kind.media_type(),
            "file_size_bytes": staged.size,
            "content_hash": format!("sha256:{}", staged.sha256),
            "created_by_user_id": scope.actor().user_id(),
            "created_by": scope.actor().to_string(),
        });
        Ok(Submission {
            doc_id,
            source_uri: upload_uri(staged.sha256),
            source_type: kind.as_str().to_owned(),
            source,
            title,
            file_name: described.file_name.clone(),
            media_type: kind.media_type().to_owned(),
            bytes_len: staged.size,
            content: staged.sha256,
            dedupe: batch.is_none_or(|batch| batch.dedupe),
            batch_id: described.batch_id,
            run: self.new_run(
                scope,
                doc_id,
                pipeline,
                config,
                Some(staged.sha256),
                described.batch_id,
            ),
        })
    }

    pub(crate) fn new_run(
        &self,
        scope: &Scope,
        doc_id: DocId,
        pipeline: Pipeline,
        config: serde_json::Value,
        content: Option<domain::ContentHash>,
        batch_id: Option<BatchId>,
    ) -> NewRun {
        NewRun {
            run_id: RunId(self.ids.next()),
            job_id: JobId(self.ids.next()),
            doc_id,
            pipeline,
            priority: 0,
            retries: domain::RetryPolicy::PIPELINE.retries(),
            parent_run_id: None,
            reason: None,
            config,
            trace_parent: scope.trace_id().map(TraceId::to_traceparent),
            content,
            batch_id,
            reused: None,
        }
    }

    /// A pipeline somebody asks for, of stages that exist.
    pub(crate) fn pipeline_of(&self, names: &[String]) -> Result<Pipeline, OpsError> {
        let known = || {
            let names: Vec<&str> = self.intake.stages.iter().map(StageName::as_str).collect();
            if names.is_empty() { "none yet".to_owned() } else { names.join(", ") }
        };
        let mut stages = Vec::new();
        for name in names {
            let found = self.intake.stages.iter().find(|stage| stage.as_str() == name);
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

impl Receiving {
    /// Refuses as soon as it is too much.
    pub async fn write(&mut self, bytes: Bytes) -> Result<(), OpsError> {
        if self.upload.size() + bytes.len() as u64 > self.limit {
            return Err(OpsError::TooLarge { limit: self.limit });
        }
        Ok(self.upload.write(bytes).await?)
    }

    pub async fn finish(self) -> Result<Received, OpsError> {
        let Self { scope, sees, upload, .. } = self;
        Ok(Received { staged: upload.finish().await?, scope, sees })
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

fn both_text(one: FileKind, other: FileKind) -> bool {
    let text = |kind| matches!(kind, FileKind::Txt | FileKind::Md | FileKind::Html | FileKind::Eml);
    text(one) && text(other)
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
