//! The models that help to find and to answer, as the settings name them.

use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use connect::embeddings::Embeddings;
use connect::llm::{Anthropic, LanguageModel, OpenAiCompatible, SchemaFallback};
use connect::rerank::RemoteReranker;
use connect::{Limits, Retries, Service};
use ops::{Reranker, SearchSettings};
use retrieval::embed::{CrossEncoder, default_folder};
use retrieval::embedding::EmbeddingSource;

use crate::config::{EmbeddingChoice, ModelService, Protocol, RerankChoice, SearchConfig};
use crate::system;

/// How long a search waits for its index to be loaded: of a hundred thousand passages, a few seconds.
const FOR_AN_INDEX: Duration = Duration::from_secs(10);

/// Opens no model yet but a reranker, which every search would wait for.
pub(crate) fn search_settings(config: &SearchConfig) -> anyhow::Result<SearchSettings> {
    Ok(SearchSettings {
        embedding: embedding(config)?,
        reranker: reranker(config)?,
        language_model: config.language_model.as_ref().map(language_model).transpose()?,
        memory: config.memory,
        index_timeout: FOR_AN_INDEX,
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

fn language_model(service: &ModelService) -> anyhow::Result<Arc<dyn LanguageModel>> {
    let unusable = "the settings of the language model cannot be used";
    let wanted = to_service(service, Limits::COMPLETION);
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
