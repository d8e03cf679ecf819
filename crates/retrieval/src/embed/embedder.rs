//! Computes one vector for each text.

use std::path::Path;
use std::sync::Arc;

use domain::ContentHash;
use serde::Deserialize;
use sha2::{Digest, Sha256};

use super::ModelError;
use super::bert::{Bert, Encoded};
use super::model::{Model, batches_of};
use super::shape::read_json;
use super::tokens::Sequence;

/// Changes with the computation of vectors, so that old and new vectors are not compared.
const METHOD: &str = "mean of windows, 1";
/// How many texts are tokenised at once, which bounds the memory.
const MAX_TEXTS: usize = 256;

/// A model that gives texts of similar meaning vectors of similar direction.
pub struct Embedder {
    model: Model,
    name: String,
    pooling: Pooling,
}

impl std::fmt::Debug for Embedder {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Embedder").field("name", &self.name).finish_non_exhaustive()
    }
}

/// How the rows of a sequence are combined into one vector.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Pooling {
    /// The row of the first token, which is a special token.
    First,
    Mean,
}

#[derive(Deserialize)]
struct PoolingConfig {
    #[serde(default)]
    pooling_mode_cls_token: bool,
    #[serde(default)]
    pooling_mode_mean_tokens: bool,
}

#[derive(Deserialize)]
struct Module {
    #[serde(rename = "type")]
    kind: String,
}

impl Embedder {
    /// Reads the model in `folder`; all callers share `threads` threads.
    pub fn open(folder: &Path, threads: usize) -> Result<Self, ModelError> {
        let pooling = Pooling::of(folder)?;
        check_modules(folder)?;
        let (model, mut weights) = Model::open(folder, threads)?;
        let mut hash = Sha256::new();
        weights.hash_into(&mut hash)?;
        for file in ["tokenizer.json", "vocab.txt", "config.json"] {
            hash.update(std::fs::read(folder.join(file)).unwrap_or_default());
        }
        hash.update(format!("{METHOD} {pooling:?} {}", model.tokens.limit()));
        let name = format!(
            "{}@{}",
            name_of(folder),
            &ContentHash(hash.finalize().into()).to_string()[..12]
        );
        Ok(Self { model, name, pooling })
    }

    /// Identifies the model of stored vectors: a readable name, and a hash of everything that determines the vectors.
    pub fn model(&self) -> &str {
        &self.name
    }

    /// The length of the vectors.
    pub fn dimension(&self) -> usize {
        self.model.shape.hidden
    }

    /// The context of the model in tokens, including special tokens. A longer text is split into windows.
    pub fn token_limit(&self) -> usize {
        self.model.tokens.limit()
    }

    /// The number of tokens of a text, without special tokens.
    pub fn count_tokens(&self, text: &str) -> usize {
        self.model.tokens.count(text)
    }

    /// A vector of length 1 for each text.
    ///
    /// The vector of a text that is longer than the context of the model is the mean of its windows. It blocks for a while.
    pub fn embed(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut vectors = Vec::with_capacity(texts.len());
        for texts in texts.chunks(MAX_TEXTS) {
            vectors.extend(self.embed_batch(texts)?);
        }
        Ok(vectors)
    }

    fn embed_batch(&self, texts: &[&str]) -> Result<Vec<Vec<f32>>, ModelError> {
        let mut windows = Vec::new();
        let mut owners = Vec::new();
        for (text, content) in texts.iter().enumerate() {
            let of_text = self.model.tokens.windows(content)?;
            owners.extend(of_text.iter().map(|_| text));
            windows.extend(of_text);
        }
        let (bert, pooling) = (Arc::clone(&self.model.bert), self.pooling);
        let (order, batches) = batches_of(windows, self.model.workers.count());
        let pooled = self.model.workers.run(batches, move |batch| pool(&bert, pooling, &batch))?;
        let mut vectors = vec![vec![0.0; self.dimension()]; texts.len()];
        for (window, vector) in order.into_iter().zip(pooled.into_iter().flatten()) {
            add(&mut vectors[owners[window]], &vector);
        }
        for vector in &mut vectors {
            normalise(vector);
        }
        Ok(vectors)
    }
}

impl Pooling {
    fn of(folder: &Path) -> Result<Self, ModelError> {
        let config: Option<PoolingConfig> = read_json(folder, "1_Pooling/config.json")?;
        match config {
            None | Some(PoolingConfig { pooling_mode_mean_tokens: true, .. }) => Ok(Self::Mean),
            Some(PoolingConfig { pooling_mode_cls_token: true, .. }) => Ok(Self::First),
            Some(_) => Err(ModelError::unsupported(
                folder,
                "1_Pooling/config.json asks for neither the mean nor the first token",
                "use a model that pools by one of these",
            )),
        }
    }

    fn of_rows(self, encoded: &Encoded, first: usize, length: usize) -> Vec<f32> {
        let mut vector = encoded.row(first).to_vec();
        if self == Self::Mean {
            (1..length).for_each(|token| add(&mut vector, encoded.row(first + token)));
        }
        normalise(&mut vector);
        vector
    }
}

/// The vectors of a batch.
fn pool(bert: &Bert, pooling: Pooling, batch: &[Sequence]) -> Result<Vec<Vec<f32>>, ModelError> {
    let encoded = bert.encode(batch)?;
    let mut first = 0;
    let vectors = batch.iter().map(|sequence| {
        let vector = pooling.of_rows(&encoded, first, sequence.ids.len());
        first += sequence.ids.len();
        vector
    });
    Ok(vectors.collect())
}

/// Refuses models with further steps after pooling, which would give other vectors.
fn check_modules(folder: &Path) -> Result<(), ModelError> {
    let modules: Vec<Module> = read_json(folder, "modules.json")?.unwrap_or_default();
    let known = ["Transformer", "Pooling", "Normalize"];
    let step = |module: &Module| module.kind.rsplit('.').next().unwrap_or_default().to_owned();
    match modules.iter().map(step).find(|step| !known.contains(&step.as_str())) {
        Some(step) => Err(ModelError::unsupported(
            folder,
            format!("modules.json has a step {step:?}"),
            "use a model that ends with pooling",
        )),
        None => Ok(()),
    }
}

fn name_of(folder: &Path) -> String {
    let path = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
    path.file_name().map_or_else(|| "model".to_owned(), |name| name.to_string_lossy().into_owned())
}

fn add(sum: &mut [f32], vector: &[f32]) {
    sum.iter_mut().zip(vector).for_each(|(sum, number)| *sum += number);
}

/// Scales the vector to length 1; a zero vector stays unchanged.
fn normalise(vector: &mut [f32]) {
    let length = vector.iter().map(|number| number * number).sum::<f32>().sqrt();
    if length > 0.0 {
        for number in vector {
            *number /= length;
        }
    }
}
