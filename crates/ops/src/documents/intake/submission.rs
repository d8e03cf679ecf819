//! The rows of a submitted document: the document, its run, and what the run is configured with.

use blob::Staged;
use domain::{
    AuditAction, AuditEntry, ContentHash, DocId, Entity, FileKind, JobId, Origin, Pipeline,
    RetryPolicy, RunConfig, RunId, RunType, SchemaMapping, Scope, SourceType, SubmissionOptions,
    TenantRules, TraceContext, upload_uri,
};
use serde_json::json;
use store::{BatchRecord, NewRun, Submission, Submitted, Tx};

use super::{Intake, IntakeRequest};
use crate::OpsError;

/// The document that an updated original is for.
#[derive(Clone, Debug)]
pub(crate) struct UpdateTarget {
    pub(crate) doc_id: DocId,
    pub(crate) title: String,
    pub(crate) kind: FileKind,
    pub(crate) parent_run_id: Option<RunId>,
    pub(crate) reason: Option<String>,
    /// The document type that the request chose, or else the run before. `None`: the classifier decides.
    pub(crate) document_type: Option<String>,
}

/// The content that a run processes, and its names.
pub(crate) struct RunSubject {
    pub(crate) title: String,
    pub(crate) file_name: String,
    pub(crate) media_type: String,
    pub(crate) size: u64,
    pub(crate) hash: ContentHash,
}

impl Intake {
    pub(super) fn submission(
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
            document_type: match update {
                Some(update) => update.document_type.clone(),
                None => batch.and_then(|batch| mapped_type(batch, kind, &metadata.file_name)),
            },
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
}

/// The document type that the batch chooses for a file. Batches from before mappings were checked may have a mapping that
/// cannot be read; then the classifier decides.
fn mapped_type(batch: &BatchRecord, kind: FileKind, file_name: &str) -> Option<String> {
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

pub(super) async fn submit(
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
    pub(super) fn check_kind(&self, kind: FileKind) -> Result<(), OpsError> {
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
