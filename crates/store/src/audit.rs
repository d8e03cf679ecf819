//! The audit log: written in the transaction of the action that it records, chained by the database.

use chrono::{DateTime, Utc};
use domain::{
    Actor, AuditEntry, AuditFilter, AuditId, AuditRecord, ChainFault, TenantId, TraceContext,
    TraceId, UserId,
};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, Window, sql};

#[derive(FromRow)]
struct AuditRow {
    audit_id: Uuid,
    ts: DateTime<Utc>,
    action: String,
    actor: String,
    actor_name: Option<String>,
    user_id: Option<Uuid>,
    entity_type: String,
    entity_id: Uuid,
    detail: Value,
    trace_id: Option<String>,
    shard: i16,
    position: i64,
    hash: Vec<u8>,
}

impl From<AuditRow> for AuditRecord {
    fn from(row: AuditRow) -> Self {
        Self {
            audit_id: AuditId(row.audit_id),
            ts: row.ts,
            action: row.action,
            actor: row.actor,
            actor_name: row.actor_name,
            user_id: row.user_id.map(UserId),
            entity_type: row.entity_type,
            entity_id: row.entity_id,
            detail: row.detail,
            trace_id: row.trace_id,
            shard: row.shard,
            position: row.position,
            hash: row.hash,
        }
    }
}

/// A row whose actor is Docket itself.
#[derive(Debug)]
pub(crate) struct SystemEntry {
    tenant_id: TenantId,
    entry: AuditEntry,
    trace_id: Option<TraceId>,
}

impl SystemEntry {
    pub(crate) fn new(tenant_id: TenantId, entry: AuditEntry, trace_parent: Option<&str>) -> Self {
        let trace = trace_parent.and_then(TraceContext::from_traceparent);
        Self { tenant_id, entry, trace_id: trace.map(TraceContext::request_id) }
    }
}

/// The entries as one array per column.
#[derive(Default)]
struct EntryColumns {
    ids: Vec<Uuid>,
    users: Vec<Option<Uuid>>,
    actors: Vec<String>,
    kinds: Vec<&'static str>,
    entities: Vec<Uuid>,
    actions: Vec<&'static str>,
    details: Vec<Value>,
    traces: Vec<Option<String>>,
}

impl EntryColumns {
    fn push(&mut self, id: Uuid, actor: Actor, entry: AuditEntry, trace_id: Option<TraceId>) {
        self.ids.push(id);
        self.users.push(actor.user_id().map(|id| id.0));
        self.actors.push(actor.to_string());
        self.kinds.push(entry.entity.kind());
        self.entities.push(entry.entity.id());
        self.actions.push(entry.action.as_str());
        self.details.push(entry.detail);
        self.traces.push(trace_id.map(|trace| trace.to_string()));
    }
}

#[derive(FromRow)]
struct BrokenRow {
    audit_id: Uuid,
    shard: i16,
    position: i64,
    id_before: Option<Uuid>,
    position_before: i64,
    /// Its content does not match its hash.
    hash_differs: bool,
    /// The row that it was chained to is at another position.
    moved: bool,
}

impl BrokenRow {
    /// A row can have both a gap before it and a wrong hash. When its own hash is right but its predecessor is not the one
    /// it was chained to, the predecessor was changed and its hash recomputed.
    fn faults(self) -> impl Iterator<Item = ChainFault> {
        let Self { shard, position, .. } = self;
        let audit_id = AuditId(self.audit_id);
        let from = self.position_before + 1;
        let gap = (from < position).then(|| ChainFault::Missing { shard, from, to: position - 1 });
        let row = if self.moved {
            Some(ChainFault::Reordered { audit_id, shard, position })
        } else if self.hash_differs {
            Some(ChainFault::Changed { audit_id, shard, position })
        } else if gap.is_none() {
            let changed = self.id_before.map_or(audit_id, AuditId);
            Some(ChainFault::Changed { audit_id: changed, shard, position: self.position_before })
        } else {
            None
        };
        gap.into_iter().chain(row)
    }
}

