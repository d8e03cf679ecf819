//! Whoever turns texts into vectors: a model on this machine, or somebody's server.
//!
//! A model is known by its name, which changes with all that decides its vectors, and has an [`Origin`] where it can
//! be opened again: after a change of the settings it is used on until everything has been moved.

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

/// Those that a model puts around every text.
const SPECIAL_TOKENS: usize = 2;

pub trait Embedding: fmt::Debug + Send + Sync {
    /// What the vectors are kept under: those of different models are never compared.
    fn model(&self) -> &str;

    fn count_tokens(&self, text: &str) -> usize;

    /// A longer text says too much for one vector of it.
    fn part_tokens(&self) -> usize {
        PART_TOKENS
    }

    /// One vector of length 1 for each text, in their order.
    fn embed(&self, texts: Vec<String>) -> Embedded<'_>;

    /// The same on the calling thread, which blocks meanwhile. `None` for a model that others compute: whoever may not
    /// wait for a server asks [`Embedding::embed`] before.
    fn embed_here(&self, _texts: &[&str]) -> Option<Result<Vec<Vec<f32>>, EmbeddingError>> {
        None
    }

    /// Where it can be opened again.
    fn origin(&self) -> Origin;

    /// Another model of the service that this one comes from.
    fn sibling(&self, of: &ServiceModel) -> Reopened {
        Err(of.is_not_configured())
    }
}

/// About how many tokens a tokenizer of the BERT family makes of a text, where there is none to ask.
pub fn estimated_tokens(text: &str) -> usize {
    text.split_whitespace().count() * 4 / 3
}

/// Where a model can be opened, as it is remembered. Nothing secret is part of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    Folder(PathBuf),
    Service(ServiceModel),
}

/// A model of somebody's server.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServiceModel {
    pub host: String,
    pub name: String,
    pub dimension: usize,
}

impl ServiceModel {
    /// Nothing is sent to a server that the settings do not name.
    pub fn is_not_configured(&self) -> String {
        format!("the settings do not name the service at {} any more", self.host)
    }
}

/// A model, or why it cannot be opened.
pub type Reopened = Result<Arc<dyn Embedding>, String>;

pub type Embedded<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbeddingError>> + Send + 'a>>;

#[derive(Debug, Error)]
pub enum EmbeddingError {
    /// The model cannot be used at the moment, whatever the text. Later it may work.
    #[error("{0}")]
    Passing(String),
    /// It broke on this text.
    #[error("{0}")]
    Crashed(String),
    /// Somebody has to do something.
    #[error("{0}")]
    Lasting(String),
}

/// Gives whoever indexes documents the models, and the vectors that texts have got before: nothing is
/// embedded twice.
pub trait EmbeddingStore: Send + Sync {
    /// The models that a tenant's new documents get vectors of: the one that the settings name, if any, and
    /// behind it the one by which the tenant is searched until everything has been moved.
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

/// A model in a folder, computing on this machine.
#[derive(Clone, Debug)]
struct Local {
    embedder: Arc<Embedder>,
    folder: PathBuf,
}

impl Local {
    fn compute(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, EmbeddingError> {
        self.embedder.embed(texts).map_err(|error| EmbeddingError::Lasting(error.to_string()))
    }
}

impl Embedding for Local {
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
            let crashed = |_| EmbeddingError::Crashed("embedding did not come to an end".into());
            tokio::task::spawn_blocking(compute).await.map_err(crashed)?
        })
    }

    fn embed_here(&self, texts: &[&str]) -> Option<Result<Vec<Vec<f32>>, EmbeddingError>> {
        Some(self.compute(texts))
    }

    fn origin(&self) -> Origin {
        Origin::Folder(self.folder.clone())
    }
}

/// Where vectors come from, if from anywhere. A model on this machine is opened when it is first needed.
#[derive(Clone, Debug)]
pub struct EmbeddingSource {
    source: Arc<Source>,
    /// Those that a model on this machine computes with.
    threads: usize,
}

#[derive(Debug)]
enum Source {
    Nowhere,
    Folder { folder: PathBuf, opened: OnceCell<Option<Arc<dyn Embedding>>> },
    Elsewhere(Arc<dyn Embedding>),
}

impl EmbeddingSource {
    pub fn nowhere() -> Self {
        Self { source: Arc::new(Source::Nowhere), threads: 1 }
    }

    pub fn folder(folder: PathBuf, threads: usize) -> Self {
        let source = Arc::new(Source::Folder { folder, opened: OnceCell::new() });
        Self { source, threads }
    }

    /// `threads` are for a model on this machine that was used before.
    pub fn elsewhere(embedding: Arc<dyn Embedding>, threads: usize) -> Self {
        Self { source: Arc::new(Source::Elsewhere(embedding)), threads }
    }

    /// `None` when there is no model, or none that can be opened: the log says why.
    pub async fn get(&self) -> Option<Arc<dyn Embedding>> {
        match self.source.as_ref() {
            Source::Nowhere => None,
            Source::Elsewhere(embedding) => Some(Arc::clone(embedding)),
            Source::Folder { folder, opened } => {
                let open = || async {
                    let opened = open(folder, self.threads).await;
                    let shown = folder.display();
                    let said = |error| {
                        tracing::warn!(folder = %shown, error, "documents are found by their words alone");
                    };
                    opened.map_err(said).ok()
                };
                opened.get_or_init(open).await.clone()
            }
        }
    }

    /// Opens a model that was used before, if it is still there.
    pub async fn open_again(&self, model: &str, origin: &Origin) -> Reopened {
        let found = match (origin, self.source.as_ref()) {
            (Origin::Folder(folder), _) => open(folder, self.threads).await?,
            (Origin::Service(of), Source::Elsewhere(current)) => current.sibling(of)?,
            (Origin::Service(of), Source::Nowhere | Source::Folder { .. }) => {
                return Err(of.is_not_configured());
            }
        };
        if found.model() == model {
            Ok(found)
        } else {
            Err(format!("in its place there is {} now", found.model()))
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
        opening.await.map_err(|_| "opening it did not come to an end".to_owned())?;
    let embedder = Arc::new(opened.map_err(|error| error.to_string())?);
    Ok(Arc::new(Local { embedder, folder }))
}

/// What is embedded of a chunk, a vector for each, with what the same text is known by.
pub fn parts_of(chunk: &Chunk, embedding: &dyn Embedding) -> Vec<(ContentHash, String)> {
    let count = |text: &str| embedding.count_tokens(text);
    let parts = chunk.embedding_texts(embedding.part_tokens(), &count);
    let known_by = |text: &str| ContentHash(Sha256::digest(text.as_bytes()).into());
    parts.into_iter().map(|text| (known_by(&text), text)).collect()
}
