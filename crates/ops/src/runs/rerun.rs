//! Processing a document again.

use domain::{
    Action, AuditAction, AuditEntry, Caller, ContentHash, DocId, Entity, FileKind, Pipeline, RunId,
    Secret, StageName,
};
use serde_json::{Value, json};
use store::{NewRun, Reused, Tx, Window};

use crate::{OpsError, Runs};

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
    /// Queues a new run of what the document contains, which knows the run before it. What is served
    /// stays served until the new run succeeds.
    pub async fn rerun_document(
        &self,
        caller: &Caller,
        doc_id: DocId,
        rerun: Rerun,
    ) -> Result<RunId, OpsError> {
        let scope = caller.permit(Action::RerunDocuments)?;
        let Rerun { reason, pipeline, from_stage, password } = rerun;
        let mut tx = self.store.begin(&scope).await?;
        let rules = tx.find_tenant().await?.rules;
        let pipeline = match &pipeline {
            Some(names) => self.intake.pipeline_of(names)?,
            None => self.intake.pipeline_for(None, &rules)?,
        };
        let document = tx.find_document(doc_id).await?.ok_or(OpsError::NotFound("document"))?;
        let content = tx.original_of(doc_id).await?.ok_or_else(|| OpsError::Conflict {
            code: "original_gone",
            problem: "the original is not kept any more; upload the document again".to_owned(),
        })?;
        let latest = Window { after: None, skip: 0, limit: 1 };
        let parent = tx.list_runs(None, Some(doc_id), &latest).await?.into_iter().next();
        let password = match password {
            Some(given) => Some(given),
            None => tx.password_of(doc_id).await?,
        };
        let mut config = json!({
            "source_type": "rerun",
            "title": document.title,
            "original_filename": document.filename,
            "content_type": document.mime,
            "file_size_bytes": document.bytes_len,
            "content_hash": format!("sha256:{content}"),
            "created_by_user_id": scope.actor().user_id(),
            "created_by": scope.actor().to_string(),
        });
        if let Some(kind) = FileKind::of_media_type(&document.mime) {
            let names = tx.file_names_of(doc_id).await?;
            let masks = rules.masks_for_names(kind, names.iter().map(String::as_str));
            if !masks.is_empty() {
                config["masks"] = json!(masks);
            }
        }
        let masks = config.get("masks").cloned().unwrap_or_else(|| json!([]));
        let reused = match &from_stage {
            Some(stage) => find_reused(&mut tx, doc_id, &content, &pipeline, stage, &masks).await?,
            None => None,
        };
        check_password(&mut tx, (doc_id, &content), password.as_ref(), reused.is_some()).await?;
        let run = NewRun {
            parent_run_id: parent.map(|run| run.run_id),
            reason: reason.clone(),
            reused,
            content: Some(content),
            password,
            ..self.intake.new_run(&scope, doc_id, pipeline, config)
        };
        tx.append_audit(AuditEntry {
            action: AuditAction::DocumentRerunQueued,
            entity: Entity::Document(doc_id),
            detail: json!({ "run_id": run.run_id, "parent_run_id": run.parent_run_id, "reason": reason }),
        })
        .await?;
        tx.start_run(&run).await?;
        tx.commit().await?;
        Ok(run.run_id)
    }
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
    masks: &Value,
) -> Result<Option<Reused>, OpsError> {
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
        Some(from) => Ok(Some(Reused { from, first })),
        None => Err(OpsError::Conflict {
            code: "nothing_to_reuse",
            problem: format!(
                "no run of this content with the same masks got as far as '{stage}'; run the document from the \
                 beginning"
            ),
        }),
    }
}