impl Tx {
    /// Appends a row to the tenant's log.
    pub async fn append_audit(&mut self, entry: AuditEntry) -> Result<(), StoreError> {
        let mut columns = EntryColumns::default();
        columns.push(self.next_id(), self.scope().actor(), entry, self.scope().trace_id());
        sqlx::query(sql!("audit/append"))
            .bind(self.tenant_id().0)
            .bind(columns.ids)
            .bind(columns.users)
            .bind(columns.actors)
            .bind(columns.kinds)
            .bind(columns.entities)
            .bind(columns.actions)
            .bind(columns.details)
            .bind(self.now())
            .bind(columns.traces)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// The actors that a filter text can mean: the text itself, the user with that address, and the keys with that name,
    /// including deactivated users and revoked keys.
    async fn actors_called(&mut self, text: &str) -> Result<Vec<String>, StoreError> {
        let text = text.trim();
        let mut actors: Vec<String> = sqlx::query_scalar(sql!("audit/actors"))
            .bind(self.tenant_id().0)
            .bind(text)
            .fetch_all(self.connection())
            .await?;
        actors.push(text.to_owned());
        Ok(actors)
    }

    pub async fn list_audit(
        &mut self,
        filter: &AuditFilter,
        window: &Window,
    ) -> Result<Vec<AuditRecord>, StoreError> {
        let actors = match &filter.actor {
            Some(actor) => Some(self.actors_called(actor).await?),
            None => None,
        };
        let rows: Vec<AuditRow> = sqlx::query_as(sql!("audit/page"))
            .bind(self.tenant_id().0)
            .bind(&filter.action)
            .bind(actors)
            .bind(&filter.entity_type)
            .bind(filter.entity_id)
            .bind(filter.from)
            .bind(filter.to)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        Ok(rows.into_iter().map(AuditRecord::from).collect())
    }
}

impl AcrossTenants {
    /// Appends rows whose actor is Docket itself, of any number of tenants, in the given order.
    pub(crate) async fn append_audit_many(
        &mut self,
        moment: DateTime<Utc>,
        entries: impl Iterator<Item = SystemEntry>,
    ) -> Result<(), StoreError> {
        let mut columns = EntryColumns::default();
        let mut tenants = Vec::new();
        for SystemEntry { tenant_id, entry, trace_id } in entries {
            tenants.push(tenant_id.0);
            columns.push(self.next_id(), Actor::System, entry, trace_id);
        }
        if columns.ids.is_empty() {
            return Ok(());
        }
        sqlx::query(sql!("audit/append_many"))
            .bind(tenants)
            .bind(columns.ids)
            .bind(columns.actors)
            .bind(columns.kinds)
            .bind(columns.entities)
            .bind(columns.actions)
            .bind(columns.details)
            .bind(columns.traces)
            .bind(moment)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    pub async fn count_audit_rows(&mut self, tenant_id: TenantId) -> Result<i64, StoreError> {
        Ok(sqlx::query_scalar(sql!("audit/count"))
            .bind(tenant_id.0)
            .fetch_one(self.connection())
            .await?)
    }

    /// Verifies a tenant's chain and returns all faults.
    ///
    /// Both statements must see the same snapshot, or a row written between them would look like a fault: call
    /// [`AcrossTenants::use_one_snapshot`] before.
    pub async fn find_chain_faults(
        &mut self,
        tenant_id: TenantId,
    ) -> Result<Vec<ChainFault>, StoreError> {
        let rows: Vec<BrokenRow> = sqlx::query_as(sql!("audit/broken_rows"))
            .bind(tenant_id.0)
            .fetch_all(self.connection())
            .await?;
        let heads: Vec<(i16, i64, i64, Option<Uuid>)> = sqlx::query_as(sql!("audit/broken_heads"))
            .bind(tenant_id.0)
            .fetch_all(self.connection())
            .await?;
        let head_fault = |(shard, length, position, last): (i16, i64, i64, Option<Uuid>)| match last
            .map(AuditId)
        {
            _ if length > position => ChainFault::Missing { shard, from: position + 1, to: length },
            Some(audit_id) if length == position => {
                ChainFault::Changed { audit_id, shard, position }
            }
            _ => ChainFault::HeadDiffers { shard },
        };
        let mut faults: Vec<ChainFault> = rows.into_iter().flat_map(BrokenRow::faults).collect();
        for fault in heads.into_iter().map(head_fault) {
            if !faults.contains(&fault) {
                faults.push(fault);
            }
        }
        Ok(faults)
    }

    /// Makes all later statements of this transaction see the same snapshot.
    pub async fn use_one_snapshot(&mut self) -> Result<(), StoreError> {
        sqlx::query("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
            .execute(self.connection())
            .await?;
        Ok(())
    }
}
