//! Servers that are silent. The clock is stopped once the server has fallen silent: from then on the only thing
//! that can happen is that time passes, and tokio lets it pass at once.

use std::sync::Arc;
use std::time::Duration;

use connect::llm::{LanguageModel, OpenAiCompatible};
use connect::{Limits, ModelError, Slow};
use tokio::sync::Notify;

use crate::openai::{ANSWER, beginning};
use crate::server::{
    ModelServer, Reply, ask, events, events_then_silence, head_then_silence, question,
};

const HOUR: Duration = Duration::from_hours(1);
const FIRST_BYTE: Duration = Duration::from_secs(5 + 120);

/// Asks a server that sends the beginning of an answer and then nothing.
async fn ask_one_that_falls_silent(limits: Limits) -> (ModelError, ModelServer) {
    let server = ModelServer::start([events_then_silence(beginning())]).await;
    let model = OpenAiCompatible::new(server.service(limits), server.retries()).unwrap();
    let (request, heard) = (question(), Notify::new());
    let mut deltas = |piece: &str| {
        if piece == "赤!" {
            heard.notify_one();
        }
    };
    let (completed, ()) = tokio::join!(model.complete(&request, &mut deltas), async {
        heard.notified().await;
        tokio::time::pause();
    });
    (completed.unwrap_err(), server)
}

fn assert_too_slow(error: &ModelError, slow: Slow, after: Duration) {
    let found = match error {
        ModelError::TooSlow { waiting_for, limit, .. } => Some((*waiting_for, *limit)),
        _ => None,
    };
    assert_eq!(found, Some((slow, after)), "{error:?}");
}

/// Asks a server that says nothing from `reached` on.
async fn ask_in_vain(reply: Reply, reached: &Notify) -> ModelError {
    let server = ModelServer::start([reply]).await;
    let model = server.openai();
    let (request, mut deltas) = (question(), |_: &str| {});
    let (completed, ()) = tokio::join!(model.complete(&request, &mut deltas), async {
        reached.notified().await;
        tokio::time::pause();
    });
    assert_eq!(server.received().len(), 1, "it would only take as long again");
    completed.unwrap_err()
}

#[tokio::test]
async fn an_answer_that_does_not_begin_is_given_up() {
    let reached = Arc::new(Notify::new());
    let error = ask_in_vain(Reply::Silence(reached.clone()), &reached).await;
    assert_too_slow(&error, Slow::FirstByte, FIRST_BYTE);
    assert!(error.to_string().contains("it did not begin to answer within 125 s"), "{error}");
}

#[tokio::test]
async fn a_head_is_not_yet_an_answer() {
    let reached = Arc::new(Notify::new());
    let error = ask_in_vain(head_then_silence(reached.clone()), &reached).await;
    assert_too_slow(&error, Slow::FirstByte, FIRST_BYTE);
}

#[tokio::test]
async fn an_answer_that_stops_coming_is_given_up() {
    let (error, server) = ask_one_that_falls_silent(Limits::COMPLETION).await;
    assert_too_slow(&error, Slow::NextPiece, Limits::COMPLETION.between_pieces);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn an_answer_that_takes_too_long_as_a_whole_is_given_up() {
    let limits = Limits { between_pieces: HOUR, whole: HOUR, ..Limits::COMPLETION };
    let (error, _) = ask_one_that_falls_silent(limits).await;
    assert_too_slow(&error, Slow::Whole, HOUR);
}

#[tokio::test]
async fn no_limit_at_all_can_be_asked_for() {
    let ever = Duration::MAX;
    let limits = Limits { connect: HOUR, first_byte: ever, between_pieces: ever, whole: ever };
    let server = ModelServer::start([events([ANSWER])]).await;
    let model = OpenAiCompatible::new(server.service(limits), server.retries()).unwrap();
    ask(&model, &question()).await.0.unwrap();
}
