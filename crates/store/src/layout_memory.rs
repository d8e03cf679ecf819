//! Layout memory: what confirmed documents of a tenant teach about later ones.
//!
//! An entry is opaque here; `extraction::memory` defines it. Fingerprints are compared in two steps: this module finds the
//! entries that share a band, and the caller computes the similarity.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::{DocId, MemoryId};
use serde_json::Value;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::{StoreError, Tx, Window, sql};

/// A stored entry.
#[derive(Clone, Debug, PartialEq)]
pub struct LayoutMemoryRecord {
    pub memory_id: MemoryId,
    /// The document that it was learnt from.
    pub doc_id: DocId,
    pub document_type: String,
    pub entry: Value,
    /// By field: how often it was right, and how often wrong.
    pub counts: BTreeMap<String, (u32, u32)>,
    pub learnt_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
}

/// An entry as it is listed.
#[derive(Clone, Debug, PartialEq, FromRow)]
pub struct LayoutMemorySummary {
    #[sqlx(try_from = "Uuid")]
    pub memory_id: MemoryId,
    /// The document that it was learnt from.
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub document_title: String,
    pub document_type: String,
    pub fields: Vec<String>,
    /// By field: how often it was right, and how often wrong.
    #[sqlx(json)]
    pub counts: BTreeMap<String, (u32, u32)>,
    pub learnt_at: DateTime<Utc>,
    pub last_used_at: DateTime<Utc>,
}

/// What a document taught, to be stored.
#[derive(Clone, Debug)]
pub struct NewLayoutMemory {
    pub doc_id: DocId,
    pub document_type: String,
    pub bands: Vec<i32>,
    pub entry: Value,
}

/// Whether one field of an entry was right about a document.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LayoutMemoryVerdict {
    pub memory_id: MemoryId,
    pub field: String,
    pub is_right: bool,
}

#[derive(FromRow)]
struct LayoutMemoryRow {
    memory_id: Uuid,
    doc_id: Uuid,
    document_type: String,
    entry: Value,
    counts: Json<BTreeMap<String, (u32, u32)>>,
    learnt_at: DateTime<Utc>,
    last_used_at: DateTime<Utc>,
}

impl From<LayoutMemoryRow> for LayoutMemoryRecord {
    fn from(row: LayoutMemoryRow) -> Self {
        Self {
            memory_id: MemoryId(row.memory_id),
            doc_id: DocId(row.doc_id),
            document_type: row.document_type,
            entry: row.entry,
            counts: row.counts.0,
            learnt_at: row.learnt_at,
            last_used_at: row.last_used_at,
        }
    }
}

impl Tx {
    /// The entries of the tenant that share most bands with a fingerprint.
    pub async fn similar_layouts(
        &mut self,
        bands: &[i32],
        limit: i64,
    ) -> Result<Vec<LayoutMemoryRecord>, StoreError> {
        let rows: Vec<LayoutMemoryRow> = sqlx::query_as(sql!("layout_memory/similar"))
            .bind(self.tenant_id().0)
            .bind(bands)
            .bind(limit)
            .fetch_all(self.connection())
            .await?;
        Ok(rows.into_iter().map(Into::into).collect())
    }

    /// Stores what a document taught; an earlier entry of the same document and type is replaced, its counts stay. Returns
    /// whether the document taught something for the first time; `None` when it was deleted.
    pub async fn put_layout_memory(
        &mut self,
        new: &NewLayoutMemory,
    ) -> Result<Option<bool>, StoreError> {
        let stored: Option<(Uuid, bool)> = sqlx::query_as(sql!("layout_memory/put"))
            .bind(self.next_id())
            .bind(self.tenant_id().0)
            .bind(new.doc_id.0)
            .bind(&new.document_type)
            .bind(&new.entry)
            .bind(self.now())
            .fetch_optional(self.connection())
            .await?;
        let Some((memory_id, is_first)) = stored else { return Ok(None) };
        sqlx::query(sql!("layout_memory/replace_bands"))
            .bind(self.tenant_id().0)
            .bind(memory_id)
            .bind(&new.bands)
            .execute(self.connection())
            .await?;
        Ok(Some(is_first))
    }

    /// Counts whether entries were right about a reviewed document.
    pub async fn count_layout_memory(
        &mut self,
        verdicts: &[LayoutMemoryVerdict],
    ) -> Result<(), StoreError> {
        for verdict in verdicts {
            sqlx::query(sql!("layout_memory/count"))
                .bind(self.tenant_id().0)
                .bind(verdict.memory_id.0)
                .bind(&verdict.field)
                .bind(i32::from(verdict.is_right))
                .bind(i32::from(!verdict.is_right))
                .execute(self.connection())
                .await?;
        }
        let used: Vec<Uuid> = verdicts.iter().map(|verdict| verdict.memory_id.0).collect();
        sqlx::query(
            "UPDATE layout_memory SET last_used_at = $3 WHERE tenant_id = $1 AND memory_id = ANY ($2)",
        )
        .bind(self.tenant_id().0)
        .bind(&used)
        .bind(self.now())
        .execute(self.connection())
        .await?;
        Ok(())
    }

    /// Keeps at most this many entries of the tenant. Returns how many were removed.
    pub async fn evict_layout_memory(&mut self, max: i64) -> Result<u64, StoreError> {
        let removed = sqlx::query(sql!("layout_memory/evict"))
            .bind(self.tenant_id().0)
            .bind(max)
            .execute(self.connection())
            .await?;
        Ok(removed.rows_affected())
    }

    /// The entries of the tenant, the ones that were learnt last first. `window.skip` is not used.
    pub async fn list_layout_memory(
        &mut self,
        document_type: Option<&str>,
        window: &Window,
    ) -> Result<Vec<LayoutMemorySummary>, StoreError> {
        let rows = sqlx::query_as(sql!("layout_memory/page"))
            .bind(self.tenant_id().0)
            .bind(window.moment())
            .bind(window.id())
            .bind(document_type)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?;
        Ok(rows)
    }

    /// Removes an entry. Returns the document and the document type that it was learnt from; `None` when there is no such entry.
    pub async fn delete_layout_memory(
        &mut self,
        memory_id: MemoryId,
    ) -> Result<Option<(DocId, String)>, StoreError> {
        let deleted: Option<(Uuid, String)> = sqlx::query_as(
            "DELETE FROM layout_memory WHERE tenant_id = $1 AND memory_id = $2 RETURNING doc_id, document_type",
        )
        .bind(self.tenant_id().0)
        .bind(memory_id.0)
        .fetch_optional(self.connection())
        .await?;
        Ok(deleted.map(|(doc_id, document_type)| (DocId(doc_id), document_type)))
    }

    /// Removes the entries of a document type. Returns how many there were.
    pub async fn delete_layout_memory_of_type(
        &mut self,
        document_type: &str,
    ) -> Result<u64, StoreError> {
        let deleted =
            sqlx::query("DELETE FROM layout_memory WHERE tenant_id = $1 AND document_type = $2")
                .bind(self.tenant_id().0)
                .bind(document_type)
                .execute(self.connection())
                .await?;
        Ok(deleted.rows_affected())
    }
}
