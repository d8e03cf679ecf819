//! The searchable documents and chunks of a tenant, and their changes.
//!
//! Each server keeps the search index of a tenant in memory. The index remembers up to which transaction it is complete
//! ([`Changes::until`]) and reads the changes since then before each search. So no server misses an acknowledged
//! activation, and no notification is needed.

mod vectors;

use std::collections::HashMap;
use std::ops::Range;

use chrono::{DateTime, Utc};
use domain::{BatchId, ChunkArea, DocId, FileKind, NewChunks, NewVectors, RunId, Scope, TenantId};
use serde::Deserialize;
use serde_json::json;
use sqlx::FromRow;
use sqlx::types::Json;
use uuid::Uuid;

use crate::vector::Vector;
use crate::{AcrossTenants, Store, StoreError, Tx, Window, sql, storable};

pub use vectors::UnembeddedChunk;

/// The changes since the last reading.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Everything before this transaction is included: pass it to the next call.
    pub until: i64,
    /// When they were read, by the database's clock.
    pub seconds: i64,
    /// The embedding model that the tenant is searched with.
    pub model: Option<String>,
    /// Each change, and the document that changed. A change may be returned again until `until` has passed it.
    pub changed: Vec<(i64, DocId)>,
}

/// A document with an active version.
#[derive(Clone, Debug)]
pub struct SearchableDocument {
    pub doc_id: DocId,
    pub doc_version_id: Uuid,
    pub kind: FileKind,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
    /// The owners who may find it: an owner who has not presented its password may not.
    pub owners: Vec<SearchableOwner>,
    pub batches: Vec<BatchId>,
}

/// The filter values of one owner, instead of the document's own.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct SearchableOwner {
    pub owner: String,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
}

/// A chunk of a searchable document.
#[derive(Clone, Debug)]
pub struct SearchableChunk {
    pub doc_id: DocId,
    pub chunk_id: Uuid,
    pub terms: Vec<u8>,
    /// One for each embedded window.
    pub vectors: Vec<Vec<f32>>,
}

/// The text of a chunk, and its location.
#[derive(Clone, Debug)]
pub struct PassageRecord {
    pub chunk_id: Uuid,
    pub doc_id: DocId,
    pub doc_version_id: Uuid,
    pub title: String,
    pub filename: String,
    pub file_kind: String,
    pub heading: Vec<String>,
    pub text: String,
    pub first_page: u32,
    pub last_page: u32,
    pub areas: Vec<ChunkArea>,
}

impl PassageRecord {
    /// Keeps only the areas that contain these bytes of its text; all areas when none is known to.
    pub fn narrow_to(&mut self, bytes: &Range<usize>) {
        let areas: Vec<ChunkArea> =
            self.areas.iter().filter(|area| area.overlaps(bytes)).copied().collect();
        let pages = areas.iter().map(|area| area.page);
        if let Some((first, last)) = pages.clone().min().zip(pages.max()) {
            (self.first_page, self.last_page) = (first, last);
            self.areas = areas;
        }
    }
}

/// A document of the knowledge base.
#[derive(Clone, Debug, FromRow)]
pub struct KnowledgeBaseRecord {
    #[sqlx(try_from = "Uuid")]
    pub doc_id: DocId,
    pub doc_version_id: Uuid,
    pub title: String,
    pub filename: String,
    pub file_kind: String,
    pub activated_at: DateTime<Utc>,
    pub chunks: i64,
    pub pages: i32,
}

#[derive(FromRow)]
struct PassageRow {
    chunk_id: Uuid,
    doc_id: Uuid,
    doc_version_id: Uuid,
    title: String,
    filename: String,
    file_kind: String,
    heading: Json<Vec<String>>,
    text: String,
    first_page: i32,
    last_page: i32,
    areas: Json<Vec<ChunkArea>>,
}

