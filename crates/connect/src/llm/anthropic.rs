//! The Messages API of Anthropic.

use reqwest::header::{HeaderName, HeaderValue};
use serde::Deserialize;
use serde_json::{Value, json};

use super::streaming::{self, Ending, Step, Transcript};
use super::{Completion, CompletionFuture, LanguageModel};
use crate::exchange::{Exchange, key_header};
use crate::{ModelError, Retries, Service};

/// A model behind `POST /v1/messages`.
#[derive(Debug)]
pub struct Anthropic {
    exchange: Exchange,
    name: String,
}

/// To enforce a schema, the model must call this tool, whose input is the answer.
const TOOL: &str = "answer";

impl Anthropic {
    /// Where Anthropic serves its own models.
    pub const BASE_URL: &str = "https://api.anthropic.com";
    const VERSION: HeaderValue = HeaderValue::from_static("2023-06-01");

    pub fn new(service: Service, retries: Retries) -> Result<Self, ModelError> {
        let mut headers = key_header(&service, HeaderName::from_static("x-api-key"), "")?;
        headers.insert(HeaderName::from_static("anthropic-version"), Self::VERSION);
        let (name, url) = (service.identity(), service.endpoint("v1", "messages"));
        Ok(Self { exchange: Exchange::new(service, url, headers, retries)?, name })
    }

    fn body(&self, request: &Completion) -> Value {
        let mut body = json!({
            "model": self.exchange.service.model,
            "max_tokens": request.max_tokens,
            "messages": [{ "role": "user", "content": request.user }],
            "stream": true,
        });
        if !request.system.is_empty() {
            body["system"] = json!(request.system);
        }
        if let Some(schema) = &request.schema {
            body["tools"] = json!([{
                "name": TOOL, "description": "Gives the answer.", "input_schema": schema,
            }]);
            body["tool_choice"] =
                json!({ "type": "tool", "name": TOOL, "disable_parallel_tool_use": true });
        }
        body
    }
}

impl LanguageModel for Anthropic {
    fn name(&self) -> &str {
        &self.name
    }

    fn complete<'a>(
        &'a self,
        request: &'a Completion,
        deltas: &'a mut (dyn FnMut(&str) + Send),
    ) -> CompletionFuture<'a> {
        Box::pin(async move {
            let body = self.body(request);
            streaming::complete(&self.exchange, read, (request, &body), deltas).await
        })
    }
}

#[derive(Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
enum Event {
    MessageStart {
        message: Message,
    },
    ContentBlockDelta {
        delta: Delta,
    },
    MessageDelta {
        delta: MessageEnd,
        #[serde(default)]
        usage: Usage,
    },
    MessageStop,
    Error {
        error: ErrorDetails,
    },
    /// Pings, the borders of blocks, and future events: the protocol asks clients to ignore these.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    usage: Usage,
}

#[derive(Default, Deserialize)]
struct Usage {
    input_tokens: Option<u64>,
    output_tokens: Option<u64>,
}

#[derive(Deserialize)]
#[serde(tag = "type")]
enum Delta {
    #[serde(rename = "text_delta")]
    Text { text: String },
    #[serde(rename = "input_json_delta")]
    ToolInput { partial_json: String },
    /// Thinking, signatures, citations.
    #[serde(other)]
    Other,
}

#[derive(Deserialize)]
struct MessageEnd {
    stop_reason: Option<String>,
}

#[derive(Deserialize)]
struct ErrorDetails {
    #[serde(rename = "type")]
    kind: String,
}

fn read(data: &str, transcript: &mut Transcript) -> serde_json::Result<Step> {
    match serde_json::from_str(data)? {
        Event::MessageStart { message } => count(message.usage, transcript),
        Event::ContentBlockDelta { delta } => match (delta, transcript.structured) {
            (Delta::Text { text: piece }, false)
            | (Delta::ToolInput { partial_json: piece }, true) => {
                transcript.text.push_str(&piece);
            }
            // With a schema, text outside of the tool call is not part of the answer.
            _ => {}
        },
        Event::MessageDelta { delta, usage } => {
            count(usage, transcript);
            transcript.ending = delta.stop_reason.as_deref().map(ending).or(transcript.ending);
        }
        Event::MessageStop => return Ok(Step::Finished),
        Event::Error { error } => return Ok(Step::Failed { status: status_of(&error.kind) }),
        Event::Other => {}
    }
    Ok(Step::More)
}

/// Later counts include the earlier ones, and may omit those that have not changed.
fn count(usage: Usage, transcript: &mut Transcript) {
    transcript.input_tokens = usage.input_tokens.or(transcript.input_tokens);
    transcript.output_tokens = usage.output_tokens.or(transcript.output_tokens);
}

fn ending(stop_reason: &str) -> Ending {
    match stop_reason {
        "max_tokens" | "model_context_window_exceeded" => Ending::TokenLimit,
        "refusal" => Ending::Declined,
        _ => Ending::Complete,
    }
}

/// The HTTP status that corresponds to this error.
fn status_of(kind: &str) -> u16 {
    match kind {
        "invalid_request_error" => 400,
        "authentication_error" => 401,
        "billing_error" => 402,
        "permission_error" => 403,
        "not_found_error" => 404,
        "request_too_large" => 413,
        "rate_limit_error" => 429,
        "timeout_error" => 504,
        "overloaded_error" => 529,
        _ => 500,
    }
}
