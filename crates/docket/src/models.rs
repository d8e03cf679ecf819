//! The models for search, answers and extraction, as configured.

use std::sync::Arc;
use std::time::Duration;

use ::stages::LanguageModelUse;
use anyhow::Context;
use connect::embeddings::Embeddings;
use connect::extraction::FieldModel;
use connect::llm::{Anthropic, LanguageModel, OpenAiCompatible, SchemaFallback};
use connect::rerank::RemoteReranker;
use connect::{Limits, Retries, Service};
use ops::{Reranker, SearchSettings};
use retrieval::embed::{CrossEncoder, default_folder};
use retrieval::embedding::EmbeddingSource;

use crate::config::{EmbeddingChoice, ModelService, Protocol, RerankChoice, SearchConfig};
use crate::system;

/// How long a search waits until its index is loaded. An index of a hundred thousand passages takes a few seconds.
const INDEX_LOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Opens only the reranker now, because every search would wait for it.
pub(crate) fn search_settings(config: &SearchConfig) -> anyhow::Result<SearchSettings> {
    Ok(SearchSettings {
        embedding: embedding(config)?,
        reranker: reranker(config)?,
        language_model: config
            .language_model
            .as_ref()
            .map(|service| language_model(service, Limits::COMPLETION))
            .transpose()?,
        memory: config.memory,
        index_timeout: INDEX_LOAD_TIMEOUT,
    })
}

pub(crate) fn embedding(config: &SearchConfig) -> anyhow::Result<EmbeddingSource> {
    let folder = |folder| EmbeddingSource::folder(folder, config.embedding_threads);
    Ok(match &config.embedding {
        EmbeddingChoice::Off => EmbeddingSource::none(),
        EmbeddingChoice::Folder(named) => folder(named.clone()),
        EmbeddingChoice::Installed => default_folder().map_or_else(EmbeddingSource::none, folder),
        EmbeddingChoice::Service { service, dimension } => {
            let service = to_service(service, Limits::EMBEDDING);
            let remote = Embeddings::new(service, *dimension, retries())
                .context("the settings of the embedding service cannot be used")?;
            EmbeddingSource::remote(Arc::new(remote), config.embedding_threads)
        }
    })
}

fn reranker(config: &SearchConfig) -> anyhow::Result<Option<Reranker>> {
    Ok(match &config.rerank {
        RerankChoice::None => None,
        RerankChoice::Folder(folder) => {
            let model = CrossEncoder::open(folder, config.embedding_threads)
                .context("the reranking model cannot be opened; see the setting rerank_model")?;
            Some(Reranker::Local(Arc::new(model)))
        }
        RerankChoice::Service(service) => {
            let service = to_service(service, Limits::RERANKING);
            let remote = RemoteReranker::new(service, retries().with_max_attempts(1))
                .context("the settings of the reranking service cannot be used")?;
            Some(Reranker::Remote(Arc::new(remote)))
        }
    })
}

/// The language model that extracts fields; `None` when the operator allows it for no tenant.
pub(crate) fn field_model(config: &SearchConfig) -> anyhow::Result<Option<LanguageModelUse>> {
    let (Some(service), Some(extraction)) = (&config.language_model, &config.extraction) else {
        return Ok(None);
    };
    let model = language_model(service, Limits::EXTRACTION)?;
    Ok(Some(LanguageModelUse {
        model: Arc::new(FieldModel::new(model)),
        limits: extraction.limits,
        tenants: extraction.tenants.clone(),
    }))
}

fn language_model(
    service: &ModelService,
    limits: Limits,
) -> anyhow::Result<Arc<dyn LanguageModel>> {
    let unusable = "the settings of the language model cannot be used";
    let wanted = to_service(service, limits);
    let model: Arc<dyn LanguageModel> = match service.protocol {
        Protocol::Anthropic => Arc::new(Anthropic::new(wanted, retries()).context(unusable)?),
        Protocol::OpenAi | Protocol::Cohere => {
            Arc::new(OpenAiCompatible::new(wanted, retries()).context(unusable)?)
        }
    };
    Ok(Arc::new(SchemaFallback::new(model)))
}

fn to_service(service: &ModelService, limits: Limits) -> Service {
    let made = Service::new(service.url.clone(), service.model.clone(), limits);
    match &service.key {
        Some(key) => made.with_key(key.clone()),
        None => made,
    }
}

fn retries() -> Retries {
    Retries::new(system::environment().random)
}