impl Store {
    /// A read-only transaction in which all statements see one snapshot of the database.
    pub async fn read_snapshot(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_as("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", scope).await
    }
}

impl Tx {
    /// The changes since `since`; `None` when nothing was read before.
    pub async fn search_changes(&mut self, since: Option<i64>) -> Result<Changes, StoreError> {
        type Row = (i64, i64, Option<String>, Vec<i64>, Vec<Uuid>);
        let (until, seconds, model, numbers, documents): Row =
            sqlx::query_as(sql!("search/changes"))
                .bind(self.tenant_id().0)
                .bind(since.map(|xact| xact.to_string()))
                .fetch_one(self.connection())
                .await?;
        let changed = numbers.into_iter().zip(documents.into_iter().map(DocId)).collect();
        Ok(Changes { until, seconds, model, changed })
    }

    /// The tenant's documents with an active version, all or some of them.
    pub async fn searchable_documents(
        &mut self,
        only: Option<&[DocId]>,
    ) -> Result<Vec<SearchableDocument>, StoreError> {
        type Row =
            (Uuid, Uuid, String, DateTime<Utc>, Vec<String>, Json<Vec<SearchableOwner>>, Vec<Uuid>);
        let rows: Vec<Row> = sqlx::query_as(sql!("search/documents"))
            .bind(self.tenant_id().0)
            .bind(ids(only))
            .fetch_all(self.connection())
            .await?;
        let document = |(doc_id, doc_version_id, kind, created_at, tags, owners, batches): Row| {
            let kind = kind.parse().map_err(|_| StoreError::Unreadable {
                what: "kind of file",
                value: kind.clone(),
            })?;
            Ok(SearchableDocument {
                doc_id: DocId(doc_id),
                doc_version_id,
                kind,
                created_at,
                tags,
                owners: owners.0,
                batches: batches.into_iter().map(BatchId).collect(),
            })
        };
        rows.into_iter().map(document).collect()
    }

    /// The chunks of documents, with the vectors of one model. Call it for few documents at once, because of the memory.
    pub async fn searchable_chunks(
        &mut self,
        documents: &[DocId],
        model: Option<&str>,
    ) -> Result<Vec<SearchableChunk>, StoreError> {
        let documents: Vec<Uuid> = documents.iter().map(|doc_id| doc_id.0).collect();
        let rows: Vec<(Uuid, Uuid, Vec<u8>)> = sqlx::query_as(sql!("search/chunks"))
            .bind(self.tenant_id().0)
            .bind(&documents)
            .fetch_all(self.connection())
            .await?;
        let vectors: Vec<(Uuid, Vector)> = sqlx::query_as(sql!("search/vectors"))
            .bind(self.tenant_id().0)
            .bind(&documents)
            .bind(model)
            .fetch_all(self.connection())
            .await?;
        let mut of_chunk: HashMap<Uuid, Vec<Vec<f32>>> = HashMap::new();
        for (chunk_id, Vector(numbers)) in vectors {
            of_chunk.entry(chunk_id).or_default().push(numbers);
        }
        let chunk = |(doc_id, chunk_id, terms)| SearchableChunk {
            doc_id: DocId(doc_id),
            chunk_id,
            terms,
            vectors: of_chunk.remove(&chunk_id).unwrap_or_default(),
        };
        Ok(rows.into_iter().map(chunk).collect())
    }

    /// The texts of those chunks that are active and that the scope may see; in no order.
    pub async fn find_passages(
        &mut self,
        chunks: &[Uuid],
    ) -> Result<Vec<PassageRecord>, StoreError> {
        let owner = self.owner();
        let rows: Vec<PassageRow> = sqlx::query_as(sql!("search/passages"))
            .bind(self.tenant_id().0)
            .bind(chunks)
            .bind(owner)
            .fetch_all(self.connection())
            .await?;
        let page = |number: i32| u32::try_from(number).unwrap_or(0);
        let passage = |row: PassageRow| PassageRecord {
            chunk_id: row.chunk_id,
            doc_id: DocId(row.doc_id),
            doc_version_id: row.doc_version_id,
            title: row.title,
            filename: row.filename,
            file_kind: row.file_kind,
            heading: row.heading.0,
            text: row.text,
            first_page: page(row.first_page),
            last_page: page(row.last_page),
            areas: row.areas.0,
        };
        Ok(rows.into_iter().map(passage).collect())
    }

