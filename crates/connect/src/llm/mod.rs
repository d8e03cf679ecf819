//! Language models: a prompt is sent, and the text is streamed back.
//!
//! [`Anthropic`] uses the Messages API; [`OpenAiCompatible`] uses chat completions, which OpenAI, vLLM, Ollama and
//! llama.cpp serve. Callers write the prompts.
//!
//! A [`Completion`] with a schema requests JSON, and the returned text is valid JSON. Whether it follows the schema
//! depends on the server: the caller must check when it deserialises the text.

mod anthropic;
mod openai;
mod schema_fallback;
mod streaming;

use std::fmt::Debug;
use std::pin::Pin;

use serde_json::Value;

pub use anthropic::Anthropic;
pub use openai::OpenAiCompatible;
pub use schema_fallback::SchemaFallback;

use crate::ModelError;

/// A request to a model.
#[derive(Clone, Debug)]
pub struct Completion {
    /// The instructions for the model.
    pub system: String,
    pub user: String,
    /// The JSON schema of the object that the text must be. A [`Value`] sorts properties by name, and models write
    /// them in the order of the schema.
    pub schema: Option<Value>,
    pub max_tokens: u32,
}

/// The answer of a model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    pub text: String,
    /// Whether the text ends because of `max_tokens`. With a schema that is the error
    /// [`ModelError::Truncated`] instead.
    pub truncated: bool,
    /// As counted by the server, if it does.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
}

pub type CompletionFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Completed, ModelError>> + Send + 'a>>;

/// A model that completes text.
pub trait LanguageModel: Debug + Send + Sync {
    /// Which model this is: host and name.
    fn name(&self) -> &str;

    /// Passes the pieces of the text to `deltas` as they arrive, and returns the whole text at the end.
    ///
    /// Dropping the future cancels the call. A failed call is retried only before the first piece, so that the pieces
    /// are always the beginning of one text.
    fn complete<'a>(
        &'a self,
        request: &'a Completion,
        deltas: &'a mut (dyn FnMut(&str) + Send),
    ) -> CompletionFuture<'a>;
}
