//! Rerunning a document.

use domain::{
    Action, AuditAction, AuditEntry, Caller, ContentHash, DedupResult, DocId, Entity, FileKind,
    IdempotencyClaim, MaskRule, Pipeline, RunConfig, RunState, RunType, Scope, Secret, SourceType,
    StageName,
};
use serde_json::json;
use store::{NewRun, ReusedStages, RunRecord, Tx, Window};

use crate::document_types::known::chosen_type;
use crate::documents::intake::RunSubject;
use crate::idempotency::{Outcome, commit_outcome, recorded_outcome};
use crate::{Accepted, AcceptedRun, OpsError, Runs};

/// Options of a rerun.
#[derive(Clone, Debug, Default)]
pub struct RerunOptions {
    pub reason: Option<String>,
    /// `None`: the tenant's pipeline.
    pub pipeline: Option<Vec<String>>,
    /// The first stage to run, on the output of the earlier stages of a previous run. `None`: the first of the pipeline.
    pub from_stage: Option<String>,
    /// The password of the original. `None`: the one that is stored, if any.
    pub password: Option<Secret>,
    /// The document type, or [`AUTOMATIC_TYPE`](domain::AUTOMATIC_TYPE) for the classifier's choice. `None`: as in the previous run.
    pub document_type: Option<String>,
    /// A name that the content was uploaded under again. Masks for that name apply from now on.
    pub file_name: Option<String>,
}

impl Runs {
    /// Queues a run of the document's content, once per claim. The current version stays active until the run succeeds.
    pub async fn rerun_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        rerun: RerunOptions,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let claim = claim.map(|claim| self.request_hmac.apply(claim));
        self.rerun_with_claim(&scope, doc_id, rerun, claim.as_ref()).await
    }

    /// Like [`Self::rerun_document`]; `claim` has the keyed hash.
    pub(crate) async fn rerun_with_claim(
        &self,
        scope: &Scope,
        doc_id: DocId,
        rerun: RerunOptions,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Outcome<Accepted>, OpsError> {
        let mut tx = self.store.begin(scope).await?;
        if let Some(done) = recorded_outcome(&mut tx, claim).await? {
            return Ok(done);
        }
        let queued = self.queue_rerun(&mut tx, scope, doc_id, rerun, None).await;
        let accepted = queued.map(|run| Accepted {
            doc_id,
            result: DedupResult::NewVersion,
            run: Some(AcceptedRun { run_id: run.run_id, status: RunState::Queued }),
            content_hash: run.config.content_hash,
        });
        commit_outcome(tx, claim, accepted).await
    }

    /// Queues a run of `content`, or else of the document's current content. Locks the document, so that no update,
    /// deletion or other rerun changes it meanwhile.
    pub(crate) async fn queue_rerun(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        doc_id: DocId,
        rerun: RerunOptions,
        content: Option<ContentHash>,
    ) -> Result<NewRun, OpsError> {
        let RerunOptions { reason, pipeline, from_stage, password, document_type, file_name } =
            rerun;
        if !tx.lock_document(doc_id).await? {
            return Err(OpsError::NotFound("document"));
        }
        let rules = tx.find_tenant().await?.rules;
        let pipeline = match &pipeline {
            Some(names) => self.intake.pipeline_of(names)?,
            None => self.intake.pipeline_for(None, &rules)?,
        };
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        if let Some(name) = &file_name {
            tx.record_file_name(doc_id, name).await?;
        }
        let parent = latest_run(tx, doc_id).await?;
        // While an update is in progress, its content is the current one: a rerun must not undo the update.
        let in_progress =
            parent.as_ref().filter(|run| !run.status.is_terminal()).map(|run| run.run_id);
        let content = match (content, in_progress) {
            (Some(content), _) => Some(content),
            (None, Some(run_id)) => tx.content_of_run(run_id).await?,
            (None, None) => tx.original_of(doc_id).await?,
        };
        let content = content.ok_or_else(|| OpsError::Conflict {
            code: "original_gone",
            problem: "The original was deleted. Upload the document again.".to_owned(),
        })?;
        let password = match password {
            Some(given) => Some(given),
            None => tx.password_of(doc_id, &content).await?,
        };
        let masks = match FileKind::of_media_type(&document.mime) {
            Some(kind) => {
                let names = tx.file_names_of(doc_id).await?;
                rules.masks_for_names(kind, names.iter().map(String::as_str))
            }
            None => Vec::new(),
        };
        let reused = match &from_stage {
            Some(stage) => find_reused(tx, doc_id, &content, &pipeline, stage, &masks).await?,
            None => None,
        };
        check_password(tx, (doc_id, &content), password.as_ref(), reused.is_some()).await?;
        let subject = RunSubject {
            title: document.title,
            file_name: file_name.unwrap_or(document.filename),
            media_type: document.mime,
            size: tx.size_of_original(&content).await?.unwrap_or_default(),
            hash: content,
        };
        let document_type = match document_type {
            Some(name) => chosen_type(tx, "document_type", name).await?,
            None => parent.as_ref().and_then(|run| run.config.document_type.clone()),
        };
        let config =
            RunConfig { masks, document_type, ..subject.run_config(scope, SourceType::Rerun) };
        let run = NewRun {
            parent_run_id: parent.map(|run| run.run_id),
            reason,
            reused,
            content: Some(content),
            password,
            ..self.intake.new_run(scope, doc_id, RunType::Rerun, pipeline, config)
        };
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentRerunQueued,
            entity: Entity::Document(doc_id),
            detail: json!({ "run_id": run.run_id, "parent_run_id": run.parent_run_id, "reason": run.reason }),
        })
        .await?;
        tx.start_run(&run).await?;
        Ok(run)
    }
}

