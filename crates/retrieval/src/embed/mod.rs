//! Computes embeddings with a BERT-like model from a folder.
//!
//! ```text
//! text ─ tokens ─► windows ─ bert ─► a row for each token ─ pooling ─► a vector of length 1
//! ```
//!
//! A *model folder* has the files of the publisher: `config.json`, `tokenizer.json` (or `vocab.txt`) and
//! `model.safetensors`; sentence models also have `1_Pooling/config.json` and `sentence_bert_config.json`. ONNX is not
//! supported.
//!
//! Vectors of different models cannot be compared: [`Embedder::model`] identifies the model.

mod bert;
mod cross_encoder;
mod embedder;
mod error;
#[cfg(test)]
mod families;
mod folder;
mod model;
mod names;
mod shape;
#[cfg(test)]
mod tests;
#[cfg(any(test, feature = "testing"))]
pub mod tiny;
mod tokens;
mod weights;
mod workers;

pub use cross_encoder::CrossEncoder;
pub use embedder::Embedder;
pub use error::ModelError;
pub use folder::default_folder;
