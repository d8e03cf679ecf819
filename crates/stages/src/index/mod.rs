//! `index`: splits the pages into searchable chunks, each with its terms and vectors.
//!
//! The transaction that ends the stage stores the chunks and activates the version: from then on search finds all of
//! it, and nothing of the version before. Without an embedding model, search finds a document by keywords only,
//! until a model is configured and the document gets its vectors. While documents move from one model to another, a
//! new document gets the vectors of both.

mod blocks;

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use domain::{
    ChunkArea, ContentHash, Dependency, Effect, EmbeddedWindow, Failure, IdGen, NewChunk,
    NewChunks, NewVectors, RetryPolicy, RunStats, StageName,
};
use engine::{StageInput, StageOutput, StageSettings};
use pages::Part;
use reading::pool::Document;
use retrieval::chunk::{self, Chunk, chunks};
use retrieval::embedding::{Embedding, EmbeddingError, EmbeddingStore, estimated_tokens, parts_of};
use retrieval::terms::{Terms, pack};

use crate::context::{StageContext, read_pages};
use crate::{Layout, Ocr, Preprocess};
use blocks::blocks_of;

pub struct Index {
    settings: StageSettings,
    context: StageContext,
    ids: Arc<dyn IdGen>,
    embedding_store: Arc<dyn EmbeddingStore>,
}

/// How many texts are embedded at once: enough to keep the model busy, few enough to report progress.
const BATCH_SIZE: usize = 64;

impl Index {
    pub const NAME: StageName = StageName::INDEX;

    pub fn new(
        context: StageContext,
        ids: Arc<dyn IdGen>,
        embedding_store: Arc<dyn EmbeddingStore>,
        concurrency: usize,
    ) -> Self {
        // A book on a slow machine takes long.
        let deadline = std::time::Duration::from_hours(2);
        let policy = RetryPolicy::KNOWLEDGE;
        let settings = StageSettings { concurrency, deadline, policy, ..StageSettings::default() };
        Self { settings, context, ids, embedding_store }
    }

    async fn index(&self, input: &StageInput) -> Result<StageOutput, Failure> {
        let pages = self.context.pages(input, &[Preprocess::NAME, Ocr::NAME, Layout::NAME]).await?;
        let models = self.embedding_store.models(input.tenant_id).await?;
        let chunking_models = models.clone();
        let cut = move || cut_into_chunks(&pages, &chunking_models);
        let (chunks, parts) =
            tokio::task::spawn_blocking(cut).await.map_err(|_| chunking_failure())??;
        let tokens: u64 = chunks.iter().map(|chunk| u64::from(chunk.tokens)).sum();
        let chunks: Vec<NewChunk> = chunks.into_iter().map(|chunk| self.new_chunk(chunk)).collect();
        let mut new = NewChunks { chunks, vectors: Vec::new() };
        let mut embedded = 0;
        for (model, parts) in models.iter().zip(parts) {
            match self.embed(input, model.as_ref(), &new.chunks, parts).await {
                Ok((vectors, texts)) => {
                    new.vectors.push(vectors);
                    embedded += texts;
                }
                // Search finds it by the other model and by keywords; nothing is lost.
                Err(failure) if !new.vectors.is_empty() => {
                    tracing::warn!(
                        model = model.model(),
                        error = failure.error,
                        "embedding with the previous model failed"
                    );
                }
                Err(failure) => return Err(failure),
            }
        }
        let stats = RunStats {
            docs_processed: Some(1),
            chunks_created: Some(new.chunks.len() as u64),
            tokens_total: Some(tokens),
            texts_embedded: (!models.is_empty()).then_some(embedded as u64),
            ..RunStats::default()
        };
        let effects = vec![Effect::Chunks(Arc::new(new))];
        Ok(StageOutput { stats, effects, ..StageOutput::default() })
    }

