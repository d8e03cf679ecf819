//! Vectors of chunks, and the models that made them.

use domain::{ContentHash, EmbeddedPart, TenantId};
use serde_json::Value;
use sqlx::types::Json;
use uuid::Uuid;

use crate::documents::content_hash;
use crate::vector::Vector;
use crate::{AcrossTenants, StoreError, sql};

/// A chunk that waits for a vector.
#[derive(Clone, Debug)]
pub struct WaitingChunk {
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
        parts: impl Iterator<Item = (Uuid, &'a [EmbeddedPart])>,
    ) -> Result<(), StoreError> {
        let (mut chunks, mut numbers) = (Vec::new(), Vec::<i32>::new());
        let (mut keys, mut vectors) = (Vec::new(), Vec::new());
        for (chunk_id, parts) in parts {
            for (number, part) in (0..).zip(parts) {
                chunks.push(chunk_id);
                numbers.push(number);
                keys.push(&part.content_key.as_bytes()[..]);
                vectors.push(Vector(part.vector.clone()));
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

    /// Vectors that a tenant's texts have got before.
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

    /// Some chunks that a model has given no vector yet.
    pub async fn chunks_without_vector(
        &mut self,
        model: &str,
        most: i64,
    ) -> Result<Vec<WaitingChunk>, StoreError> {
        let rows: Vec<(Uuid, Uuid, Json<Vec<String>>, String)> =
            sqlx::query_as(sql!("search/without_vector"))
                .bind(model)
                .bind(most)
                .fetch_all(self.connection())
                .await?;
        let chunk = |(tenant_id, chunk_id, Json(heading), text)| WaitingChunk {
            tenant_id: TenantId(tenant_id),
            chunk_id,
            heading,
            text,
        };
        Ok(rows.into_iter().map(chunk).collect())
    }

    /// Gives chunks of one tenant, as far as they are still there, their vectors.
    pub async fn add_vectors(
        &mut self,
        tenant_id: TenantId,
        model: &str,
        embedded: &[(Uuid, Vec<EmbeddedPart>)],
    ) -> Result<(), StoreError> {
        let chunks: Vec<Uuid> = embedded.iter().map(|(chunk, _)| *chunk).collect();
        let left: Vec<Uuid> = sqlx::query_scalar(sql!("search/mark_embedded"))
            .bind(model)
            .bind(chunks)
            .fetch_all(self.connection())
            .await?;
        let parts = embedded.iter().filter(|(chunk, _)| left.contains(chunk));
        let parts = parts.map(|(chunk, parts)| (*chunk, parts.as_slice()));
        self.insert_vectors(tenant_id, model, parts).await
    }

    /// The model by whose vectors a tenant is searched.
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

    /// Every model by whose vectors some tenant is searched.
    pub async fn search_models(&mut self) -> Result<Vec<String>, StoreError> {
        let models = "SELECT DISTINCT search_model FROM tenants WHERE search_model IS NOT NULL";
        Ok(sqlx::query_scalar(models).fetch_all(self.connection()).await?)
    }

    /// Remembers where a model can be opened.
    pub async fn note_model(&mut self, model: &str, origin: &Value) -> Result<(), StoreError> {
        sqlx::query(sql!("search/note_model"))
            .bind(model)
            .bind(origin)
            .execute(self.connection())
            .await?;
        Ok(())
    }

    /// Where a model could be opened, the latest place first.
    pub async fn origins_of_model(&mut self, model: &str) -> Result<Vec<Value>, StoreError> {
        let origins = "SELECT origin FROM embedding_models WHERE model = $1 ORDER BY noted_at DESC";
        Ok(sqlx::query_scalar(origins).bind(model).fetch_all(self.connection()).await?)
    }

    /// Searches tenants by a model from now on, where it has been through everything that is served.
    pub async fn serve_model(&mut self, model: &str) -> Result<u64, StoreError> {
        let done =
            sqlx::query(sql!("search/serve_model")).bind(model).execute(self.connection()).await?;
        Ok(done.rows_affected())
    }
}
