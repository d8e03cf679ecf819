//! Whoever turns texts into vectors: a model on this machine, or somebody's server.

use std::fmt;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;

use domain::ContentHash;
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
}

pub type Embedded<'a> =
    Pin<Box<dyn Future<Output = Result<Vec<Vec<f32>>, EmbeddingError>> + Send + 'a>>;

#[derive(Debug, Error)]
pub enum EmbeddingError {
    /// Later it may work.
    #[error("{0}")]
    Passing(String),
    /// Somebody has to do something.
    #[error("{0}")]
    Lasting(String),
}

/// A model in a folder, computing on this machine.
#[derive(Clone, Debug)]
struct Local(Arc<Embedder>);

impl Embedding for Local {
    fn model(&self) -> &str {
        self.0.model()
    }

    fn count_tokens(&self, text: &str) -> usize {
        self.0.count_tokens(text)
    }

    fn part_tokens(&self) -> usize {
        PART_TOKENS.min(self.0.token_limit().saturating_sub(SPECIAL_TOKENS))
    }

    fn embed(&self, texts: Vec<String>) -> Embedded<'_> {
        let embedder = Arc::clone(&self.0);
        Box::pin(async move {
            let compute = move || {
                let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
                embedder.embed(&texts)
            };
            match tokio::task::spawn_blocking(compute).await {
                Ok(vectors) => vectors.map_err(|error| EmbeddingError::Lasting(error.to_string())),
                Err(_) => Err(EmbeddingError::Passing("embedding did not come to an end".into())),
            }
        })
    }
}

/// Where vectors come from, if from anywhere. A model on this machine is opened when it is first needed.
#[derive(Clone, Debug)]
pub struct EmbeddingSource(Arc<Source>);

#[derive(Debug)]
enum Source {
    Nowhere,
    Folder { folder: PathBuf, threads: usize, opened: OnceCell<Option<Arc<dyn Embedding>>> },
    Elsewhere(Arc<dyn Embedding>),
}

impl EmbeddingSource {
    pub fn nowhere() -> Self {
        Self(Arc::new(Source::Nowhere))
    }

    pub fn folder(folder: PathBuf, threads: usize) -> Self {
        Self(Arc::new(Source::Folder { folder, threads, opened: OnceCell::new() }))
    }

    pub fn elsewhere(embedding: Arc<dyn Embedding>) -> Self {
        Self(Arc::new(Source::Elsewhere(embedding)))
    }

    /// `None` when there is no model, or none that can be opened: the log says why.
    pub async fn get(&self) -> Option<Arc<dyn Embedding>> {
        match self.0.as_ref() {
            Source::Nowhere => None,
            Source::Elsewhere(embedding) => Some(Arc::clone(embedding)),
            Source::Folder { folder, threads, opened } => {
                let open = || async { open(folder.clone(), *threads).await };
                opened.get_or_init(open).await.clone()
            }
        }
    }
}

async fn open(folder: PathBuf, threads: usize) -> Option<Arc<dyn Embedding>> {
    let shown = folder.display().to_string();
    let opening = tokio::task::spawn_blocking(move || Embedder::open(&folder, threads));
    let opened: Result<Embedder, ModelError> = opening.await.ok()?;
    match opened {
        Ok(embedder) => Some(Arc::new(Local(Arc::new(embedder)))),
        Err(error) => {
            tracing::warn!(folder = shown, %error, "documents are found by their words alone");
            None
        }
    }
}

/// What is embedded of a chunk, a vector for each, with what the same text is known by.
pub fn parts_of(chunk: &Chunk, embedding: &dyn Embedding) -> Vec<(ContentHash, String)> {
    let count = |text: &str| embedding.count_tokens(text);
    let parts = chunk.embedding_texts(embedding.part_tokens(), &count);
    let known_by = |text: &str| ContentHash(Sha256::digest(text.as_bytes()).into());
    parts.into_iter().map(|text| (known_by(&text), text)).collect()
}