    fn new_chunk(&self, chunk: Chunk) -> NewChunk {
        let area = |chunk::Place { area, text }: &chunk::Place| {
            let sides = [area.left, area.top, area.right, area.bottom];
            ChunkArea::new(area.page, sides, text.clone())
        };
        NewChunk {
            chunk_id: self.ids.next(),
            terms: pack(&Terms::of(&chunk.embedding_text())),
            heading: chunk.heading,
            tokens: chunk.tokens,
            first_page: *chunk.pages.start(),
            last_page: *chunk.pages.end(),
            areas: chunk.places.iter().map(area).collect(),
            text: chunk.text,
        }
    }

    /// The vectors of one model, and how many texts had to be embedded because no earlier vector exists.
    async fn embed(
        &self,
        input: &StageInput,
        embedding: &dyn Embedding,
        chunks: &[NewChunk],
        parts: Vec<Parts>,
    ) -> Result<(NewVectors, usize), Failure> {
        let mut keys: Vec<ContentHash> = parts.iter().flatten().map(|(key, _)| *key).collect();
        keys.sort_unstable();
        keys.dedup();
        let mut known =
            self.embedding_store.known(input.tenant_id, embedding.model(), &keys).await?;
        let mut missing: BTreeMap<ContentHash, &str> = BTreeMap::new();
        for (key, text) in parts.iter().flatten().filter(|(key, _)| !known.contains_key(key)) {
            missing.insert(*key, text);
        }
        let missing: Vec<(ContentHash, &str)> = missing.into_iter().collect();
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        for (round, batch) in (1..).zip(missing.chunks(BATCH_SIZE)) {
            let texts = batch.iter().map(|(_, text)| (*text).to_owned()).collect();
            let vectors = embedding.embed(texts).await.map_err(embedding_failure)?;
            known.extend(batch.iter().map(|(key, _)| *key).zip(vectors));
            input
                .progress
                .report(number((round * BATCH_SIZE).min(missing.len())), number(missing.len()));
        }
        let embedded = |(chunk, parts): (&NewChunk, &Parts)| {
            let vector = |(key, _): &(ContentHash, String)| {
                Some(EmbeddedWindow { content_key: *key, vector: known.get(key)?.clone() })
            };
            (chunk.chunk_id, parts.iter().filter_map(vector).collect())
        };
        let of_chunks = chunks.iter().zip(&parts).map(embedded).collect();
        let model = embedding.model().to_owned();
        Ok((NewVectors { model, of_chunks }, missing.len()))
    }
}

/// The texts to embed for a chunk, each with its content key.
type Parts = Vec<(ContentHash, String)>;

/// The chunks, sized in tokens of the first model, and for each model the texts to embed for each chunk.
fn cut_into_chunks(
    pages: &Document,
    models: &[Arc<dyn Embedding>],
) -> Result<(Vec<Chunk>, Vec<Vec<Parts>>), Failure> {
    let count = |text: &str| match models.first() {
        Some(embedding) => embedding.count_tokens(text),
        None => estimated_tokens(text),
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
                    damage = Some(crate::context::pages_failure(error));
                    return None;
                }
            }
        }
    });
    let chunks: Vec<Chunk> = chunks(blocks.flatten(), &count).collect();
    if let Some(damage) = damage {
        return Err(damage);
    }
    let parts_for = |model: &Arc<dyn Embedding>| {
        chunks.iter().map(|chunk| parts_of(chunk, model.as_ref())).collect()
    };
    let parts = models.iter().map(parts_for).collect();
    Ok((chunks, parts))
}

fn chunking_failure() -> Failure {
    Failure::retry("splitting the text into chunks was interrupted")
}

fn embedding_failure(error: EmbeddingError) -> Failure {
    match error {
        EmbeddingError::Transient(what) => Failure::unavailable(Dependency::EmbeddingModel, what),
        EmbeddingError::Crashed(what) => Failure::poison(
            what,
            "The document triggers a bug in the embedding model: report it, and retry the job after an update.",
        ),
        EmbeddingError::Permanent(what) => Failure::permanent(
            what,
            "Check the embedding model's settings, then rerun the document from `index`.",
        ),
    }
}

impl fmt::Debug for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Index").field("context", &self.context).finish_non_exhaustive()
    }
}

stage!(Index, index);
