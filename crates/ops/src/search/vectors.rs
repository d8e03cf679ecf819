//! Vectors, apart from those that the `index` stage makes: after a change of the model, every chunk gets one
//! of the new model in the background. Until all have, the tenant is searched by the old ones (`models.rs`).

use std::collections::HashMap;
use std::sync::Arc;

use domain::{Clock, ClockUse, ContentHash, EmbeddedWindow, Failure, TenantId};
use retrieval::chunk::Chunk;
use retrieval::embedding::{
    Embedding, EmbeddingSource, EmbeddingStore, EmbeddingStoreFuture, parts_of,
};
use store::{Store, StoreError, UnembeddedChunk};
use uuid::Uuid;

use super::models::EmbeddingModels;

/// Gives chunks their vectors, and forgets what nobody can find any more.
#[derive(Clone, Debug)]
pub struct VectorsKeeper {
    store: Store,
    models: EmbeddingModels,
    clock: Arc<dyn Clock>,
}

impl VectorsKeeper {
    const AT_ONCE: i64 = 64;
    const SWEPT_AT_ONCE: i64 = 1_000;
    /// So long a version that is not served any more lends its vectors to a rerun.
    const KEEP: chrono::Duration = chrono::Duration::days(1);

    pub fn new(store: Store, embedding: EmbeddingSource, clock: Arc<dyn Clock>) -> Self {
        let models = EmbeddingModels::new(store.clone(), embedding);
        Self { store, models, clock }
    }

    pub(crate) fn models(&self) -> &EmbeddingModels {
        &self.models
    }

    /// One round: gives some chunks their vectors, and says whether there may be more.
    pub async fn fill_in(&self) -> Result<bool, StoreError> {
        let Some(embedding) = self.models.current().await else { return Ok(false) };
        let mut across = self.store.across_tenants().await?;
        let waiting = across.chunks_without_vector(embedding.model(), Self::AT_ONCE).await?;
        across.commit().await?;
        if waiting.is_empty() {
            let mut across = self.store.across_tenants().await?;
            across.switch_search_model(embedding.model()).await?;
            across.commit().await?;
            self.models.let_go_of_some().await;
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
                tracing::warn!(%error, "chunks wait for their vectors");
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

    /// Removes what is left of versions that have not been served for a day.
    pub async fn sweep(&self) -> Result<(), StoreError> {
        let embedding = self.models.current().await;
        let model = embedding.as_deref().map(Embedding::model);
        while let Some(now) = self.clock.now_for(ClockUse::Delete) {
            let mut across = self.store.across_tenants().await?;
            let since = now - Self::KEEP;
            let swept = across.clean_up_search(since, model, Self::SWEPT_AT_ONCE).await?;
            if swept > 0 && !across.confirms_time_for(ClockUse::Delete).await? {
                return across.rollback().await;
            }
            across.commit().await?;
            if swept < Self::SWEPT_AT_ONCE.unsigned_abs() {
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

impl EmbeddingStore for VectorsKeeper {
    fn models(&self, tenant_id: TenantId) -> EmbeddingStoreFuture<'_, Vec<Arc<dyn Embedding>>> {
        Box::pin(async move { self.models.of_tenant(tenant_id).await.map_err(try_again) })
    }

    fn known<'a>(
        &'a self,
        tenant_id: TenantId,
        model: &'a str,
        keys: &'a [ContentHash],
    ) -> EmbeddingStoreFuture<'a, HashMap<ContentHash, Vec<f32>>> {
        Box::pin(async move { self.look_up(tenant_id, model, keys).await.map_err(try_again) })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "for `map_err`")]
fn try_again(error: StoreError) -> Failure {
    let text = format!("vectors could not be looked up: {error}");
    if error.is_unavailable() {
        Failure::unavailable(domain::Dependency::Database, text)
    } else {
        Failure::retry(text)
    }
}

/// As it was cut; only what is embedded matters here.
fn as_chunk(waiting: UnembeddedChunk) -> Chunk {
    Chunk {
        text: waiting.text,
        heading: waiting.heading,
        pages: 1..=1,
        places: Vec::new(),
        tokens: 0,
    }
}
