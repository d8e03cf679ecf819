//! What can be found, and what changed of it.
//!
//! Whoever searches keeps an index of a tenant in memory. It remembers up to which transaction it knows
//! everything ([`Changes::until`]) and reads on from there before each search, so an activation that was
//! acknowledged is never missed, on any node, and nothing has to be told to anybody.

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

pub use vectors::WaitingChunk;

/// What changed since somebody last looked.
#[derive(Clone, Debug)]
pub struct Changes {
    /// Up to here everything is known: to be handed in the next time.
    pub until: i64,
    /// When that was, by the database's clock.
    pub seconds: i64,
    /// The model by whose vectors the tenant is searched.
    pub model: Option<String>,
    /// Each change, and the document that changed. One may be told again until `until` has passed it.
    pub changed: Vec<(i64, DocId)>,
}

/// A document that can be found.
#[derive(Clone, Debug)]
pub struct FindableDocument {
    pub doc_id: DocId,
    pub doc_version_id: Uuid,
    pub kind: FileKind,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
    /// Those who may find it: who has not presented its password, where it has one, may not.
    pub owners: Vec<FindableOwner>,
    pub batches: Vec<BatchId>,
}

/// What an owner narrows a document down by, instead of what everybody else does.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub struct FindableOwner {
    pub owner: String,
    pub created_at: DateTime<Utc>,
    pub tags: Vec<String>,
}

/// What of it can be found.
#[derive(Clone, Debug)]
pub struct FindableChunk {
    pub doc_id: DocId,
    pub chunk_id: Uuid,
    pub terms: Vec<u8>,
    /// One for each of its parts.
    pub vectors: Vec<Vec<f32>>,
}

/// The text of a chunk, and where it stands.
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
    /// Keeps of where it stands what has these bytes of its text; all of it when that is not known.
    pub fn point_at(&mut self, bytes: &Range<usize>) {
        let there: Vec<ChunkArea> =
            self.areas.iter().filter(|area| area.has(bytes)).copied().collect();
        let pages = there.iter().map(|area| area.page);
        if let Some((first, last)) = pages.clone().min().zip(pages.max()) {
            (self.first_page, self.last_page) = (first, last);
            self.areas = there;
        }
    }
}

/// A document that may influence answers.
#[derive(Clone, Debug, FromRow)]
pub struct KnownRecord {
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
    /// For reading only, all of it in one view of the database.
    pub async fn read_one_view(&self, scope: &Scope) -> Result<Tx, StoreError> {
        self.begin_as("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY", scope).await
    }
}

impl Tx {
    /// What changed since `since`; everything is new to whoever knows nothing yet.
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

    /// Documents that can be found in the tenant, all or some of them.
    pub async fn findable_documents(
        &mut self,
        only: Option<&[DocId]>,
    ) -> Result<Vec<FindableDocument>, StoreError> {
        type Row =
            (Uuid, Uuid, String, DateTime<Utc>, Vec<String>, Json<Vec<FindableOwner>>, Vec<Uuid>);
        let rows: Vec<Row> = sqlx::query_as(sql!("search/documents"))
            .bind(self.tenant_id().0)
            .bind(ids(only))
            .fetch_all(self.connection())
            .await?;
        let document = |(doc_id, doc_version_id, kind, created_at, tags, owners, batches): Row| {
            let kind = kind.parse().map_err(|_| StoreError::NotUnderstood {
                what: "kind of file",
                value: kind.clone(),
            })?;
            Ok(FindableDocument {
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

    /// Their chunks, with the vectors of one model. They take memory: not of many documents at once.
    pub async fn findable_chunks(
        &mut self,
        documents: &[DocId],
        model: Option<&str>,
    ) -> Result<Vec<FindableChunk>, StoreError> {
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
        let chunk = |(doc_id, chunk_id, terms)| FindableChunk {
            doc_id: DocId(doc_id),
            chunk_id,
            terms,
            vectors: of_chunk.remove(&chunk_id).unwrap_or_default(),
        };
        Ok(rows.into_iter().map(chunk).collect())
    }

    /// The texts of chunks, as far as they are served and the scope may see them; in no order.
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

    /// What may influence answers, newest first.
    pub async fn list_knowledge_base(
        &mut self,
        window: &Window,
    ) -> Result<Vec<KnownRecord>, StoreError> {
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
    /// Keeps what a run made findable.
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
            let parts = of_chunks.iter().map(|(chunk, parts)| (*chunk, parts.as_slice()));
            self.insert_vectors(tenant_id, model, parts).await?;
        }
        Ok(())
    }

    /// Forgets some of what cannot be found any more; how many chunks or vectors that were.
    pub async fn sweep_search(
        &mut self,
        not_served_since: DateTime<Utc>,
        model: Option<&str>,
        most: i64,
    ) -> Result<u64, StoreError> {
        let chunks = sqlx::query(sql!("search/sweep"))
            .bind(not_served_since)
            .bind(most)
            .execute(self.connection())
            .await?;
        let mut swept = chunks.rows_affected();
        if let Some(model) = model {
            let vectors = sqlx::query(sql!("search/sweep_vectors"))
                .bind(model)
                .bind(most)
                .execute(self.connection())
                .await?;
            swept += vectors.rows_affected();
        }
        Ok(swept)
    }
}