    /// The knowledge base, newest first.
    pub async fn list_knowledge_base(
        &mut self,
        window: &Window,
    ) -> Result<Vec<KnowledgeBaseRecord>, StoreError> {
        let owner = self.owner();
        Ok(sqlx::query_as(sql!("search/knowledge_base"))
            .bind(self.tenant_id().0)
            .bind(owner)
            .bind(window.moment())
            .bind(window.id())
            .bind(window.skip)
            .bind(window.limit)
            .fetch_all(self.connection())
            .await?)
    }
}

fn ids(only: Option<&[DocId]>) -> Option<Vec<Uuid>> {
    only.map(|documents| documents.iter().map(|id| id.0).collect())
}

impl AcrossTenants {
    /// Stores the chunks and vectors of a run.
    pub(crate) async fn insert_chunks(
        &mut self,
        (tenant_id, doc_id, run_id): (TenantId, DocId, RunId),
        new: &NewChunks,
        now: DateTime<Utc>,
    ) -> Result<(), StoreError> {
        let chunks = &new.chunks;
        let number = |count: u32| i32::try_from(count).unwrap_or(i32::MAX);
        sqlx::query(sql!("search/insert_chunks"))
            .bind(tenant_id.0)
            .bind(doc_id.0)
            .bind(run_id.0)
            .bind(now)
            .bind(chunks.iter().map(|chunk| chunk.chunk_id).collect::<Vec<_>>())
            .bind((0..).take(chunks.len()).collect::<Vec<i32>>())
            .bind(
                chunks
                    .iter()
                    .map(|chunk| storable::value(json!(chunk.heading)))
                    .collect::<Vec<_>>(),
            )
            .bind(chunks.iter().map(|chunk| storable::text(&chunk.text)).collect::<Vec<_>>())
            .bind(chunks.iter().map(|chunk| number(chunk.tokens)).collect::<Vec<_>>())
            .bind(chunks.iter().map(|chunk| number(chunk.first_page)).collect::<Vec<_>>())
            .bind(chunks.iter().map(|chunk| number(chunk.last_page)).collect::<Vec<_>>())
            .bind(chunks.iter().map(|chunk| json!(chunk.areas)).collect::<Vec<_>>())
            .bind(chunks.iter().map(|chunk| chunk.terms.as_slice()).collect::<Vec<_>>())
            .bind(new.vectors.first().map(|vectors| &vectors.model))
            .execute(self.connection())
            .await?;
        for NewVectors { model, of_chunks } in &new.vectors {
            let windows = of_chunks.iter().map(|(chunk, windows)| (*chunk, windows.as_slice()));
            self.insert_vectors(tenant_id, model, windows).await?;
        }
        Ok(())
    }

    /// Deletes some chunks and vectors that are no longer searched; returns how many.
    pub async fn clean_up_search(
        &mut self,
        inactive_since: DateTime<Utc>,
        model: Option<&str>,
        max: i64,
    ) -> Result<u64, StoreError> {
        let chunks = sqlx::query(sql!("search/clean_up"))
            .bind(inactive_since)
            .bind(max)
            .execute(self.connection())
            .await?;
        let mut deleted = chunks.rows_affected();
        if let Some(model) = model {
            let vectors = sqlx::query(sql!("search/clean_up_vectors"))
                .bind(model)
                .bind(max)
                .execute(self.connection())
                .await?;
            deleted += vectors.rows_affected();
        }
        Ok(deleted)
    }
}
