//! Texts become vectors, by any model of the BERT family that lies in a folder.
//!
//! ```text
//! text ─ tokens ─► windows ─ bert ─► a row for each token ─ pooling ─► a vector of length 1
//! ```
//!
//! A *model folder* is what publishers give: `config.json`, `tokenizer.json` (or `vocab.txt`) and
//! `model.safetensors`, with `1_Pooling/config.json` and `sentence_bert_config.json` beside them
//! when the model was made for sentences. ONNX is not read.
//!
//! Vectors of two models cannot be compared: [`Embedder::model`] names the one that made them.

mod bert;
mod cross_encoder;
mod embedder;
mod error;
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
