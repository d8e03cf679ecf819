//! Results of extraction: storing those of runs, promoting and reading them.
//!
//! `domain/src/results.rs` decides the state of a new result. Whoever changes the results of a document holds the advisory
//! lock of [`lock_results`], which is taken after the locks of runs, documents and batches.

mod trades;

use chrono::{DateTime, Utc};
use domain::{
    AuditAction, AuditEntry, CurrentResult, DocId, Entity, Event, Extraction, NewResult, ResultId,
    ResultState, RunId, TenantId, UnreadableExtraction,
};
use serde_json::{Value, json};
use sqlx::FromRow;
use uuid::Uuid;

use crate::audit::SystemEntry;
use crate::tx::Writing;
use crate::{AcrossTenants, StoreError, Tx, sql, storable};

pub use trades::{TradeFilter, TradeRecord};

/// A version of the result of a document.
#[derive(Clone, Debug)]
pub struct ResultRecord {
    pub result_id: ResultId,
    pub doc_id: DocId,
    pub run_id: RunId,
    pub result_version: u32,
    pub extraction: Extraction,
    pub type_version: u32,
    pub state: ResultState,
    /// A person edited, approved or promoted it.
    pub is_reviewed: bool,
    pub sampled_for_review: bool,
    /// The version that was promoted; `None` for the result of a run.
    pub promoted_from: Option<u32>,
    pub created_at: DateTime<Utc>,
}

/// The outcome of a promotion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promotion {
    Promoted {
        result_version: u32,
    },
    /// It is the current result already.
    IsCurrent,
    NotFound,
}

/// The result of a run that is being settled.
pub(crate) struct SettledResult<'a> {
    pub(crate) tenant_id: TenantId,
    pub(crate) doc_id: DocId,
    pub(crate) run_id: RunId,
    pub(crate) trace_parent: Option<&'a str>,
    pub(crate) new: &'a NewResult,
}

#[derive(FromRow)]
struct FactsRow {
    run_created_at: DateTime<Utc>,
    is_repeated: bool,
    last_version: i32,
    is_reviewed: Option<bool>,
    has_same_content: bool,
    latest_run_created_at: Option<DateTime<Utc>>,
}

impl FactsRow {
    fn current(&self) -> Option<CurrentResult> {
        Some(CurrentResult {
            is_reviewed: self.is_reviewed?,
            run_created_at: self.latest_run_created_at?,
            has_same_content: self.has_same_content,
        })
    }
}

#[derive(FromRow)]
struct ResultRow {
    result_id: Uuid,
    doc_id: Uuid,
    run_id: Uuid,
    result_version: i32,
    payload: Value,
    type_version: i32,
    state: String,
    is_reviewed: bool,
    sampled_for_review: bool,
    promoted_from: Option<i32>,
    created_at: DateTime<Utc>,
}

impl TryFrom<ResultRow> for ResultRecord {
    type Error = StoreError;

    fn try_from(row: ResultRow) -> Result<Self, StoreError> {
        Ok(Self {
            result_id: ResultId(row.result_id),
            doc_id: DocId(row.doc_id),
            run_id: RunId(row.run_id),
            result_version: counted(row.result_version),
            extraction: Extraction::read(row.payload).map_err(unreadable)?,
            type_version: counted(row.type_version),
            state: row.state.parse()?,
            is_reviewed: row.is_reviewed,
            sampled_for_review: row.sampled_for_review,
            promoted_from: row.promoted_from.map(counted),
            created_at: row.created_at,
        })
    }
}

/// Names the version but not the content: the error is logged.
fn unreadable(error: UnreadableExtraction) -> StoreError {
    let value = match error {
        UnreadableExtraction::TooNew { found } => format!("version {found}"),
        UnreadableExtraction::Malformed(_) => "malformed".to_owned(),
    };
    StoreError::Unreadable { what: "result", value }
}

fn counted(number: i32) -> u32 {
    u32::try_from(number).unwrap_or(0)
}

fn stored_count(number: u32) -> i32 {
    i32::try_from(number).unwrap_or(i32::MAX)
}

