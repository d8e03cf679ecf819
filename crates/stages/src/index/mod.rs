//! `index`: pages become chunks that can be found, each with its terms and its vector.
//!
//! They are kept in the transaction that ends the stage: from the moment a version is served it is found,
//! all of it, and the version before it is not. Without an embedding model a document is found by its words
//! alone, and gets its vectors when there is one.

mod blocks;

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;

use domain::{
    ChunkArea, ContentHash, EmbeddedPart, Failure, IdGen, NewChunk, NewChunks, StageName, TenantId,
};
use engine::{Stage, StageFuture, StageOutput, StageSettings, Work};
use reading::model::Part;
use reading::pool::Document;
use retrieval::chunk::{self, Chunk, chunks};
use retrieval::embedding::{Embedding, EmbeddingError, EmbeddingSource, parts_of};
use retrieval::terms::{Terms, pack};
use serde_json::{Map, json};

use crate::desk::{Desk, read_pages};
use crate::{Layout, Ocr, Preprocess};
use blocks::blocks_of;

/// Vectors that texts have got before: nothing is embedded twice.
pub trait KnownVectors: Send + Sync {
    fn find<'a>(
        &'a self,
        tenant_id: TenantId,
        model: &'a str,
        keys: &'a [ContentHash],
    ) -> FindingVectors<'a>;
}

pub type FindingVectors<'a> =
    Pin<Box<dyn Future<Output = Result<HashMap<ContentHash, Vec<f32>>, Failure>> + Send + 'a>>;

pub struct Index {
    name: StageName,
    settings: StageSettings,
    desk: Desk,
    ids: Arc<dyn IdGen>,
    embedding: EmbeddingSource,
    known: Arc<dyn KnownVectors>,
}

/// What is embedded in one go: enough to keep the model busy, little enough to tell how far it is.
const AT_ONCE: usize = 64;

impl Index {
    pub const NAME: &str = "index";

    pub fn new(
        desk: Desk,
        ids: Arc<dyn IdGen>,
        embedding: EmbeddingSource,
        known: Arc<dyn KnownVectors>,
        concurrency: usize,
    ) -> Result<Self, domain::InvalidPipeline> {
        // A book on a slow machine takes its time.
        let deadline = std::time::Duration::from_hours(2);
        let settings = StageSettings { concurrency, deadline, ..StageSettings::default() };
        Ok(Self { name: Self::NAME.parse()?, settings, desk, ids, embedding, known })
    }

    async fn index(&self, work: &Work) -> Result<StageOutput, Failure> {
        let pages = self.desk.pages(work, &[Preprocess::NAME, Ocr::NAME, Layout::NAME]).await?;
        let embedding = self.embedding.get().await;
        let cutter = embedding.clone();
        let cut = move || cut_into_chunks(&pages, cutter.as_deref());
        let found = tokio::task::spawn_blocking(cut).await.map_err(|_| cut_off())??;
        let mut stats = Map::new();
        stats.insert("chunks".to_owned(), json!(found.len()));
        let (chunks, parts): (Vec<Chunk>, Vec<_>) = found.into_iter().unzip();
        let mut new = NewChunks {
            model: None,
            chunks: chunks.into_iter().map(|chunk| self.new_chunk(chunk)).collect(),
        };
        if let Some(embedding) = embedding {
            let embedded = self.add_vectors(work, embedding.as_ref(), &mut new, parts).await?;
            stats.insert("texts_embedded".to_owned(), json!(embedded));
        }
        Ok(StageOutput { stats, chunks: Some(new), ..StageOutput::default() })
    }

