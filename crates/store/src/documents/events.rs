//! The outbox.
//!
//! An event is *numbered* once it has a position in the stream of its tenant. Transactions, which may commit in any
//! order, insert events without a position. A reader numbers the committed events first ([`Store::number_events`]), and
//! reads only numbered ones: all subscribers see the same order, and no event appears before one that was already read.
//! Positions are ordinary data, so a dump carries them to another server.

use domain::{Event, TenantId};
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::tx::Writing;
use crate::{Store, StoreError, Tx, sql, storable};

/// How many events one statement numbers: few enough not to block others for long.
pub(super) const MAX_NUMBERED: i32 = 2000;

/// A numbered event.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct EventRecord {
    pub evt_id: Uuid,
    pub position: i64,
    pub topic: String,
    pub payload: Value,
}

impl Store {
    /// Gives a position to every committed event of the tenant.
    pub async fn number_events(&self, tenant_id: TenantId) -> Result<(), StoreError> {
        loop {
            // Without a transaction block the statement ends on the server even if this process dies.
            let numbered: i32 = sqlx::query_scalar("SELECT docket_number_events($1, $2)")
                .bind(tenant_id.0)
                .bind(MAX_NUMBERED)
                .fetch_one(&self.system)
                .await?;
            if numbered < MAX_NUMBERED {
                return Ok(());
            }
        }
    }

    /// Numbers the events of every tenant, so that the next subscriber of a tenant does not wait for it.
    pub async fn number_all_events(&self) -> Result<(), StoreError> {
        let mut last_tenant = Uuid::nil();
        loop {
            let next: Option<Uuid> = sqlx::query_scalar(sql!("events/unnumbered"))
                .bind(last_tenant)
                .fetch_optional(&self.system)
                .await?;
            let Some(tenant_id) = next else { return Ok(()) };
            self.number_events(TenantId(tenant_id)).await?;
            last_tenant = tenant_id;
        }
    }
}

impl Writing<'_> {
    /// Appends events to the outbox, in their order. All events go through here.
    pub(crate) async fn append_events(
        &mut self,
        events: &[(TenantId, Event)],
    ) -> Result<(), StoreError> {
        if events.is_empty() {
            return Ok(());
        }
        let (topics, payloads): (Vec<String>, Vec<Value>) =
            events.iter().map(|(_, event)| event.stored()).unzip();
        let payloads: Vec<Value> = payloads.into_iter().map(storable::value).collect();
        sqlx::query(sql!("events/append"))
            .bind(events.iter().map(|_| self.ids.next()).collect::<Vec<_>>())
            .bind(events.iter().map(|(tenant_id, _)| tenant_id.0).collect::<Vec<_>>())
            .bind(topics)
            .bind(payloads)
            .bind(events.iter().map(|(_, event)| event.is_stream_only()).collect::<Vec<_>>())
            .bind(self.now)
            .execute(&mut *self.connection)
            .await?;
        Ok(())
    }
}

impl Tx {
    /// Appends an event of the tenant to the outbox.
    pub(crate) async fn append_event(&mut self, event: Event) -> Result<(), StoreError> {
        let tenant_id = self.tenant_id();
        self.writing().append_events(&[(tenant_id, event)]).await
    }

    /// Numbered events after a position, in their order.
    pub async fn events_after(
        &mut self,
        position: i64,
        max: i64,
    ) -> Result<Vec<EventRecord>, StoreError> {
        let tenant_id = self.tenant_id().0;
        let statement = sqlx::query_as(sql!("events/after")).bind(tenant_id);
        Ok(statement.bind(position).bind(max).fetch_all(self.connection()).await?)
    }

    /// The last position: later events come after it.
    pub async fn last_event_position(&mut self) -> Result<i64, StoreError> {
        let last = sqlx::query_scalar("SELECT last FROM event_positions WHERE tenant_id = $1")
            .bind(self.tenant_id().0)
            .fetch_optional(self.connection())
            .await?;
        Ok(last.unwrap_or(0))
    }
}
