//! Language models: a question goes in, text comes out as it is written.
//!
//! [`Anthropic`] speaks the Messages API; [`OpenAiCompatible`] speaks chat completions, as do OpenAI, vLLM,
//! Ollama and llama.cpp. Both stream. Prompts are not made here.
//!
//! A [`Completion`] with a schema asks for JSON, and the text that comes back parses as such. That it keeps to
//! the schema is up to the server: whoever uses the text reads it with `serde` and sees.

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

/// What is asked of a model.
#[derive(Clone, Debug)]
pub struct Completion {
    /// What the model is to do and to keep to.
    pub system: String,
    pub user: String,
    /// The JSON schema of an object that the text has to be. A [`Value`] keeps properties by name, and models
    /// write them in the order in which they are sent.
    pub schema: Option<Value>,
    pub max_tokens: u32,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completed {
    pub text: String,
    /// The text ends because `max_tokens` was reached. Never so when there was a schema: half an object is
    /// [`ModelError::CutShort`].
    pub cut_short: bool,
    /// As the server counts them, if it does.
    pub input_tokens: Option<u64>,
    pub output_tokens: Option<u64>,
}

pub type CompletionFuture<'a> =
    Pin<Box<dyn Future<Output = Result<Completed, ModelError>> + Send + 'a>>;

/// A model that completes text.
pub trait LanguageModel: Debug + Send + Sync {
    /// Which model this is: host and name.
    fn name(&self) -> &str;

    /// Hands the pieces of the text to `deltas` as they come, and at the end the whole text back.
    ///
    /// Dropping the future breaks the call off. A call that fails is tried again only as long as no piece has been handed over: together, the pieces
    /// are always the beginning of one text.
    fn complete<'a>(
        &'a self,
        request: &'a Completion,
        deltas: &'a mut (dyn FnMut(&str) + Send),
    ) -> CompletionFuture<'a>;
}
