//! The part that both protocols share: events extend a transcript, whose new pieces are passed on.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Completed, Completion};
use crate::ModelError;
use crate::events::Events;
use crate::exchange::{Answer, Exchange};
use crate::refusal::{Refusal, quote};

/// What to do after an event.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    More,
    /// The stream has ended.
    Finished,
    Failed {
        status: u16,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    Complete,
    TokenLimit,
    Declined,
}

/// The part of a protocol that adds the data of an event to the transcript.
pub(super) type Read = fn(data: &str, transcript: &mut Transcript) -> serde_json::Result<Step>;

/// What was received so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// Whether the text must be JSON.
    pub(super) structured: bool,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    /// The model's reason for declining.
    pub(super) reason_to_decline: String,
    /// Token counts may still follow.
    pub(super) ending: Option<Ending>,
    pub(super) text: String,
}

/// Sends `body` until the model has answered `request`, with retries.
pub(super) async fn complete(
    exchange: &Exchange,
    read: Read,
    (request, body): (&Completion, &Value),
    deltas: &mut (dyn FnMut(&str) + Send),
) -> Result<Completed, ModelError> {
    let mut call = exchange.call();
    loop {
        let structured = request.schema.is_some();
        let mut transcript = Transcript { structured, ..Transcript::default() };
        let result = match call.post(body, max_bytes(request.max_tokens)).await {
            Ok(answer) => read_stream(exchange, read, answer, &mut transcript, deltas).await,
            Err(error) => Err(error),
        };
        match result {
            Ok(()) => return transcript.finish(exchange, request),
            // The caller has pieces already, and another attempt would begin again.
            Err(error) if !transcript.text.is_empty() => return Err(error),
            Err(error) => call.wait_before_retry(error).await?,
        }
    }
}

/// The largest accepted size of a stream with this many tokens: one event for each, with a margin. Servers that repeat
/// metadata in every event use about 400 bytes for one.
fn max_bytes(max_tokens: u32) -> usize {
    const BYTES_PER_TOKEN: usize = 4 * 1024;
    const MARGIN: usize = Events::MAX_SIZE + 1024 * 1024;
    let tokens = usize::try_from(max_tokens).unwrap_or(usize::MAX);
    tokens.saturating_mul(BYTES_PER_TOKEN).saturating_add(MARGIN)
}

async fn read_stream(
    exchange: &Exchange,
    read: Read,
    mut answer: Answer<'_>,
    transcript: &mut Transcript,
    deltas: &mut (dyn FnMut(&str) + Send),
) -> Result<(), ModelError> {
    if !answer.media_type().eq_ignore_ascii_case("text/event-stream") {
        let reason = format!(
            "it sent \u{201c}{}\u{201d} instead of a stream of events; check the base URL",
            answer.media_type()
        );
        return Err(exchange.invalid_response(reason));
    }
    let mut events = Events::default();
    let mut complete = Vec::new();
    while let Some(piece) = answer.next_piece().await? {
        events.read(&piece, &mut complete).map_err(|_| ModelError::ResponseTooLarge {
            server: exchange.service.server(),
            what: "one event",
            limit: Events::MAX_SIZE,
        })?;
        for event in complete.drain(..) {
            // The data repeats everything that matters of an event's name and id.
            if transcript.take(exchange, read, event.data, deltas)? {
                return Ok(());
            }
        }
    }
    // Some servers close the connection without a final event.
    if transcript.ending.is_some() {
        return Ok(());
    }
    Err(ModelError::Interrupted {
        server: exchange.service.server(),
        reason: "the stream closed before the model had finished".to_owned(),
    })
}

impl Transcript {
    /// Processes one event; returns whether it was the last.
    fn take(
        &mut self,
        exchange: &Exchange,
        read: Read,
        data: String,
        deltas: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bool, ModelError> {
        let length = self.text.len();
        let step = read(&data, self).map_err(|error| {
            exchange.invalid_response(format!("one of its events cannot be parsed ({error})"))
        })?;
        if self.text.len() > length {
            deltas(&self.text[length..]);
        }
        match step {
            Step::More => Ok(false),
            Step::Finished => Ok(true),
            Step::Failed { status } => {
                Err(exchange.refused(Refusal { status, retry_after: None, body: data }))
            }
        }
    }

    fn finish(self, exchange: &Exchange, request: &Completion) -> Result<Completed, ModelError> {
        let model = exchange.service.model.clone();
        let truncated = self.ending == Some(Ending::TokenLimit);
        if self.ending == Some(Ending::Declined) || !self.reason_to_decline.is_empty() {
            let message = quote(&self.reason_to_decline, &exchange.service);
            return Err(ModelError::Declined { model, message });
        }
        if self.structured && truncated {
            return Err(ModelError::Truncated { model, max_tokens: request.max_tokens });
        }
        if self.structured {
            serde_json::from_str::<IgnoredAny>(&self.text).map_err(|error| {
                let reason = "the text is not the JSON that the schema requires";
                exchange.invalid_response(format!("{reason} ({error})"))
            })?;
        }
        let Self { text, input_tokens, output_tokens, .. } = self;
        Ok(Completed { text, truncated, input_tokens, output_tokens })
    }
}
