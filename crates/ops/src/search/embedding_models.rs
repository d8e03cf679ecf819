//! The embedding models of a process: the *current* one, which the settings name, and *earlier* ones, whose vectors some
//! tenants are still searched by.
//!
//! Changing the model takes time: until every chunk of a tenant has vectors of the current model
//! (`embedding_maintenance.rs`), the tenant's queries are embedded by the earlier model, and its new documents by both.
//! Therefore the database records where each model was opened from. An earlier model is opened when it is first needed,
//! and closed when no tenant needs it. If it cannot be opened, the tenant is searched by keywords until its chunks have
//! vectors of the current model.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use domain::TenantId;
use retrieval::embedding::{Embedding, EmbeddingSource, Origin, Reopened};
use store::{Store, StoreError};
use tokio::sync::OnceCell;

#[derive(Clone, Debug)]
pub(crate) struct EmbeddingModels(Arc<Models>);

#[derive(Debug)]
struct Models {
    store: Store,
    source: EmbeddingSource,
    /// Set once the origin of the current model is recorded.
    recorded: OnceCell<()>,
    /// By name. A failure to open a model is cached too.
    earlier: Mutex<HashMap<String, Arc<OnceCell<Reopened>>>>,
}

impl EmbeddingModels {
    pub(crate) fn new(store: Store, source: EmbeddingSource) -> Self {
        let (recorded, earlier) = (OnceCell::new(), Mutex::default());
        Self(Arc::new(Models { store, source, recorded, earlier }))
    }

    /// The model that the settings name; `None` without one.
    pub(crate) async fn current(&self) -> Option<Arc<dyn Embedding>> {
        let current = self.0.source.get().await?;
        let recorded =
            self.0.recorded.get_or_try_init(|| self.record_origin(current.as_ref())).await;
        if let Err(error) = recorded {
            tracing::warn!(%error, "cannot record the origin of the embedding model");
        }
        Some(current)
    }

    async fn record_origin(&self, model: &dyn Embedding) -> Result<(), StoreError> {
        let Ok(origin) = serde_json::to_value(model.origin()) else { return Ok(()) };
        let mut across = self.0.store.across_tenants().await?;
        across.record_model(model.model(), &origin).await?;
        across.commit().await
    }

    /// The model with this name, or why it cannot be opened.
    pub(crate) async fn named(&self, model: &str, current: &Arc<dyn Embedding>) -> Reopened {
        if current.model() == model {
            self.close_unused().await;
            return Ok(Arc::clone(current));
        }
        let earlier = Arc::clone(self.earlier().entry(model.to_owned()).or_default());
        let opened = earlier.get_or_try_init(|| self.open(model)).await;
        opened.map_err(|error| format!("its origin could not be read: {error}"))?.clone()
    }

    /// The models that embed a tenant's new documents, the current one first.
    pub(crate) async fn of_tenant(
        &self,
        tenant_id: TenantId,
    ) -> Result<Vec<Arc<dyn Embedding>>, StoreError> {
        let Some(current) = self.current().await else { return Ok(Vec::new()) };
        let mut across = self.0.store.across_tenants().await?;
        let served = across.search_model(tenant_id).await?;
        across.commit().await?;
        let mut models = vec![Arc::clone(&current)];
        if let Some(served) = served
            && let Ok(served) = self.named(&served, &current).await
            && served.model() != current.model()
        {
            models.push(served);
        }
        Ok(models)
    }

    async fn open(&self, model: &str) -> Result<Reopened, StoreError> {
        let mut reasons = Vec::new();
        for origin in self.origins(model).await? {
            let Ok(origin) = serde_json::from_value::<Origin>(origin) else { continue };
            match self.0.source.open_again(model, &origin).await {
                Ok(opened) => {
                    tracing::info!(model, "opened an earlier embedding model");
                    return Ok(Ok(opened));
                }
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() {
            reasons.push("its origin is not recorded".to_owned());
        }
        let reason = reasons.join("; ");
        tracing::warn!(model, reason, "cannot open an earlier embedding model");
        Ok(Err(reason))
    }

    async fn origins(&self, model: &str) -> Result<Vec<serde_json::Value>, StoreError> {
        let mut across = self.0.store.across_tenants().await?;
        let origins = across.origins_of_model(model).await?;
        across.commit().await?;
        Ok(origins)
    }

    /// Closes earlier models that no tenant is searched by.
    pub(crate) async fn close_unused(&self) {
        if self.earlier().is_empty() {
            return;
        }
        match self.served().await {
            Ok(served) => self.earlier().retain(|model, _| served.contains(model)),
            Err(error) => tracing::warn!(%error, "cannot close unused embedding models"),
        }
    }

    async fn served(&self) -> Result<Vec<String>, StoreError> {
        let mut across = self.0.store.across_tenants().await?;
        let served = across.search_models().await?;
        across.commit().await?;
        Ok(served)
    }

    fn earlier(&self) -> std::sync::MutexGuard<'_, HashMap<String, Arc<OnceCell<Reopened>>>> {
        self.0.earlier.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
