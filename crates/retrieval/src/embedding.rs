//! Embedding models: a model on this machine, or a server.
//!
//! The name of a model changes with everything that determines its vectors. Its [`Origin`] says where it can be opened again:
//! after a change of the settings the previous model stays in use until all documents have been re-embedded.

use std::collections::HashMap;
use std::fmt;
use std::path::{Path, PathBuf};
use std::pin::Pin;
use std::sync::Arc;

use domain::{ContentHash, Failure, TenantId};
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use thiserror::Error;
use tokio::sync::OnceCell;

use crate::chunk::{Chunk, PART_TOKENS};
use crate::embed::{Embedder, ModelError};

/// The special tokens around every text.
const SPECIAL_TOKENS: usize = 2;

pub trait Embedding: fmt::Debug + Send + Sync {
    /// Identifies the vectors: those of different models are never compared.
    fn model(&self) -> &str;

    fn count_tokens(&self, text: &str) -> usize;

    /// A longer text gets several vectors.
    fn part_tokens(&self) -> usize {
        PART_TOKENS
    }

    /// One vector of length 1 for each text, in the same order.
    fn embed(&self, texts: Vec<String>) -> Embedded<'_>;

    /// The same, blocking the calling thread. `None` for a model on a server: callers that must not wait for a server use
    /// [`Embedding::embed`] beforehand.
    fn embed_blocking(&self, _texts: &[&str]) -> Option<Result<Vec<Vec<f32>>, EmbeddingError>> {
        None
    }

    /// Where the model can be opened again.
    fn origin(&self) -> Origin;

    /// Another model of the same service.
    fn sibling(&self, of: &ServiceModel) -> Reopened {
        Err(of.is_not_configured())
    }
}

/// Estimates the number of tokens of a text for BERT-like tokenizers.
pub fn estimated_tokens(text: &str) -> usize {
    text.split_whitespace().count() * 4 / 3
}

/// Where a model can be opened. It is stored, and contains no secrets.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Folder(PathBuf),
    Service(ServiceModel),
}

/// A model on a server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceModel {
    pub host: String,
    pub name: String,
    pub dimension: usize,
}

impl ServiceModel {
    /// The error for a server that the settings no longer name: nothing is sent to it.
    pub fn is_not_configured(&self) -> String {
        format!("the settings no longer name the service at {}", self.host)
    }
}

/// A model, or why opening it failed.
pub type Reopened = Result<Arc<dyn Embedding>, String>;

pub type Embedded<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbeddingError>> + Send + 'a>>;

#[derive(Debug, Error)]
pub enum EmbeddingError {
    /// The model is unavailable at the moment, whatever the text.
    #[error("{0}")]
    Transient(String),
    /// It crashed on this text.
    #[error("{0}")]
    Crashed(String),
    /// It needs an administrator.
    #[error("{0}")]
    Permanent(String),
}

/// Gives the `index` stage the models, and the stored vectors of texts, so that no text is embedded twice.
pub trait EmbeddingStore: Send + Sync {
    /// The models for the vectors of a tenant's new documents: the configured one, if any, then the one that search uses
    /// until all documents have been re-embedded.
    fn models(&self, tenant_id: TenantId) -> EmbeddingStoreFuture<'_, Vec<Arc<dyn Embedding>>>;

    fn known<'a>(
        &'a self,
        tenant_id: TenantId,
        model: &'a str,
        keys: &'a [ContentHash],
    ) -> EmbeddingStoreFuture<'a, HashMap<ContentHash, Vec<f32>>>;
}

pub type EmbeddingStoreFuture<'a, T> =
    Pin<Box<dyn Future<Output = Result<T, Failure>> + Send + 'a>>;

/// A model in a folder, which runs on this machine.
#[derive(Clone, Debug)]
struct LocalModel {
    embedder: Arc<Embedder>,
    folder: PathBuf,
}

impl LocalModel {
    fn compute(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.embedder.embed(texts).map_err(|error| EmbeddingError::Permanent(error.to_string()))
    }
}