    fn new_chunk(&self, chunk: Chunk) -> NewChunk {
        let area = |area: &chunk::Area| {
            ChunkArea::new(area.page, [area.left, area.top, area.right, area.bottom])
        };
        NewChunk {
            chunk_id: self.ids.next(),
            terms: pack(&Terms::of(&chunk.embedding_text())),
            heading: chunk.heading,
            tokens: chunk.tokens,
            first_page: *chunk.pages.start(),
            last_page: *chunk.pages.end(),
            areas: chunk.areas.iter().map(area).collect(),
            text: chunk.text,
            parts: Vec::new(),
        }
    }

    /// How many texts had to be embedded: the others had been before.
    async fn add_vectors(
        &self,
        work: &Work,
        embedding: &dyn Embedding,
        new: &mut NewChunks,
        parts: Vec<Parts>,
    ) -> Result<usize, Failure> {
        let mut keys: Vec<ContentHash> = parts.iter().flatten().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut known = self.known.find(work.tenant_id, embedding.model(), &keys).await?;
        let mut missing: BTreeMap<ContentHash, &str> = BTreeMap::new();
        for (key, text) in parts.iter().flatten().filter(|(key, _)| !known.contains_key(key)) {
            missing.insert(*key, text);
        }
        let missing: Vec<(ContentHash, &str)> = missing.into_iter().collect();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        for (round, few) in (1..).zip(missing.chunks(AT_ONCE)) {
            let texts = few.iter().map(|(_, text)| (*text).to_owned()).collect();
            let vectors = embedding.embed(texts).await.map_err(of_embedding)?;
            known.extend(few.iter().map(|(key, _)| *key).zip(vectors));
            work.progress.tell(number((round * AT_ONCE).min(missing.len())), number(missing.len()));
        }
        for (chunk, parts) in new.chunks.iter_mut().zip(&parts) {
            let vector = |(key, _): &(ContentHash, String)| {
                Some(EmbeddedPart { content_key: *key, vector: known.get(key)?.clone() })
            };
            chunk.parts = parts.iter().filter_map(vector).collect();
        }
        new.model = Some(embedding.model().to_owned());
        Ok(missing.len())
    }
}

/// What is embedded of a chunk, and what each text is known by.
type Parts = Vec<(ContentHash, String)>;

fn cut_into_chunks(
    pages: &Document,
    embedding: Option<&dyn Embedding>,
) -> Result<Vec<(Chunk, Parts)>, Failure> {
    let count = |text: &str| match embedding {
        Some(embedding) => embedding.count_tokens(text),
        // About what a tokenizer of the BERT family makes of it.
        None => text.split_whitespace().count() * 4 / 3,
    };
    let mut reader = read_pages(pages)?;
    let mut damage = None;
    let blocks = std::iter::from_fn(|| {
        loop {
            match reader.next_part() {
                Ok(Some(Part::Page(page))) => return Some(blocks_of(&page)),
                Ok(Some(_)) => {}
                Ok(None) => return None,
                Err(error) => {
                    damage = Some(crate::desk::of_pages(error));
                    return None;
                }
            }
        }
    });
    let with_parts = |chunk: Chunk| {
        let parts = embedding.map_or_else(Vec::new, |embedding| parts_of(&chunk, embedding));
        (chunk, parts)
    };
    let found = chunks(blocks.flatten(), &count).map(with_parts).collect();
    damage.map_or(Ok(found), Err)
}

fn cut_off() -> Failure {
    Failure::retry("cutting the text into chunks did not come to an end")
}

fn of_embedding(error: EmbeddingError) -> Failure {
    match error {
        EmbeddingError::Passing(what) => Failure::retry(what),
        EmbeddingError::Lasting(what) => Failure::permanent(
            what,
            "Check the embedding model's settings, then run the document again from `index`.",
        ),
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("desk", &self.desk).finish_non_exhaustive()
    }
}

impl Stage for Index {
    fn name(&self) -> &StageName {
        &self.name
    }

    fn settings(&self) -> &StageSettings {
        &self.settings
    }

    fn run<'a>(&'a self, work: &'a Work) -> StageFuture<'a> {
        Box::pin(self.index(work))
    }
}
