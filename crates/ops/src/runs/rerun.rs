//! Processing a document again.

use domain::{
    Action, AuditAction, AuditEntry, Caller, ContentHash, DedupResult, DocId, Entity, FileKind,
    IdempotencyClaim, MaskRule, Pipeline, RunConfig, RunState, RunType, Scope, Secret, SourceType,
    StageName,
};
use serde_json::json;
use store::{NewRun, ReusedStages, RunRecord, Tx, Window};

use crate::documents::intake::Content;
use crate::once::{Done, outcome_of, settle};
use crate::{Accepted, AcceptedRun, OpsError, Runs};

/// How a document is to be processed again.
#[derive(Clone, Debug, Default)]
pub struct Rerun {
    pub reason: Option<String>,
    /// The usual one when left out.
    pub pipeline: Option<Vec<String>>,
    /// Begins here, on what the stages before it left the last time.
    pub from_stage: Option<String>,
    /// Opens the original; the one that was given before when left out.
    pub password: Option<Secret>,
}

impl Runs {
    /// Queues a new run of what the document contains, once under one claim; it knows the run before it. What is
    /// served stays served until the new run succeeds.
    pub async fn rerun_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        rerun: Rerun,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let claim = claim.map(|claim| self.request_seal.seal(claim));
        self.rerun_once(&scope, doc_id, rerun, claim.as_ref()).await
    }

    /// The same under a claim that is sealed.
    pub(crate) async fn rerun_once(
        &self,
        scope: &Scope,
        doc_id: DocId,
        rerun: Rerun,
        claim: Option<&IdempotencyClaim>,
    ) -> Result<Done<Accepted>, OpsError> {
        let mut tx = self.store.begin(scope).await?;
        if let Some(done) = outcome_of(&mut tx, claim).await? {
            return Ok(done);
        }
        let queued = self.queue_rerun(&mut tx, scope, doc_id, rerun, None).await;
        let accepted = queued.map(|run| Accepted {
            doc_id,
            result: DedupResult::NewVersion,
            run: Some(AcceptedRun { run_id: run.run_id, status: RunState::Queued }),
            content_hash: run.config.content_hash,
        });
        settle(tx, claim, accepted).await
    }

    /// Queues a run of the document's content, or of what `content` says.
    pub(crate) async fn queue_rerun(
        &self,
        tx: &mut Tx,
        scope: &Scope,
        doc_id: DocId,
        rerun: Rerun,
        content: Option<ContentHash>,
    ) -> Result<NewRun, OpsError> {
        let Rerun { reason, pipeline, from_stage, password } = rerun;
        let rules = tx.find_tenant().await?.rules;
        let pipeline = match &pipeline {
            Some(names) => self.intake.pipeline_of(names)?,
            None => self.intake.pipeline_for(None, &rules)?,
        };
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let parent = latest_run(tx, doc_id).await?;
        // An update that is under way is not undone by what is served until it succeeds.
        let under_way =
            parent.as_ref().filter(|run| !run.status.is_terminal()).map(|run| run.run_id);
        let content = match (content, under_way) {
            (Some(content), _) => Some(content),
            (None, Some(run_id)) => tx.content_of_run(run_id).await?,
            (None, None) => tx.original_of(doc_id).await?,
        };
        let content = content.ok_or_else(|| OpsError::Conflict {
            code: "original_gone",
            problem: "the original is not kept any more; upload the document again".to_owned(),
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
        let about = Content {
            title: document.title,
            file_name: document.filename,
            media_type: document.mime,
            size: tx.size_of_original(&content).await?.unwrap_or_default(),
            hash: content,
        };
        let config = RunConfig { masks, ..about.run_config(scope, SourceType::Rerun) };
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

/// A password that is needed must be there. Whether it is the right one shows when the original is opened; a run that
/// does not open it must be given the one that did.
async fn check_password(
    tx: &mut Tx,
    (doc_id, content): (DocId, &ContentHash),
    password: Option<&Secret>,
    opens_nothing: bool,
) -> Result<(), OpsError> {
    if password.is_some() && !opens_nothing || tx.password_opens(doc_id, content, password).await? {
        return Ok(());
    }
    let (code, problem) = if password.is_some() {
        ("wrong_password", "this is not the password that opened the document")
    } else {
        ("password_required", "the password of this document is not kept any more; give it again")
    };
    Err(OpsError::Conflict { code, problem: problem.to_owned() })
}

/// What the stages before the wanted one left under the same masks; `None` when it is the first one anyway.
async fn find_reused(
    tx: &mut Tx,
    doc_id: DocId,
    content: &ContentHash,
    pipeline: &Pipeline,
    stage: &str,
    masks: &[MaskRule],
) -> Result<Option<ReusedStages>, OpsError> {
    let stages = pipeline.stages();
    let place = stages.iter().position(|name| name.as_str() == stage).ok_or_else(|| {
        let names: Vec<&str> = stages.iter().map(StageName::as_str).collect();
        OpsError::invalid(
            "from_stage",
            format!(
                "there is no stage '{stage}' to begin with; the stages are: {}",
                names.join(", ")
            ),
        )
    })?;
    if place == 0 {
        return Ok(None);
    }
    let (before, first) = (&stages[..place], stages[place].clone());
    match tx.find_reusable_run(doc_id, content, before, masks).await? {
        Some(from) => Ok(Some(ReusedStages { from, first })),
        None => Err(OpsError::Conflict {
            code: "nothing_to_reuse",
            problem: format!(
                "no run of this content with the same masks got as far as '{stage}'; run the document from the \
                 beginning"
            ),
        }),
    }
}
