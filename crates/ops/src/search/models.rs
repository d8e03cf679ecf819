//! The embedding models of a process: the *current* one, which the settings name, and *earlier* ones, by which
//! some tenant is still searched.
//!
//! A change of the model is a move that takes its time: until the current model has given every chunk of a tenant its
//! vectors (`vectors.rs`), queries of that tenant are embedded by the earlier one, and its new documents by both. So
//! where a model was opened is remembered. An earlier one is opened when it is first needed, and let go of when no
//! tenant needs it. When it cannot be opened any more, the tenant is searched by words until it has been moved.

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
    /// Whether it is known where the current one came from.
    noted: OnceCell<()>,
    /// By name. One that cannot be opened stays that way: nobody waits for it again.
    earlier: Mutex<HashMap<String, Arc<OnceCell<Reopened>>>>,
}

impl EmbeddingModels {
    pub(crate) fn new(store: Store, source: EmbeddingSource) -> Self {
        let (noted, earlier) = (OnceCell::new(), Mutex::default());
        Self(Arc::new(Models { store, source, noted, earlier }))
    }

    /// The one that everything is moved to; `None` when there is no model here.
    pub(crate) async fn current(&self) -> Option<Arc<dyn Embedding>> {
        let current = self.0.source.get().await?;
        let noted = self.0.noted.get_or_try_init(|| self.note(current.as_ref())).await;
        if let Err(error) = noted {
            tracing::warn!(%error, "where the embedding model came from was not noted");
        }
        Some(current)
    }

    async fn note(&self, model: &dyn Embedding) -> Result<(), StoreError> {
        let Ok(origin) = serde_json::to_value(model.origin()) else { return Ok(()) };
        let mut across = self.0.store.across_tenants().await?;
        across.record_model(model.model(), &origin).await?;
        across.commit().await
    }

    /// The one by which a tenant is searched, or why it cannot be had.
    pub(crate) async fn named(&self, model: &str, current: &Arc<dyn Embedding>) -> Reopened {
        if current.model() == model {
            self.let_go_of_some().await;
            return Ok(Arc::clone(current));
        }
        let earlier = Arc::clone(self.earlier().entry(model.to_owned()).or_default());
        let opened = earlier.get_or_try_init(|| self.open(model)).await;
        opened.map_err(|error| format!("where it was could not be read: {error}"))?.clone()
    }

    /// Those that a tenant's new documents get vectors of, the current one first.
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
                    tracing::info!(model, "opened beside the current embedding model");
                    return Ok(Ok(opened));
                }
                Err(reason) => reasons.push(reason),
            }
        }
        if reasons.is_empty() {
            reasons.push("it is not known where it was".to_owned());
        }
        let reason = reasons.join("; ");
        tracing::warn!(model, reason, "an earlier embedding model cannot be opened");
        Ok(Err(reason))
    }

    async fn origins(&self, model: &str) -> Result<Vec<serde_json::Value>, StoreError> {
        let mut across = self.0.store.across_tenants().await?;
        let origins = across.origins_of_model(model).await?;
        across.commit().await?;
        Ok(origins)
    }

    /// Closes earlier models by which no tenant is searched any more.
    pub(crate) async fn let_go_of_some(&self) {
        if self.earlier().is_empty() {
            return;
        }
        match self.served().await {
            Ok(served) => self.earlier().retain(|model, _| served.contains(model)),
            Err(error) => tracing::warn!(%error, "an earlier embedding model is held on to"),
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