pub(crate) async fn latest_run(tx: &mut Tx, doc_id: DocId) -> Result<Option<RunRecord>, OpsError> {
    let latest = Window { after: None, skip: 0, limit: 1 };
    Ok(tx.list_runs(None, Some(doc_id), &latest).await?.into_iter().next())
}

/// Checks that a required password is present. Whether it is right shows when the original is opened; a run that does not
/// open the original must be given the password that opened it before.
async fn check_password(
    tx: &mut Tx,
    (doc_id, content): (DocId, &ContentHash),
    password: Option<&Secret>,
    skips_original: bool,
) -> Result<(), OpsError> {
    if password.is_some() && !skips_original || tx.password_opens(doc_id, content, password).await?
    {
        return Ok(());
    }
    let (code, problem) = if password.is_some() {
        ("wrong_password", "This is not the password of this document.")
    } else {
        ("password_required", "The password of this document is no longer stored. Enter it again.")
    };
    Err(OpsError::Conflict { code, problem: problem.to_owned() })
}

/// The run whose output of the earlier stages can be reused, with the same masks; `None` if `stage` is the first.
async fn find_reused(
    tx: &mut Tx,
    doc_id: DocId,
    content: &ContentHash,
    pipeline: &Pipeline,
    stage: &str,
    masks: &[MaskRule],
) -> Result<Option<ReusedStages>, OpsError> {
    let stages = pipeline.stages();
    let index = stages.iter().position(|name| name.as_str() == stage).ok_or_else(|| {
        let names: Vec<&str> = stages.iter().map(StageName::as_str).collect();
        OpsError::invalid(
            "from_stage",
            format!("The pipeline has no stage '{stage}'. Its stages: {}.", names.join(", ")),
        )
    })?;
    if index == 0 {
        return Ok(None);
    }
    let (before, first) = (&stages[..index], stages[index].clone());
    match tx.find_reusable_run(doc_id, content, before, masks).await? {
        Some(from) => Ok(Some(ReusedStages { from, first })),
        None => Err(OpsError::Conflict {
            code: "nothing_to_reuse",
            problem: format!(
                "No earlier run of this content with the same masks reached the stage '{stage}'. Rerun the document \
                 from the beginning."
            ),
        }),
    }
}
