//! Schemas for servers that do not know all of JSON Schema.
//!
//! *Bounds* say how long a list or text may be and which values are allowed. With them a model that repeats itself
//! comes to an end; but some servers refuse a schema that has them (400 or 422).

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use serde_json::Value;

use super::{Completed, Completion, CompletionFuture, LanguageModel};
use crate::ModelError;

/// What a schema says beyond names and types.
const BOUNDS: [&str; 4] = ["minItems", "maxItems", "pattern", "enum"];

/// A model that is asked again without the bounds of the schema when its server refuses them.
#[derive(Debug)]
pub struct SchemaFallback {
    model: Arc<dyn LanguageModel>,
    /// The server has refused a schema with bounds and taken the same one without.
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
                let mut noticed = |piece: &str| {
                    has_begun.store(true, Ordering::Relaxed);
                    deltas(piece);
                };
                let completed = self.model.complete(request, &mut noticed).await;
                if !is_refused(&completed) || has_begun.load(Ordering::Relaxed) {
                    return completed;
                }
            }
            let schema = Some(without_bounds(schema));
            let completed =
                self.model.complete(&Completion { schema, ..request.clone() }, deltas).await;
            // Where this fails as well, it may have been for something else.
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