/// Locks the results of documents until the end of the transaction, in one order, so that two transactions cannot deadlock.
async fn lock_results(writing: &mut Writing<'_>, documents: &[DocId]) -> Result<(), StoreError> {
    let mut ids: Vec<String> = documents.iter().map(|id| format!("results of {id}")).collect();
    ids.sort_unstable();
    ids.dedup();
    for id in ids {
        sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))")
            .bind(id)
            .execute(&mut *writing.connection)
            .await?;
    }
    Ok(())
}

/// Makes the results in these states superseded.
async fn supersede(
    writing: &mut Writing<'_>,
    doc_id: DocId,
    states: &[ResultState],
) -> Result<(), StoreError> {
    let states: Vec<&str> = states.iter().map(|state| state.as_str()).collect();
    sqlx::query("UPDATE results SET state = 'superseded' WHERE doc_id = $1 AND state = ANY ($2)")
        .bind(doc_id.0)
        .bind(states)
        .execute(&mut *writing.connection)
        .await?;
    Ok(())
}

/// A result to be inserted.
struct NewRow<'a> {
    tenant_id: TenantId,
    doc_id: DocId,
    run_id: RunId,
    result_version: u32,
    new: &'a NewResult,
    state: ResultState,
    promoted_from: Option<u32>,
}

async fn insert(writing: &mut Writing<'_>, row: &NewRow<'_>) -> Result<(), StoreError> {
    let result_id = writing.ids.next();
    let NewResult { extraction, type_version, sampled_for_review } = row.new;
    sqlx::query(sql!("results/insert"))
        .bind(result_id)
        .bind(row.tenant_id.0)
        .bind(row.doc_id.0)
        .bind(row.run_id.0)
        .bind(stored_count(row.result_version))
        .bind(storable::value(extraction.to_json()))
        .bind(storable::json(&extraction.confidences()))
        .bind(storable::text(&extraction.document_type))
        .bind(stored_count(*type_version))
        .bind(row.state.as_str())
        .bind(sampled_for_review)
        .bind(row.promoted_from.is_some())
        .bind(row.promoted_from.map(stored_count))
        .bind(writing.now)
        .execute(&mut *writing.connection)
        .await?;
    if row.state == ResultState::Current {
        trades::replace(writing, row, ResultId(result_id)).await?;
    }
    Ok(())
}

