//! The queries of the event reader: a fixed number of statements for all subscribers of a process, whatever their
//! tenants. Also the pruning of old events.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::{Scope, TenantId};
use serde_json::{Value, json};
use sqlx::{Executor, FromRow, Postgres};
use uuid::Uuid;

use super::events::MAX_NUMBERED;
use crate::{AcrossTenants, EventRecord, Store, StoreError, Tx, sql};

/// The progress of a running stage.
#[derive(Clone, Debug, PartialEq, Eq, FromRow)]
pub struct ProgressRecord {
    #[sqlx(try_from = "Uuid")]
    pub tenant_id: TenantId,
    pub job_id: Uuid,
    pub doc_id: Uuid,
    pub run_id: Uuid,
    pub stage: String,
    pub done: i32,
    pub total: i32,
}

impl ProgressRecord {
    /// The payload for subscribers.
    pub fn payload(&self) -> Value {
        let Self { doc_id, run_id, stage, done, total, .. } = self;
        json!({"doc_id": doc_id, "run_id": run_id, "stage": stage, "done": done, "total": total})
    }
}

/// Where a subscriber resumes after an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, FromRow)]
pub struct ResumedAt {
    /// The next event is the one after this position.
    pub position: i64,
    /// The event is unknown.
    pub is_unknown: bool,
    /// Events after it have been pruned.
    pub is_pruned: bool,
}

/// Who may see which documents and batches. Those that are not in it were deleted.
#[derive(Clone, Debug, Default)]
pub struct Audience {
    /// By tenant and document or batch: the title of each owner.
    titles_by_owner: HashMap<(TenantId, Uuid), HashMap<String, Option<String>>>,
}

impl Audience {
    fn of(rows: Vec<(Uuid, Uuid, Option<String>, Option<String>)>) -> Self {
        let mut audience = Self::default();
        for (tenant, id, owner, title) in rows {
            let owners = audience.titles_by_owner.entry((TenantId(tenant), id)).or_default();
            owners.extend(owner.map(|owner| (owner, title)));
        }
        audience
    }

    /// The owner's title, where the scope is limited to an owner who has one. `Err` when the scope may not see it.
    pub fn own_title(&self, id: Uuid, scope: &Scope) -> Result<Option<&str>, NotVisible> {
        let owners = self.titles_by_owner.get(&(scope.tenant_id(), id)).ok_or(NotVisible)?;
        match scope.only_own() {
            None => Ok(None),
            Some(actor) => {
                let title = owners.get(&actor.to_string()).ok_or(NotVisible)?;
                Ok(title.as_deref())
            }
        }
    }
}

/// The scope may not see the object, or it does not exist.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NotVisible;

impl Store {
    /// Numbers the committed events of these tenants, and reads those after a position of each, at most `max` of each
    /// tenant.
    pub async fn read_events(
        &self,
        positions: &[(TenantId, i64)],
        max: i64,
    ) -> Result<Vec<(TenantId, EventRecord)>, StoreError> {
        let mut sorted = positions.to_vec();
        // Numbering locks each tenant. All readers lock them in the same order, so that they cannot deadlock.
        sorted.sort_unstable_by_key(|(tenant_id, _)| tenant_id.0);
        let (tenants, positions): (Vec<Uuid>, Vec<i64>) =
            sorted.iter().map(|(tenant_id, position)| (tenant_id.0, *position)).unzip();
        // Without a transaction block the statement ends on the server even if this process dies.
        sqlx::query(sql!("events/number"))
            .bind(&tenants)
            .bind(MAX_NUMBERED)
            .execute(&self.system)
            .await?;
        let rows: Vec<(Uuid, Uuid, i64, String, Value)> = sqlx::query_as(sql!("events/read"))
            .bind(&tenants)
            .bind(positions)
            .bind(max)
            .fetch_all(&self.system)
            .await?;
        let event = |(tenant, evt_id, position, topic, payload)| {
            (TenantId(tenant), EventRecord { evt_id, position, topic, payload })
        };
        Ok(rows.into_iter().map(event).collect())
    }

    /// The progress of the running stages of these tenants, where they report it.
    pub async fn read_progress(
        &self,
        tenants: &[TenantId],
    ) -> Result<Vec<ProgressRecord>, StoreError> {
        let tenants: Vec<Uuid> = tenants.iter().map(|tenant_id| tenant_id.0).collect();
        let statement = sqlx::query_as(sql!("events/progress")).bind(tenants);
        Ok(statement.fetch_all(&self.system).await?)
    }

    /// Who may see these documents and batches of several tenants.
    pub async fn audience_of(&self, subjects: &[(TenantId, Uuid)]) -> Result<Audience, StoreError> {
        audience(&self.system, subjects).await
    }

    /// The tenants that have events from before this moment.
    pub async fn tenants_to_prune(
        &self,
        before: DateTime<Utc>,
    ) -> Result<Vec<TenantId>, StoreError> {
        let statement = sqlx::query_scalar(sql!("events/prunable")).bind(before);
        let tenants: Vec<Uuid> = statement.fetch_all(&self.system).await?;
        Ok(tenants.into_iter().map(TenantId).collect())
    }
}

impl Tx {
    /// Who may see these documents and batches.
    pub async fn audience_of(&mut self, subjects: &[Uuid]) -> Result<Audience, StoreError> {
        let tenant_id = self.tenant_id();
        let subjects: Vec<_> = subjects.iter().map(|id| (tenant_id, *id)).collect();
        audience(self.connection(), &subjects).await
    }

    /// Where a subscriber resumes after an event. `position` is the one that it had then, if it had one. Where nothing
    /// is known of the event, the oldest one that is kept is the next.
    pub async fn resume_events(
        &mut self,
        evt_id: Uuid,
        position: Option<i64>,
    ) -> Result<ResumedAt, StoreError> {
        let tenant_id = self.tenant_id().0;
        let statement = sqlx::query_as(sql!("events/resume")).bind(tenant_id);
        Ok(statement.bind(evt_id).bind(position).fetch_one(self.connection()).await?)
    }
}

impl AcrossTenants {
    /// Deletes numbered events of the tenant from before this moment, the oldest first, at most `max`; returns how many.
    pub async fn prune_events(
        &mut self,
        tenant_id: TenantId,
        before: DateTime<Utc>,
        max: i64,
    ) -> Result<u64, StoreError> {
        let statement = sqlx::query(sql!("events/prune")).bind(tenant_id.0);
        let pruned = statement.bind(before).bind(max).execute(self.connection()).await?;
        Ok(pruned.rows_affected())
    }
}

async fn audience(
    database: impl Executor<'_, Database = Postgres>,
    subjects: &[(TenantId, Uuid)],
) -> Result<Audience, StoreError> {
    let (tenants, ids): (Vec<Uuid>, Vec<Uuid>) =
        subjects.iter().map(|(tenant_id, id)| (tenant_id.0, *id)).unzip();
    let statement = sqlx::query_as(sql!("events/audience")).bind(tenants).bind(ids);
    Ok(Audience::of(statement.fetch_all(database).await?))
}
