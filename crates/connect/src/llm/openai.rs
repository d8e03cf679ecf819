//! Chat completions, as OpenAI defined them and vLLM, Ollama, llama.cpp and many others serve them.

use std::sync::atomic::{AtomicBool, Ordering};

use serde::Deserialize;
use serde_json::{Value, json};

use super::streaming::{self, Ending, Step, Transcript};
use super::{Completed, Completion, CompletionFuture, LanguageModel};
use crate::exchange::{Exchange, bearer};
use crate::{ModelError, Retries, Service};

/// A model behind `POST /v1/chat/completions`.
#[derive(Debug)]
pub struct OpenAiCompatible {
    exchange: Exchange,
    name: String,
    /// Whether the server has answered that it knows only the newer name of the token limit.
    needs_newer_limit: AtomicBool,
}

/// Known to every server except OpenAI's own with its later models.
const LIMIT: &str = "max_tokens";
const NEWER_LIMIT: &str = "max_completion_tokens";

impl OpenAiCompatible {
    /// Where OpenAI serves its own models.
    pub const BASE_URL: &str = "https://api.openai.com/v1";

    pub fn new(service: Service, retries: Retries) -> Result<Self, ModelError> {
        let headers = bearer(&service)?;
        let (name, url) = (service.identity(), service.endpoint("v1", "chat/completions"));
        let exchange = Exchange::new(service, url, headers, retries)?;
        Ok(Self { exchange, name, needs_newer_limit: AtomicBool::new(false) })
    }

    fn body(&self, request: &Completion, limit: &str) -> Value {
        let mut messages = vec![json!({ "role": "user", "content": request.user })];
        if !request.system.is_empty() {
            messages.insert(0, json!({ "role": "system", "content": request.system }));
        }
        let mut body = json!({
            "model": self.exchange.service.model,
            "messages": messages,
            "stream": true,
            "stream_options": { "include_usage": true },
        });
        body[limit] = json!(request.max_tokens);
        if let Some(schema) = &request.schema {
            let schema = json!({ "name": "answer", "schema": schema, "strict": true });
            body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
        }
        body
    }

    async fn complete_within(
        &self,
        limit: &str,
        request: &Completion,
        deltas: &mut (dyn FnMut(&str) + Send),
    ) -> Result<Completed, ModelError> {
        let body = self.body(request, limit);
        streaming::complete(&self.exchange, read, (request, &body), deltas).await
    }
}

impl LanguageModel for OpenAiCompatible {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a Completion,
        deltas: &'a mut (dyn FnMut(&str) + Send),
    ) -> CompletionFuture<'a> {
        Box::pin(async move {
            if self.needs_newer_limit.load(Ordering::Relaxed) {
                return self.complete_within(NEWER_LIMIT, request, deltas).await;
            }
            match self.complete_within(LIMIT, request, deltas).await {
                Err(ModelError::Refused { message, .. }) if message.contains(NEWER_LIMIT) => {
                    self.needs_newer_limit.store(true, Ordering::Relaxed);
                    self.complete_within(NEWER_LIMIT, request, deltas).await
                }
                completed => completed,
            }
        })
    }
}

#[derive(Deserialize)]
struct Chunk {
    #[serde(default)]
    choices: Vec<Choice>,
    usage: Option<Usage>,
    error: Option<Value>,
}

#[derive(Deserialize)]
struct Choice {
    delta: Option<Delta>,
    finish_reason: Option<String>,
}

/// Other fields are ignored; `reasoning_content` is not part of the answer.
#[derive(Deserialize)]
struct Delta {
    content: Option<String>,
    refusal: Option<String>,
}

#[derive(Deserialize)]
struct Usage {
    prompt_tokens: Option<u64>,
    completion_tokens: Option<u64>,
}

fn read(data: &str, transcript: &mut Transcript) -> serde_json::Result<Step> {
    if data == "[DONE]" {
        return Ok(Step::Finished);
    }
    let chunk: Chunk = serde_json::from_str(data)?;
    if let Some(error) = chunk.error {
        return Ok(Step::Failed { status: status_of(&error) });
    }
    if let Some(usage) = chunk.usage {
        transcript.input_tokens = usage.prompt_tokens;
        transcript.output_tokens = usage.completion_tokens;
    }
    let Some(choice) = chunk.choices.into_iter().next() else { return Ok(Step::More) };
    if let Some(delta) = choice.delta {
        transcript.text.push_str(&delta.content.unwrap_or_default());
        transcript.reason_to_decline.push_str(&delta.refusal.unwrap_or_default());
    }
    transcript.ending = choice.finish_reason.as_deref().map(ending).or(transcript.ending);
    Ok(Step::More)
}

fn ending(finish_reason: &str) -> Ending {
    match finish_reason {
        "length" => Ending::TokenLimit,
        "content_filter" => Ending::Declined,
        _ => Ending::Complete,
    }
}

/// The status in the error, if there is one; otherwise 500.
fn status_of(error: &Value) -> u16 {
    let code = error.get("code").unwrap_or(&Value::Null);
    let number = code.as_u64().or_else(|| code.as_str()?.parse().ok());
    number
        .and_then(|number| u16::try_from(number).ok())
        .filter(|status| *status >= 400)
        .unwrap_or(500)
}
