//! The outbox, for those who follow it.

use std::collections::HashMap;

use chrono::{DateTime, Utc};
use domain::TenantId;
use serde_json::Value;
use sqlx::FromRow;
use uuid::Uuid;

use crate::{AcrossTenants, StoreError, Tx, sql};

/// A place in the outbox: the transaction that wrote an event, then the event.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct EventPlace {
    pub xact: u64,
    pub evt_id: Uuid,
}

#[derive(Clone, Debug)]
pub struct EventRecord {
    pub tenant_id: TenantId,
    pub place: EventPlace,
    pub topic: String,
    pub payload: Value,
    pub created_at: DateTime<Utc>,
}

#[derive(FromRow)]
struct EventRow {
    evt_id: Uuid,
    tenant_id: Uuid,
    xact: String,
    topic: String,
    payload: Value,
    created_at: DateTime<Utc>,
}

impl TryFrom<EventRow> for EventRecord {
    type Error = StoreError;

    fn try_from(row: EventRow) -> Result<Self, StoreError> {
        let xact = row
            .xact
            .parse()
            .map_err(|_| StoreError::NotUnderstood { what: "transaction", value: row.xact })?;
        Ok(Self {
            tenant_id: TenantId(row.tenant_id),
            place: EventPlace { xact, evt_id: row.evt_id },
            topic: row.topic,
            payload: row.payload,
            created_at: row.created_at,
        })
    }
}

impl Tx {
    /// Adds an event for those who follow; no webhook is sent for it.
    pub(crate) async fn tell_followers(
        &mut self,
        topic: &str,
        payload: Value,
    ) -> Result<(), StoreError> {
        let evt_id = self.next_id();
        sqlx::query(sql!("events/insert"))
            .bind(evt_id)
            .bind(self.tenant_id().0)
            .bind(topic)
            .bind(payload)
            .bind(self.now())
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Which of these documents and batches the scope may see, and what its owner calls them, where the scope
    /// sees only their own.
    pub async fn visible_subjects(
        &mut self,
        ids: &[Uuid],
    ) -> Result<HashMap<Uuid, Option<String>>, StoreError> {
        let owner = self.owner();
        let visible: Vec<(Uuid, Option<String>)> = sqlx::query_as(sql!("events/visible"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(ids)
            .fetch_all(self.connection())
            .await?;
        Ok(visible.into_iter().collect())
    }
}

impl AcrossTenants {
    /// Events behind a place, in the one order in which everybody sees them: what a transaction
    /// wrote that is still open cannot slip in between later.
    pub async fn events_after(
        &mut self,
        place: &EventPlace,
        most: i64,
    ) -> Result<Vec<EventRecord>, StoreError> {
        let rows: Vec<EventRow> = sqlx::query_as(sql!("events/after"))
            .bind(place.xact.to_string())
            .bind(place.evt_id)
            .bind(most)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(EventRecord::try_from).collect()
    }

    /// The place of whoever begins to follow now.
    pub async fn end_of_events(&mut self) -> Result<EventPlace, StoreError> {
        let xact: String =
            sqlx::query_scalar("SELECT pg_snapshot_xmin(pg_current_snapshot())::text")
                .fetch_one(self.connection())
                .await?;
        let xact = xact
            .parse()
            .map_err(|_| StoreError::NotUnderstood { what: "transaction", value: xact })?;
        Ok(EventPlace { xact, evt_id: Uuid::nil() })
    }
}
