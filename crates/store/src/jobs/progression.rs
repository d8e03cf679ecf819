//! The only place that changes the state of runs: every statement that starts, ends or requeues the job of a run calls
//! [`apply_run_changes`], in its own transaction.
//!
//! `domain/src/progression.rs` decides what follows from a change. This module reads the facts under locks (runs, then
//! documents, then batches, each in the order of their ids; the caller has locked the job before) and writes the
//! decisions, for many runs at once.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use chrono::{DateTime, Utc};
use domain::{
    ChangingDocument, ChangingRun, DocId, Event, NewVersion, RunChange, RunId, RunState, TenantId,
};
use sqlx::FromRow;
use uuid::Uuid;

use crate::documents::{BatchRow, update_batches};
use crate::tx::Writing;
use crate::{StoreError, sql};

#[derive(FromRow)]
struct LockedRow {
    run_id: Uuid,
    tenant_id: Uuid,
    doc_id: Uuid,
    status: String,
    created_at: DateTime<Utc>,
    has_content: bool,
    document_status: Option<String>,
    is_deleted: Option<bool>,
}

#[derive(FromRow)]
struct VersionsRow {
    run_id: Uuid,
    has_version: bool,
    versions: i64,
    served_run_created_at: Option<DateTime<Utc>>,
    earlier_chunks: Option<Uuid>,
}

/// The runs that are about to change, and their documents, both locked.
#[derive(Default)]
struct Facts {
    runs: HashMap<RunId, (TenantId, ChangingRun)>,
    documents: BTreeMap<DocId, ChangingDocument>,
}

/// The rows to write.
#[derive(Default)]
struct Decisions {
    runs: Vec<(RunId, RunState)>,
    errors: Vec<Option<String>>,
    more_succeeded: Vec<i32>,
    more_failed: Vec<i32>,
    versions: Vec<NewVersion>,
    /// The runs to which a change applied, including those whose state stays the same.
    changed: Vec<RunId>,
    events: Vec<(TenantId, Event)>,
}

/// Changes runs, and with them their versions, documents and batches; then appends `events` and the events of these
/// changes. A run that a change does not apply to any more (it was cancelled, or has ended) stays as it is. Returns the
/// runs that changed.
pub(super) async fn apply_run_changes(
    mut writing: Writing<'_>,
    changes: &[(RunId, RunChange)],
    mut events: Vec<(TenantId, Event)>,
) -> Result<Vec<RunId>, StoreError> {
    let mut changed_runs = Vec::new();
    if !changes.is_empty() {
        let mut facts = read_facts(&mut writing, changes).await?;
        let decisions = decide(&mut facts, changes);
        let batches = write(&mut writing, &decisions, &facts.documents).await?;
        events.extend(decisions.events);
        events.extend(update_batches(&mut writing, batches, false).await?);
        changed_runs = decisions.changed;
    }
    writing.append_events(&events).await?;
    Ok(changed_runs)
}

async fn read_facts(
    writing: &mut Writing<'_>,
    changes: &[(RunId, RunChange)],
) -> Result<Facts, StoreError> {
    let ids: Vec<Uuid> = changes.iter().map(|(run_id, _)| run_id.0).collect();
    let rows: Vec<LockedRow> =
        sqlx::query_as(sql!("runs/lock")).bind(&ids).fetch_all(&mut *writing.connection).await?;
    let mut facts = Facts::default();
    for row in rows {
        let run = ChangingRun {
            run_id: RunId(row.run_id),
            doc_id: DocId(row.doc_id),
            state: row.status.parse()?,
            created_at: row.created_at,
            has_content: row.has_content,
            has_version: false,
            earlier_chunks: None,
        };
        if let Some(status) = row.document_status {
            let document = ChangingDocument {
                status: status.parse()?,
                error: None,
                is_deleted: row.is_deleted.unwrap_or(false),
                served_run_created_at: None,
                versions: 0,
            };
            facts.documents.insert(run.doc_id, document);
        }
        facts.runs.insert(run.run_id, (TenantId(row.tenant_id), run));
    }
    // A run that starts has no version and activates none.
    let starts_only = changes.iter().all(|(_, change)| *change == RunChange::Started);
    if facts.documents.is_empty() || starts_only {
        return Ok(facts);
    }
    let rows: Vec<VersionsRow> = sqlx::query_as(sql!("runs/versions"))
        .bind(&ids)
        .fetch_all(&mut *writing.connection)
        .await?;
    for row in rows {
        let Some((_, run)) = facts.runs.get_mut(&RunId(row.run_id)) else { continue };
        run.has_version = row.has_version;
        run.earlier_chunks = row.earlier_chunks.map(RunId);
        if let Some(document) = facts.documents.get_mut(&run.doc_id) {
            document.served_run_created_at = row.served_run_created_at;
            document.versions = u32::try_from(row.versions).unwrap_or(u32::MAX);
        }
    }
    Ok(facts)
}

