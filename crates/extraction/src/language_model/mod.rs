//! Extraction with a language model, which is optional.
//!
//! 1. [`windows`](mod@windows) turns the pages into texts that fit into the context of the model.
//! 2. [`Task`] is what the model is asked: an instruction with the fields of the document type, and a JSON Schema of the
//!    answer. [`Task::request`] adds the text of a window.
//! 3. An [`ExtractionModel`] answers; this crate does not know how.
//! 4. [`ground`](mod@ground) reads the answers, finds each value on the pages, and adds those that it found to the candidates of
//!    the rules. A value that is not on the pages of its window is dropped.
//!
//! The text of a document is data. A document that contains instructions can at most make the model return a wrong value of
//! the page: the value of a candidate always comes from the page, and its score stays below that of a candidate with a good
//! label. [`reconcile`](mod@crate::reconcile) decides.

mod claims;
pub mod ground;
mod merge;
mod places;
mod reply;
mod task;
#[cfg(test)]
mod tests;
pub mod windows;

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::pin::Pin;

use domain::TenantId;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use thiserror::Error;

pub use ground::{Grounded, WindowReply, ground};
pub use reply::{InvalidReply, MAX_REPLY};
pub use task::Task;
pub use windows::{Window, Windows, estimated_tokens, windows};

/// What a model is asked once.
#[derive(Clone, Debug, PartialEq)]
pub struct ModelRequest {
    /// The instruction.
    pub system: String,
    /// The text of the document, delimited.
    pub user: String,
    /// The JSON Schema of the answer.
    pub schema: Value,
    /// The longest answer.
    pub max_tokens: u32,
}

/// A language model that answers requests of this module.
pub trait ExtractionModel: Debug + Send + Sync {
    /// Which model this is, for the log.
    fn name(&self) -> &str;

    /// The text of the answer, which should be JSON that follows the schema.
    fn answer<'a>(&'a self, request: &'a ModelRequest) -> AnswerFuture<'a>;
}

pub type AnswerFuture<'a> = Pin<Box<dyn Future<Output = Result<String, ModelFailure>> + Send + 'a>>;

/// Why a model gave no answer. The texts are for the log: they contain nothing of the document.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
pub enum ModelFailure {
    /// No request would be answered now.
    #[error("{0}")]
    Unavailable(String),
    #[error("{0}")]
    TimedOut(String),
    /// This request was not answered in a way that can be used.
    #[error("{0}")]
    Unusable(String),
}

/// The most that a document may cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelLimits {
    /// The tokens of one request: instruction, text and answer.
    pub context_tokens: u32,
    /// The requests for one document.
    pub requests: u32,
}

/// The tenants whose documents a model may read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AllowedTenants {
    All,
    Some(BTreeSet<TenantId>),
}

impl AllowedTenants {
    pub fn includes(&self, tenant: TenantId) -> bool {
        match self {
            Self::All => true,
            Self::Some(tenants) => tenants.contains(&tenant),
        }
    }
}
