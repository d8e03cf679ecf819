//! A language model that extracts fields: an [`ExtractionModel`].
//!
//! When the service fails, the next documents are not sent to it for [`PAUSE`]: each of them would wait for the same time limit.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use extraction::language_model::{
    AnswerFuture, ExtractionModel, MAX_REPLY, ModelFailure, ModelRequest,
};
use tokio::time::Instant;

use crate::ModelError;
use crate::llm::{Completion, LanguageModel};

/// How long a service that failed is not asked.
const PAUSE: Duration = Duration::from_mins(1);

/// Asks a language model for the fields of documents.
#[derive(Debug)]
pub struct FieldModel {
    model: Arc<dyn LanguageModel>,
    paused_until: Mutex<Option<Instant>>,
}

impl FieldModel {
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model, paused_until: Mutex::new(None) }
    }

    fn is_paused(&self) -> bool {
        let until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        until.is_some_and(|until| Instant::now() < until)
    }

    fn pause(&self) {
        let mut until = self.paused_until.lock().unwrap_or_else(PoisonError::into_inner);
        *until = Some(Instant::now() + PAUSE);
    }
}

impl ExtractionModel for FieldModel {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn answer<'a>(&'a self, request: &'a ModelRequest) -> AnswerFuture<'a> {
        Box::pin(async move {
            if self.is_paused() {
                let why = "the service failed a short time ago and is not asked again yet";
                return Err(ModelFailure::Unavailable(why.to_owned()));
            }
            let completion = Completion {
                system: request.system.clone(),
                user: request.user.clone(),
                schema: Some(request.schema.clone()),
                max_tokens: request.max_tokens,
            };
            let mut text = String::new();
            // What is longer is not read, so it is not kept either.
            let mut keep = |piece: &str| {
                if text.len() <= MAX_REPLY {
                    text.push_str(piece);
                }
            };
            match self.model.complete(&completion, &mut keep).await {
                Ok(_) => Ok(text),
                // A server that ignores the schema may still answer with JSON in a code block. Extraction checks it.
                Err(ModelError::InvalidResponse { .. }) if !text.is_empty() => Ok(text),
                Err(error) => {
                    if error.is_service_failure() {
                        self.pause();
                    }
                    Err(failure(&error))
                }
            }
        })
    }
}

/// Without the server's own text, which could quote the document.
fn failure(error: &ModelError) -> ModelFailure {
    match error {
        ModelError::TimedOut { phase, limit, .. } => {
            ModelFailure::TimedOut(format!("{phase} within {} s", limit.as_secs_f64()))
        }
        ModelError::Settings { .. } => unavailable("its settings are invalid"),
        ModelError::KeyMissing { .. } => unavailable("it requires a key and none is set"),
        ModelError::KeyRefused { .. } => unavailable("it does not accept the key"),
        ModelError::NotAllowed { .. } => unavailable("the key may not use this model"),
        ModelError::UnknownModel { .. } => unavailable("it does not have this model"),
        ModelError::WrongAddress { .. } => unavailable("nothing is served at its address"),
        ModelError::OutOfQuota { .. } => unavailable("the account has no quota or credit left"),
        ModelError::Busy { .. } => unavailable("it is rate limiting requests"),
        ModelError::ServerError { status, .. } => {
            unavailable(&format!("it failed with status {status}"))
        }
        ModelError::Unreachable { .. } => unavailable("it cannot be reached"),
        ModelError::Interrupted { .. } => unavailable("the connection broke during its answer"),
        ModelError::Refused { status, .. } => {
            ModelFailure::Unusable(format!("it refused the request with status {status}"))
        }
        ModelError::ResponseTooLarge { .. } => unusable("its answer is too large"),
        ModelError::InvalidResponse { .. } => unusable("it sent an invalid answer"),
        ModelError::Declined { .. } => unusable("the model declined to answer"),
        ModelError::Truncated { .. } => unusable("the answer reached its limit of tokens"),
    }
}

fn unavailable(why: &str) -> ModelFailure {
    ModelFailure::Unavailable(why.to_owned())
}

fn unusable(why: &str) -> ModelFailure {
    ModelFailure::Unusable(why.to_owned())
}