impl AcrossTenants {
    /// Stores the results of runs whose stage succeeded. A run that has a result already keeps it.
    pub(crate) async fn insert_results(
        &mut self,
        results: &[SettledResult<'_>],
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        if results.is_empty() {
            return Ok(());
        }
        let mut writing = self.writing(now);
        let documents: Vec<DocId> = results.iter().map(|result| result.doc_id).collect();
        lock_results(&mut writing, &documents).await?;
        let (mut events, mut entries) = (Vec::new(), Vec::new());
        for result in results {
            let Some((result_version, state)) = insert_of_run(&mut writing, result).await? else {
                continue;
            };
            let SettledResult { tenant_id, doc_id, run_id, trace_parent, .. } = *result;
            if state != ResultState::Superseded {
                let created =
                    Event::DocumentResultCreated { doc_id, run_id, result_version, state };
                events.push((tenant_id, created));
            }
            let detail =
                json!({ "run_id": run_id, "result_version": result_version, "state": state });
            let entity = Entity::Document(doc_id);
            let entry = AuditEntry { action: AuditAction::ResultCreated, entity, detail };
            entries.push(SystemEntry::new(tenant_id, entry, trace_parent));
        }
        writing.append_events(&events).await?;
        self.append_audit_many(now, entries.into_iter()).await
    }
}

/// `None` when the run has a result already.
async fn insert_of_run(
    writing: &mut Writing<'_>,
    result: &SettledResult<'_>,
) -> Result<Option<(u32, ResultState)>, StoreError> {
    let facts: Option<FactsRow> = sqlx::query_as(sql!("results/facts"))
        .bind(result.doc_id.0)
        .bind(result.run_id.0)
        .fetch_optional(&mut *writing.connection)
        .await?;
    let Some(facts) = facts.filter(|facts| !facts.is_repeated) else { return Ok(None) };
    let state = ResultState::of_new(facts.run_created_at, facts.current().as_ref());
    match state {
        ResultState::Current => {
            let replaced = [ResultState::Current, ResultState::Waiting];
            supersede(writing, result.doc_id, &replaced).await?;
        }
        ResultState::Waiting => supersede(writing, result.doc_id, &[ResultState::Waiting]).await?,
        ResultState::Superseded => {}
    }
    let result_version = counted(facts.last_version) + 1;
    let row = NewRow {
        tenant_id: result.tenant_id,
        doc_id: result.doc_id,
        run_id: result.run_id,
        result_version,
        new: result.new,
        state,
        promoted_from: None,
    };
    insert(writing, &row).await?;
    Ok(Some((result_version, state)))
}

impl Tx {
    /// Makes a copy of a result the current one, as a new version. The caller has locked the document.
    pub async fn promote_result(
        &mut self,
        doc_id: DocId,
        result_version: u32,
    ) -> Result<Promotion, StoreError> {
        lock_results(&mut self.writing(), &[doc_id]).await?;
        let Some(promoted) = self.find_result(doc_id, Some(result_version)).await? else {
            return Ok(Promotion::NotFound);
        };
        if promoted.state == ResultState::Current {
            return Ok(Promotion::IsCurrent);
        }
        let current = self.find_result(doc_id, None).await?;
        let last: i32 =
            sqlx::query_scalar("SELECT max(result_version) FROM results WHERE doc_id = $1")
                .bind(doc_id.0)
                .fetch_one(self.connection())
                .await?;
        let new_version = counted(last) + 1;
        let new = NewResult {
            extraction: promoted.extraction,
            type_version: promoted.type_version,
            sampled_for_review: promoted.sampled_for_review,
        };
        let row = NewRow {
            tenant_id: self.tenant_id(),
            doc_id,
            run_id: promoted.run_id,
            result_version: new_version,
            new: &new,
            state: ResultState::Current,
            promoted_from: Some(result_version),
        };
        let mut writing = self.writing();
        supersede(&mut writing, doc_id, &[ResultState::Current, ResultState::Waiting]).await?;
        insert(&mut writing, &row).await?;
        let actor = self.scope().actor();
        sqlx::query(sql!("results/insert_review"))
            .bind(self.next_id())
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(actor.user_id().map(|id| id.0))
            .bind(actor.to_string())
            .bind(self.now())
            .bind(stored_count(current.map_or(result_version, |current| current.result_version)))
            .bind(stored_count(new_version))
            .execute(self.connection())
            .await?;
        let (run_id, state) = (promoted.run_id, ResultState::Current);
        self.append_event(Event::DocumentResultCreated {
            doc_id,
            run_id,
            result_version: new_version,
            state,
        })
        .await?;
        Ok(Promotion::Promoted { result_version: new_version })
    }

    /// A version of the result of a document, or the current one.
    pub async fn find_result(
        &mut self,
        doc_id: DocId,
        result_version: Option<u32>,
    ) -> Result<Option<ResultRecord>, StoreError> {
        let owner = self.owner();
        let row: Option<ResultRow> = sqlx::query_as(sql!("results/find"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(owner)
            .bind(result_version.map(stored_count))
            .fetch_optional(self.connection())
            .await?;
        row.map(ResultRecord::try_from).transpose()
    }

    /// The results of a document, the latest version first, from before the version `before`.
    pub async fn list_results(
        &mut self,
        doc_id: DocId,
        before: Option<u32>,
        max: i64,
    ) -> Result<Vec<ResultRecord>, StoreError> {
        let owner = self.owner();
        let rows: Vec<ResultRow> = sqlx::query_as(sql!("results/page"))
            .bind(self.tenant_id().0)
            .bind(doc_id.0)
            .bind(owner)
            .bind(before.map(stored_count))
            .bind(max)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(ResultRecord::try_from).collect()
    }

    /// The current results of documents that the scope may see, in no order.
    pub async fn current_results(
        &mut self,
        documents: &[DocId],
    ) -> Result<Vec<ResultRecord>, StoreError> {
        let rows: Vec<ResultRow> = sqlx::query_as(sql!("results/current_of"))
            .bind(self.tenant_id().0)
            .bind(documents.iter().map(|doc_id| doc_id.0).collect::<Vec<_>>())
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(ResultRecord::try_from).collect()
    }
}