impl Embedding for LocalModel {
    fn model(&self) -> &str {
        self.embedder.model()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.embedder.count_tokens(text)
    }

    fn part_tokens(&self) -> usize {
        PART_TOKENS.min(self.embedder.token_limit().saturating_sub(SPECIAL_TOKENS))
    }

    fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
        let this = self.clone();
        Box::pin(async move {
            let compute = move || {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                this.compute(&texts)
            };
            let crashed = |_| EmbeddingError::Crashed("embedding was interrupted".into());
            tokio::task::spawn_blocking(compute).await.map_err(crashed)?
        })
    }

    fn embed_blocking(&self, texts: &[&str]) -> Option<Result<Vec<Vec<f32>>, EmbeddingError>> {
        Some(self.compute(texts))
    }

    fn origin(&self) -> Origin {
        Origin::Folder(self.folder.clone())
    }
}

/// The configured embedding model, if any. A model on this machine is opened when it is first needed.
#[derive(Clone, Debug)]
pub struct EmbeddingSource {
    source: Arc<Source>,
    /// The threads of a model on this machine.
    threads: usize,
}

#[derive(Debug)]
enum Source {
    Unconfigured,
    Folder { folder: PathBuf, opened: OnceCell<Option<Arc<dyn Embedding>>> },
    Remote(Arc<dyn Embedding>),
}

impl EmbeddingSource {
    pub fn none() -> Self {
        Self { source: Arc::new(Source::Unconfigured), threads: 1 }
    }

    pub fn folder(folder: PathBuf, threads: usize) -> Self {
        let source = Arc::new(Source::Folder { folder, opened: OnceCell::new() });
        Self { source, threads }
    }

    /// `threads` are for a previous model on this machine.
    pub fn remote(embedding: Arc<dyn Embedding>, threads: usize) -> Self {
        Self { source: Arc::new(Source::Remote(embedding)), threads }
    }

    /// `None` when no model is configured or opening it failed, which is logged.
    pub async fn get(&self) -> Option<Arc<dyn Embedding>> {
        match self.source.as_ref() {
            Source::Unconfigured => None,
            Source::Remote(embedding) => Some(Arc::clone(embedding)),
            Source::Folder { folder, opened } => {
                let open = || async {
                    let opened = open(folder, self.threads).await;
                    let shown = folder.display();
                    let log = |error| {
                        tracing::warn!(folder = %shown, error, "search uses keywords only");
                    };
                    opened.map_err(log).ok()
                };
                opened.get_or_init(open).await.clone()
            }
        }
    }

    /// Opens a previous model, if it still exists.
    pub async fn open_again(&self, model: &str, origin: &Origin) -> Reopened {
        let opened = match (origin, self.source.as_ref()) {
            (Origin::Folder(folder), _) => open(folder, self.threads).await?,
            (Origin::Service(of), Source::Remote(current)) => current.sibling(of)?,
            (Origin::Service(of), Source::Unconfigured | Source::Folder { .. }) => {
                return Err(of.is_not_configured());
            }
        };
        if opened.model() == model {
            Ok(opened)
        } else {
            Err(format!("the model there is now {}", opened.model()))
        }
    }
}

async fn open(folder: &Path, threads: usize) -> Reopened {
    let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    let opening = {
        let folder = folder.clone();
        tokio::task::spawn_blocking(move || Embedder::open(&folder, threads))
    };
    let opened: Result<Embedder, ModelError> =
        opening.await.map_err(|_| "opening the model was interrupted".to_owned())?;
    let embedder = Arc::new(opened.map_err(|error| error.to_string())?);
    Ok(Arc::new(LocalModel { embedder, folder }))
}

/// The texts to embed for a chunk, each with its content key.
pub fn parts_of(chunk: &Chunk, embedding: &dyn Embedding) -> Vec<(ContentHash, String)> {
    let count = |text: &str| embedding.count_tokens(text);
    let parts = chunk.embedding_texts(embedding.part_tokens(), &count);
    let key_of = |text: &str| ContentHash(Sha256::digest(text.as_bytes()).into());
    parts.into_iter().map(|text| (key_of(&text), text)).collect()
}
