//! Submits a document in one transaction: get or create it, decide what to do, record its owner, queue its run.
//!
//! A known document keeps its row of `documents`, whoever submits it again: the title, file name and tags of the uploader
//! go to their own row of `document_owners`. [`KnownContent::decide`] decides what the submission may cause.

use domain::{
    AuditAction, AuditEntry, BatchId, ContentHash, Decision, DedupResult, DocId, Entity, Event,
    FileKind, KnownContent, MaskRule, Refusal, RunId, RunState, SubmissionOptions, TenantRules,
};
use serde_json::{Value, json};
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::passwords::PasswordCheck;
use crate::{NewRun, StoreError, Tx, sql};

/// A submitted document whose original is published.
#[derive(Clone, Debug)]
pub struct Submission {
    /// Its id if it is new.
    pub doc_id: DocId,
    pub source_uri: String,
    pub kind: FileKind,
    /// How it was submitted.
    pub source: &'static str,
    pub title: String,
    pub file_name: String,
    /// An empty list keeps the owner's tags.
    pub tags: Vec<String>,
    pub bytes_len: u64,
    pub content: ContentHash,
    pub batch_id: Option<BatchId>,
    pub options: SubmissionOptions,
    /// The masks of every file name of the content apply.
    pub rules: TenantRules,
    /// The run, if one is needed; its document and its masks are set here.
    pub run: NewRun,
}

/// The result of a submission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Submitted {
    pub doc_id: DocId,
    pub result: DedupResult,
    /// The run that processes it; `None` when nothing is to be done.
    pub run: Option<(RunId, RunState)>,
}

#[derive(FromRow)]
struct DocumentRow {
    doc_id: Uuid,
    file_kind: String,
    title: String,
    is_new: bool,
    is_deleted: bool,
}

#[derive(FromRow)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
struct KnownContentRow {
    is_active: bool,
    is_withdrawn: bool,
    active_masks: Option<Json<Vec<MaskRule>>>,
    run_id: Option<Uuid>,
    status: Option<String>,
    run_masks: Option<Json<Vec<MaskRule>>>,
    run_has_other_password: bool,
    password_missing: bool,
    has_other_content: bool,
}

/// The submitted document, and what is known of it.
struct SubmittedDocument {
    doc_id: DocId,
    title: String,
    known: KnownContent,
    live_run: Option<(RunId, RunState)>,
    /// All masks that apply now.
    masks: Vec<MaskRule>,
    /// The check of the submitted password.
    check: Option<PasswordCheck>,
}

impl Tx {
    /// Accepts a document, or refuses it: then the transaction must be rolled back. The first statement locks the row of
    /// the document: of two submissions of the same content at once, the second sees the decision of the first.
    pub async fn submit_document(
        &mut self,
        submission: &Submission,
    ) -> Result<Result<Submitted, Refusal>, StoreError> {
        let document = self.load_document(submission).await?;
        let decision = match document.known.decide(submission.options) {
            Ok(decision) => decision,
            Err(refusal) => return Ok(Err(refusal)),
        };
        if decision == Decision::Restore {
            self.restore(document.doc_id).await?;
        }
        if !submission.options.is_attachment && !submission.options.is_update {
            self.record_owner(&document, submission).await?;
        }
        let (result, run) = match decision {
            Decision::Skip => (DedupResult::Skipped, None),
            Decision::Join => (DedupResult::InProgress, document.live_run),
            Decision::Restore => (DedupResult::New, self.queue_run(&document, submission).await?),
            Decision::Process(result) => (result, self.queue_run(&document, submission).await?),
        };
        let doc_id = document.doc_id;
        if let Some(batch_id) = submission.batch_id {
            let run_id = run.map(|(run_id, _)| run_id);
            self.add_to_batch(batch_id, doc_id, run_id, (result, submission)).await?;
        }
        Ok(Ok(Submitted { doc_id, result, run }))
    }

