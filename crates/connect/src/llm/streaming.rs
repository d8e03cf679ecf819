//! What both protocols have in common: events come in, a transcript grows, pieces are handed on.

use serde::de::IgnoredAny;
use serde_json::Value;

use super::{Completed, Completion};
use crate::ModelError;
use crate::events::Events;
use crate::exchange::{Answer, Exchange};
use crate::refusal::{Refusal, quote};

/// What follows from one event, beside what it adds to the transcript.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Step {
    More,
    /// Nothing more will come.
    Over,
    Failed {
        status: u16,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    ByItself,
    AtTheTokenLimit,
    Declined,
}

/// A protocol: takes the data of an event into the transcript.
pub(super) type Read = fn(data: &str, transcript: &mut Transcript) -> serde_json::Result<Step>;

/// What has come so far.
#[derive(Debug, Default)]
pub(super) struct Transcript {
    /// The text is to be JSON.
    pub(super) structured: bool,
    pub(super) input_tokens: Option<u64>,
    pub(super) output_tokens: Option<u64>,
    /// The reason that a model gives for not answering.
    pub(super) reason_to_decline: String,
    /// Counts may still follow.
    pub(super) ending: Option<Ending>,
    pub(super) text: String,
}

/// Sends `body` until the model has answered `request`.
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
        let tried = match call.post(body, most_bytes(request.max_tokens)).await {
            Ok(answer) => follow(exchange, read, answer, &mut transcript, deltas).await,
            Err(error) => Err(error),
        };
        match tried {
            Ok(()) => return transcript.finish(exchange, request),
            // What was handed on cannot be taken back, and another try would begin anew.
            Err(error) if !transcript.text.is_empty() => return Err(error),
            Err(error) => call.wait_after(error).await?,
        }
    }
}

/// What a stream of so many tokens has at the very most: an event for each, and some to spare. Servers that
/// repeat themselves in every event take about 400 bytes for one.
fn most_bytes(max_tokens: u32) -> usize {
    const FOR_EACH_TOKEN: usize = 4 * 1024;
    const TO_SPARE: usize = Events::LARGEST + 1024 * 1024;
    let tokens = usize::try_from(max_tokens).unwrap_or(usize::MAX);
    tokens.saturating_mul(FOR_EACH_TOKEN).saturating_add(TO_SPARE)
}

async fn follow(
    exchange: &Exchange,
    read: Read,
    mut answer: Answer<'_>,
    transcript: &mut Transcript,
    deltas: &mut (dyn FnMut(&str) + Send),
) -> Result<(), ModelError> {
    if !answer.media_type().eq_ignore_ascii_case("text/event-stream") {
        let reason = format!(
            "it sent \u{201c}{}\u{201d} where a stream of events was asked for; check the base URL",
            answer.media_type()
        );
        return Err(exchange.not_understood(reason));
    }
    let mut events = Events::default();
    let mut found = Vec::new();
    while let Some(piece) = answer.next_piece().await? {
        events.read(&piece, &mut found).map_err(|_| ModelError::TooMuch {
            server: exchange.service.server(),
            what: "one event",
            limit: Events::LARGEST,
        })?;
        for event in found.drain(..) {
            // Names and ids of events do not matter: both protocols repeat in the data what does.
            if transcript.take(exchange, read, event.data, deltas)? {
                return Ok(());
            }
        }
    }
    // Some servers close the connection and say no more.
    if transcript.ending.is_some() {
        return Ok(());
    }
    Err(ModelError::Interrupted {
        server: exchange.service.server(),
        reason: "the stream closed before the model had ended".to_owned(),
    })
}

impl Transcript {
    /// Takes one event in; whether it was the last.
    fn take(
        &mut self,
        exchange: &Exchange,
        read: Read,
        data: String,
        deltas: &mut (dyn FnMut(&str) + Send),
    ) -> Result<bool, ModelError> {
        let known = self.text.len();
        let step = read(&data, self).map_err(|error| {
            exchange.not_understood(format!("one of its events cannot be read ({error})"))
        })?;
        if self.text.len() > known {
            deltas(&self.text[known..]);
        }
        match step {
            Step::More => Ok(false),
            Step::Over => Ok(true),
            Step::Failed { status } => {
                Err(exchange.refused(Refusal { status, retry_after: None, body: data }))
            }
        }
    }

    fn finish(self, exchange: &Exchange, request: &Completion) -> Result<Completed, ModelError> {
        let model = exchange.service.model.clone();
        let cut_short = self.ending == Some(Ending::AtTheTokenLimit);
        if self.ending == Some(Ending::Declined) || !self.reason_to_decline.is_empty() {
            let said = quote(&self.reason_to_decline, &exchange.service);
            return Err(ModelError::Declined { model, said });
        }
        if self.structured && cut_short {
            return Err(ModelError::CutShort { model, max_tokens: request.max_tokens });
        }
        if self.structured {
            serde_json::from_str::<IgnoredAny>(&self.text).map_err(|error| {
                let reason =
                    "JSON was asked for by a schema, which this server or model does not keep to";
                exchange.not_understood(format!("{reason} ({error})"))
            })?;
        }
        let Self { text, input_tokens, output_tokens, .. } = self;
        Ok(Completed { text, cut_short, input_tokens, output_tokens })
    }
}
