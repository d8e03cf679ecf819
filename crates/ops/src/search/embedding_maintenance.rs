//! Maintenance of embeddings outside of the `index` stage: after a change of the embedding model, chunks get vectors of the
//! new model in the background. Until all chunks have them, the tenant is searched by the old ones
//! (`embedding_models.rs`).

use std::collections::HashMap;
use std::sync::Arc;

use domain::{Clock, ClockUse, ContentHash, EmbeddedWindow, Failure, TenantId};
use retrieval::chunk::Chunk;
use retrieval::embedding::{
    Embedding, EmbeddingSource, EmbeddingStore, EmbeddingStoreFuture, parts_of,
};
use store::{Store, StoreError, UnembeddedChunk};
use uuid::Uuid;

use super::embedding_models::EmbeddingModels;

/// Embeds chunks without vectors of the current model, and deletes chunks that search can no longer use.
#[derive(Clone, Debug)]
pub struct EmbeddingMaintenance {
    store: Store,
    models: EmbeddingModels,
    clock: Arc<dyn Clock>,
}

impl EmbeddingMaintenance {
    const CHUNKS_PER_ROUND: i64 = 64;
    const DELETED_PER_STATEMENT: i64 = 1_000;
    /// How long the vectors of an inactive version are kept, since a rerun can reuse them.
    const RETENTION: chrono::Duration = chrono::Duration::days(1);

    pub fn new(store: Store, embedding: EmbeddingSource, clock: Arc<dyn Clock>) -> Self {
        let models = EmbeddingModels::new(store.clone(), embedding);
        Self { store, models, clock }
    }

    pub(crate) fn models(&self) -> &EmbeddingModels {
        &self.models
    }

    /// One round: embeds some chunks without vectors. Returns whether there may be more.
    pub async fn embed_missing(&self) -> Result<bool, StoreError> {
        let Some(embedding) = self.models.current().await else { return Ok(false) };
        let mut across = self.store.across_tenants().await?;
        let waiting =
            across.chunks_without_vector(embedding.model(), Self::CHUNKS_PER_ROUND).await?;
        across.commit().await?;
        if waiting.is_empty() {
            let mut across = self.store.across_tenants().await?;
            across.switch_search_model(embedding.model()).await?;
            across.commit().await?;
            self.models.close_unused().await;
            return Ok(false);
        }
        let tenant_id = waiting[0].tenant_id;
        let waiting = waiting.into_iter().filter(|chunk| chunk.tenant_id == tenant_id);
        let cut = |waiting: UnembeddedChunk| {
            let chunk_id = waiting.chunk_id;
            (chunk_id, parts_of(&as_chunk(waiting), embedding.as_ref()))
        };
        let parts: Vec<(Uuid, Vec<(ContentHash, String)>)> = waiting.map(cut).collect();
        let texts = parts.iter().flat_map(|(_, parts)| parts).map(|(_, text)| text.clone());
        let mut vectors = match embedding.embed(texts.collect()).await {
            Ok(vectors) => vectors.into_iter(),
            Err(error) => {
                tracing::warn!(%error, "cannot embed chunks; retrying in the next round");
                return Ok(false);
            }
        };
        let mut embedded = |(chunk_id, parts): (Uuid, Vec<(ContentHash, String)>)| {
            let part = |((content_key, _), vector)| EmbeddedWindow { content_key, vector };
            (chunk_id, parts.into_iter().zip(&mut vectors).map(part).collect())
        };
        let embedded: Vec<_> = parts.into_iter().map(&mut embedded).collect();
        let mut across = self.store.across_tenants().await?;
        across.add_vectors(tenant_id, embedding.model(), &embedded).await?;
        across.commit().await?;
        Ok(true)
    }

    /// Deletes the chunks of versions that have been inactive for a day.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let embedding = self.models.current().await;
        let model = embedding.as_deref().map(Embedding::model);
        while let Some(now) = self.clock.now_for(ClockUse::Delete) {
            let mut across = self.store.across_tenants().await?;
            let since = now - Self::RETENTION;
            let swept = across.clean_up_search(since, model, Self::DELETED_PER_STATEMENT).await?;
            if swept > 0 && !across.confirms_time_for(ClockUse::Delete).await? {
                return across.rollback().await;
            }
            across.commit().await?;
            if swept < Self::DELETED_PER_STATEMENT.unsigned_abs() {
                return Ok(());
            }
        }
        Ok(())
    }

    async fn look_up(
        &self,
        tenant_id: TenantId,
        model: &str,
        keys: &[ContentHash],
    ) -> Result<HashMap<ContentHash, Vec<f32>>, StoreError> {
        let mut across = self.store.across_tenants().await?;
        let known = across.known_vectors(tenant_id, model, keys).await?;
        across.commit().await?;
        Ok(known.into_iter().collect())
    }
}

impl EmbeddingStore for EmbeddingMaintenance {
    fn models(&self, tenant_id: TenantId) -> EmbeddingStoreFuture<'_, Vec<Arc<dyn Embedding>>> {
        Box::pin(async move { self.models.of_tenant(tenant_id).await.map_err(retryable) })
    }

    fn known<'a>(
        &'a self,
        tenant_id: TenantId,
        model: &'a str,
        keys: &'a [ContentHash],
    ) -> EmbeddingStoreFuture<'a, HashMap<ContentHash, Vec<f32>>> {
        Box::pin(async move { self.look_up(tenant_id, model, keys).await.map_err(retryable) })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn retryable(error: StoreError) -> Failure {
    let text = format!("vectors could not be read: {error}");
    if error.is_unavailable() {
        Failure::unavailable(domain::Dependency::Database, text)
    } else {
        Failure::retry(text)
    }
}

/// The chunk with only the fields that embedding needs.
fn as_chunk(waiting: UnembeddedChunk) -> Chunk {
    Chunk {
        text: waiting.text,
        heading: waiting.heading,
        pages: 1..=1,
        places: Vec::new(),
        tokens: 0,
    }
}
