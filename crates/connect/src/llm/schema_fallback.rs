//! A fallback for servers that do not support all of JSON Schema.
//!
//! *Bounds* limit the length of lists and texts and the allowed values, which stops a model that repeats itself. Some
//! servers refuse a schema with bounds (400 or 422).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::{Completed, Completion, CompletionFuture, LanguageModel};
use crate::ModelError;

/// The keywords of a schema beyond names and types.
const BOUNDS: [&str; 5] = ["minItems", "maxItems", "maxLength", "pattern", "enum"];

/// Sends the request again without bounds when the server refuses the schema.
#[derive(Debug)]
pub struct SchemaFallback {
    model: Arc<dyn LanguageModel>,
    /// Whether the server has refused a schema with bounds and accepted the same one without.
    refuses_bounds: AtomicBool,
}

impl SchemaFallback {
    pub fn new(model: Arc<dyn LanguageModel>) -> Self {
        Self { model, refuses_bounds: AtomicBool::new(false) }
    }
}

impl LanguageModel for SchemaFallback {
    fn name(&self) -> &str {
        self.model.name()
    }

    fn complete<'a>(
        &'a self,
        request: &'a Completion,
        deltas: &'a mut (dyn FnMut(&str) + Send),
    ) -> CompletionFuture<'a> {
        let Some(schema) = &request.schema else { return self.model.complete(request, deltas) };
        Box::pin(async move {
            if !self.refuses_bounds.load(Ordering::Relaxed) {
                let has_begun = AtomicBool::new(false);
                let mut forward = |piece: &str| {
                    has_begun.store(true, Ordering::Relaxed);
                    deltas(piece);
                };
                let completed = self.model.complete(request, &mut forward).await;
                if !is_refused(&completed) || has_begun.load(Ordering::Relaxed) {
                    return completed;
                }
            }
            let schema = Some(without_bounds(schema));
            let completed =
                self.model.complete(&Completion { schema, ..request.clone() }, deltas).await;
            // If this fails as well, the bounds may not be the cause.
            if completed.is_ok() {
                self.refuses_bounds.store(true, Ordering::Relaxed);
            }
            completed
        })
    }
}

fn is_refused(completed: &Result<Completed, ModelError>) -> bool {
    matches!(completed, Err(ModelError::Refused { status: 400 | 422, .. }))
}

fn without_bounds(schema: &Value) -> Value {
    match schema {
        Value::Object(properties) => {
            let kept = properties
                .iter()
                .filter(|(name, _)| !BOUNDS.contains(&name.as_str()))
                .map(|(name, value)| (name.clone(), without_bounds(value)));
            Value::Object(kept.collect())
        }
        other => other.clone(),
    }
}