    async fn load_document(
        &mut self,
        submission: &Submission,
    ) -> Result<SubmittedDocument, StoreError> {
        let document = self.get_or_create_document(submission).await?;
        let doc_id = DocId(document.doc_id);
        let names = self.record_file_name(doc_id, &submission.file_name).await?;
        // The same text may be of one kind under one file name and of another kind under another.
        let kinds: Vec<FileKind> =
            document.file_kind.parse::<FileKind>().into_iter().chain([submission.kind]).collect();
        let masks = masks_for(&submission.rules, &kinds, &names);
        let check = self.password_check(&submission.content, submission.run.password.as_ref())?;
        let (known, live_run) = if document.is_new {
            (KnownContent { is_new: true, ..KnownContent::default() }, None)
        } else {
            let row = self.find_known_content(doc_id, submission, check.as_ref()).await?;
            known_content(&document, row, &masks)?
        };
        Ok(SubmittedDocument { doc_id, title: document.title, known, live_run, masks, check })
    }

    async fn get_or_create_document(
        &mut self,
        submission: &Submission,
    ) -> Result<DocumentRow, StoreError> {
        Ok(sqlx::query_as(sql!("documents/get_or_create"))
            .bind(submission.doc_id.0)
            .bind(self.tenant_id().0)
            .bind(submission.kind.as_str())
            .bind(&submission.source_uri)
            .bind(&submission.title)
            .bind(submission.source)
            .bind(&submission.file_name)
            .bind(submission.kind.media_type())
            .bind(i64::try_from(submission.bytes_len).unwrap_or(i64::MAX))
            .bind(self.now())
            .bind(&submission.tags)
            .fetch_one(self.connection())
            .await?)
    }