fn decide(facts: &mut Facts, changes: &[(RunId, RunChange)]) -> Decisions {
    let mut decisions = Decisions::default();
    let mut documents = BTreeSet::new();
    for (run_id, change) in changes {
        let Some((tenant_id, run)) = facts.runs.get_mut(run_id) else { continue };
        let document = facts.documents.get_mut(&run.doc_id);
        let Ok(transition) = run.apply(change, document) else { continue };
        decisions.changed.push(*run_id);
        documents.insert(run.doc_id);
        decisions.events.extend(transition.event.map(|event| (*tenant_id, event)));
        if let Some(version) = transition.version {
            run.has_version = true;
            if version.is_active {
                // Two runs of one document may end in the same call.
                let replaced = decisions.versions.iter_mut();
                replaced.filter(|other| other.doc_id == version.doc_id).for_each(|other| {
                    other.is_active = false;
                });
            }
            decisions.versions.push(version);
        }
        if transition.state == run.state {
            continue;
        }
        let more = |state| i32::from(transition.state == state) - i32::from(run.state == state);
        decisions.more_succeeded.push(more(RunState::Succeeded));
        decisions.more_failed.push(more(RunState::Failed));
        decisions.errors.push(match change {
            RunChange::Failed { error, .. } => Some(error.clone()),
            _ => None,
        });
        decisions.runs.push((*run_id, transition.state));
        run.state = transition.state;
    }
    facts.documents.retain(|doc_id, _| documents.contains(doc_id));
    decisions
}

async fn write(
    writing: &mut Writing<'_>,
    decisions: &Decisions,
    documents: &BTreeMap<DocId, ChangingDocument>,
) -> Result<Vec<BatchRow>, StoreError> {
    if decisions.changed.is_empty() {
        return Ok(Vec::new());
    }
    let versions = &decisions.versions;
    Ok(sqlx::query_as(sql!("runs/apply_changes"))
        .bind(writing.now)
        .bind(decisions.runs.iter().map(|(run_id, _)| run_id.0).collect::<Vec<_>>())
        .bind(decisions.runs.iter().map(|(_, state)| state.as_str()).collect::<Vec<_>>())
        .bind(&decisions.errors)
        .bind(&decisions.more_succeeded)
        .bind(&decisions.more_failed)
        .bind(documents.keys().map(|doc_id| doc_id.0).collect::<Vec<_>>())
        .bind(documents.values().map(|document| document.status.as_str()).collect::<Vec<_>>())
        .bind(documents.values().map(|document| document.error.as_deref()).collect::<Vec<_>>())
        .bind(versions.iter().map(|_| writing.ids.next()).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.run_id.0).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.label.as_str()).collect::<Vec<_>>())
        .bind(versions.iter().map(|version| version.is_active).collect::<Vec<_>>())
        .bind(
            versions.iter().map(|version| version.chunks_run_id.map(|id| id.0)).collect::<Vec<_>>(),
        )
        .fetch_all(&mut *writing.connection)
        .await?)
}
