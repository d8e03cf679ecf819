//! The vectors of chunks, and their embedding models.

use domain::{ContentHash, EmbeddedWindow, TenantId};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::vector::Vector;
use crate::{AcrossTenants, StoreError, sql};

/// A chunk without a vector of a model.
#[derive(Clone, Debug)]
pub struct UnembeddedChunk {
    pub tenant_id: TenantId,
    pub chunk_id: Uuid,
    pub heading: Vec<String>,
    pub text: String,
}

impl AcrossTenants {
    pub(super) async fn insert_vectors<'a>(
        &mut self,
        tenant_id: TenantId,
        model: &str,
        chunks_with_windows: impl Iterator<Item = (Uuid, &'a [EmbeddedWindow])>,
    ) -> Result<(), StoreError> {
        let (mut chunks, mut numbers) = (Vec::new(), Vec::<i32>::new());
        let (mut keys, mut vectors) = (Vec::new(), Vec::new());
        for (chunk_id, windows) in chunks_with_windows {
            for (number, window) in (0..).zip(windows) {
                chunks.push(chunk_id);
                numbers.push(number);
                keys.push(&window.content_key.as_bytes()[..]);
                vectors.push(Vector(window.vector.clone()));
            }
        }
        sqlx::query(sql!("search/insert_vectors"))
            .bind(tenant_id.0)
            .bind(model)
            .bind(chunks)
            .bind(numbers)
            .bind(keys)
            .bind(vectors)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// The existing vectors of a tenant's texts.
    pub async fn known_vectors(
        &mut self,
        tenant_id: TenantId,
        model: &str,
        keys: &[ContentHash],
    ) -> Result<Vec<(ContentHash, Vec<f32>)>, StoreError> {
        let keys: Vec<&[u8]> = keys.iter().map(|key| &key.as_bytes()[..]).collect();
        let rows: Vec<(Vec<u8>, Vector)> = sqlx::query_as(sql!("search/known_vectors"))
            .bind(tenant_id.0)
            .bind(model)
            .bind(keys)
            .fetch_all(self.connection())
            .await?;
        rows.into_iter().map(|(key, Vector(numbers))| Ok((content_hash(&key)?, numbers))).collect()
    }

    /// Some chunks without a vector of the model.
    pub async fn chunks_without_vector(
        &mut self,
        model: &str,
        max: i64,
    ) -> Result<Vec<UnembeddedChunk>, StoreError> {
        let rows: Vec<(Uuid, Uuid, Json<Vec<String>>, String)> =
            sqlx::query_as(sql!("search/without_vector"))
                .bind(model)
                .bind(max)
                .fetch_all(self.connection())
                .await?;
        let chunk = |(tenant_id, chunk_id, Json(heading), text)| UnembeddedChunk {
            tenant_id: TenantId(tenant_id),
            chunk_id,
            heading,
            text,
        };
        Ok(rows.into_iter().map(chunk).collect())
    }

    /// Stores the vectors of those chunks of a tenant that still exist.
    pub async fn add_vectors(
        &mut self,
        tenant_id: TenantId,
        model: &str,
        embedded: &[(Uuid, Vec<EmbeddedWindow>)],
    ) -> Result<(), StoreError> {
        let chunks: Vec<Uuid> = embedded.iter().map(|(chunk, _)| *chunk).collect();
        let existing: Vec<Uuid> = sqlx::query_scalar(sql!("search/mark_embedded"))
            .bind(model)
            .bind(chunks)
            .fetch_all(self.connection())
            .await?;
        let windows = embedded.iter().filter(|(chunk, _)| existing.contains(chunk));
        let windows = windows.map(|(chunk, windows)| (*chunk, windows.as_slice()));
        self.insert_vectors(tenant_id, model, windows).await
    }

    /// The embedding model that a tenant is searched with.
    pub async fn search_model(
        &mut self,
        tenant_id: TenantId,
    ) -> Result<Option<String>, StoreError> {
        let found = sqlx::query_scalar("SELECT search_model FROM tenants WHERE tenant_id = $1")
            .bind(tenant_id.0)
            .fetch_optional(self.connection())
            .await?;
        Ok(found.flatten())
    }

    /// All embedding models that tenants are searched with.
    pub async fn search_models(&mut self) -> Result<Vec<String>, StoreError> {
        let models = "SELECT DISTINCT search_model FROM tenants WHERE search_model IS NOT NULL";
        Ok(sqlx::query_scalar(models).fetch_all(self.connection()).await?)
    }

    /// Records where a model can be loaded from.
    pub async fn record_model(&mut self, model: &str, origin: &Value) -> Result<(), StoreError> {
        sqlx::query(sql!("search/record_model"))
            .bind(model)
            .bind(origin)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Where a model could be loaded from, the latest first.
    pub async fn origins_of_model(&mut self, model: &str) -> Result<Vec<Value>, StoreError> {
        let origins = "SELECT origin FROM embedding_models WHERE model = $1 ORDER BY noted_at DESC";
        Ok(sqlx::query_scalar(origins).bind(model).fetch_all(self.connection()).await?)
    }

    /// Switches tenants to a model, once all their active chunks have its vectors; returns how many.
    pub async fn switch_search_model(&mut self, model: &str) -> Result<u64, StoreError> {
        let done =
            sqlx::query(sql!("search/switch_model")).bind(model).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