    /// Gives a document an identity that does not depend on its content, and locks it; `None` when it does not exist.
    pub async fn take_own_identity(&mut self, doc_id: DocId) -> Result<Option<String>, StoreError> {
        Ok(sqlx::query_scalar(sql!("documents/take_own_identity"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .fetch_optional(self.connection())
            .await?)
    }

    /// Records a file name of the content; returns all of them, including this one.
    async fn record_file_name(
        &mut self,
        doc_id: DocId,
        name: &str,
    ) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar(sql!("documents/record_file_name"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(name)
            .bind(self.now())
            .fetch_all(self.connection())
            .await?)
    }

    /// Every file name under which a document's content was submitted.
    pub async fn file_names_of(&mut self, doc_id: DocId) -> Result<Vec<String>, StoreError> {
        Ok(sqlx::query_scalar(
            "SELECT filename FROM document_file_names WHERE tenant_id = $1 AND doc_id = $2",
        )
        .bind(self.tenant_id().0)
        .bind(doc_id.0)
        .fetch_all(self.connection())
        .await?)
    }

    async fn find_known_content(
        &mut self,
        doc_id: DocId,
        submission: &Submission,
        check: Option<&PasswordCheck>,
    ) -> Result<KnownContentRow, StoreError> {
        Ok(sqlx::query_as(sql!("documents/known_content"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(submission.content.as_bytes())
            .bind(check.map(<[u8; 32]>::as_slice))
            .bind(self.scope().actor().to_string())
            .fetch_one(self.connection())
            .await?)
    }

    /// Restores a deleted or withdrawn document; a run of it follows.
    async fn restore(&mut self, doc_id: DocId) -> Result<(), StoreError> {
        sqlx::query(sql!("documents/restore"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        self.audit_document(AuditAction::DocumentRestored, doc_id, json!({})).await
    }

    /// The uploader becomes an owner, with their own title, even when another user uploaded the document first.
    async fn record_owner(
        &mut self,
        document: &SubmittedDocument,
        submission: &Submission,
    ) -> Result<(), StoreError> {
        let (doc_id, owner) = (document.doc_id, self.scope().actor().to_string());
        let row = sqlx::query_as(sql!("documents/add_owner"))
            .bind(self.tenant_id().0)
            .bind(&owner)
            .bind(doc_id.0)
            .bind(self.now())
            .bind(&submission.title)
            .bind(&submission.file_name)
            .bind(submission.source)
            .bind(&submission.tags)
            .bind(document.check.as_ref().map(<[u8; 32]>::as_slice))
            .fetch_one(self.connection())
            .await?;
        let (is_new, is_renamed, title): (bool, bool, String) = row;
        if document.known.is_new {
            return Ok(());
        }
        let mut detail = json!({
            "owner": owner,
            "title": title,
            "filename": submission.file_name,
            "tags": submission.tags,
        });
        if is_new {
            let parts: Vec<Uuid> = sqlx::query_scalar(sql!("documents/add_owner_of_parts"))
                .bind(self.tenant_id().0)
                .bind(&owner)
                .bind(doc_id.0)
                .bind(self.now())
                .fetch_all(self.connection())
                .await?;
            if !parts.is_empty() {
                detail["parts"] = json!(parts);
            }
            self.audit_document(AuditAction::OwnerAdded, doc_id, detail).await
        } else if is_renamed {
            self.audit_document(AuditAction::DocumentRenamed, doc_id, detail).await
        } else {
            Ok(())
        }
    }

    async fn queue_run(
        &mut self,
        document: &SubmittedDocument,
        submission: &Submission,
    ) -> Result<Option<(RunId, RunState)>, StoreError> {
        let doc_id = document.doc_id;
        let mut run = NewRun { doc_id, ..submission.run.clone() };
        if !document.masks.is_empty() {
            run.config.masks.clone_from(&document.masks);
        }
        if run.password.is_none() && !document.known.is_new && !document.known.has_other_content {
            run.password = self.password_of(doc_id, &submission.content).await?;
        }
        let detail = json!({
            "run_id": run.run_id,
            "title": submission.title,
            "content_hash": format!("sha256:{}", submission.content),
            "size_bytes": submission.bytes_len,
        });
        self.audit_document(AuditAction::DocumentUploadQueued, doc_id, detail).await?;
        self.start_run(&run).await?;
        let title = document.title.clone();
        self.append_event(Event::DocumentQueued { doc_id, run_id: run.run_id, title }).await?;
        Ok(Some((run.run_id, RunState::Queued)))
    }

    async fn audit_document(
        &mut self,
        action: AuditAction,
        doc_id: DocId,
        detail: Value,
    ) -> Result<(), StoreError> {
        self.append_audit(AuditEntry { action, entity: Entity::Document(doc_id), detail }).await
    }
}

fn masks_for(rules: &TenantRules, kinds: &[FileKind], names: &[String]) -> Vec<MaskRule> {
    let mut masks: Vec<MaskRule> = Vec::new();
    for kind in kinds {
        let of_kind = rules.masks_for_names(*kind, names.iter().map(String::as_str));
        let more: Vec<MaskRule> =
            of_kind.into_iter().filter(|mask| !masks.contains(mask)).collect();
        masks.extend(more);
    }
    masks
}

fn is_covered(mask: &MaskRule, by: &[MaskRule]) -> bool {
    by.iter().any(|other| other.covers(mask))
}

fn known_content(
    document: &DocumentRow,
    row: KnownContentRow,
    masks: &[MaskRule],
) -> Result<(KnownContent, Option<(RunId, RunState)>), StoreError> {
    let live_run = match row.run_id.zip(row.status) {
        Some((run_id, status)) => Some((RunId(run_id), status.parse()?)),
        None => None,
    };
    let effective = if live_run.is_some() { row.run_masks } else { row.active_masks };
    let masked = effective.map(|Json(masks)| masks).unwrap_or_default();
    let is_read = live_run.is_some() || row.is_active;
    let known = KnownContent {
        is_new: false,
        is_deleted: document.is_deleted,
        is_withdrawn: row.is_withdrawn,
        is_active: row.is_active,
        is_in_progress: live_run.is_some(),
        run_has_other_password: row.run_has_other_password,
        password_missing: row.password_missing,
        has_other_content: row.has_other_content,
        lacks_masks: is_read && !masks.iter().all(|mask| is_covered(mask, &masked)),
    };
    Ok((known, live_run))
}
