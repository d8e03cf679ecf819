//! Servers that stop sending. The tests pause tokio's clock at that point; tokio then advances it to the next timer at
//! once.

use std::sync::Arc;
use std::time::Duration;

use connect::llm::{LanguageModel, OpenAiCompatible};
use connect::{Limits, ModelError, TimeoutPhase};
use tokio::sync::Notify;

use crate::openai::{ANSWER, beginning};
use crate::server::{
    ModelServer, Reply, ask, events, events_then_silence, head_then_silence, question,
};

const HOUR: Duration = Duration::from_hours(1);
const FIRST_BYTE: Duration = Duration::from_secs(5 + 120);

/// Asks a server that sends the beginning of an answer and then nothing.
async fn ask_server_that_stops_sending(limits: Limits) -> (ModelError, ModelServer) {
    let server = ModelServer::start([events_then_silence(beginning())]).await;
    let model = OpenAiCompatible::new(server.service(limits), server.retries()).unwrap();
    let (request, received) = (question(), Notify::new());
    let mut deltas = |piece: &str| {
        if piece == "赤!" {
            received.notify_one();
        }
    };
    let (completed, ()) = tokio::join!(model.complete(&request, &mut deltas), async {
        received.notified().await;
        tokio::time::pause();
    });
    (completed.unwrap_err(), server)
}

fn assert_timed_out(error: &ModelError, phase: TimeoutPhase, after: Duration) {
    let timeout = match error {
        ModelError::TimedOut { phase, limit, .. } => Some((*phase, *limit)),
        _ => None,
    };
    assert_eq!(timeout, Some((phase, after)), "{error:?}");
}

/// Asks a server that sends nothing after `reached`.
async fn ask_server_without_answer(reply: Reply, reached: &Notify) -> ModelError {
    let server = ModelServer::start([reply]).await;
    let model = server.openai();
    let (request, mut deltas) = (question(), |_: &str| {});
    let (completed, ()) = tokio::join!(model.complete(&request, &mut deltas), async {
        reached.notified().await;
        tokio::time::pause();
    });
    assert_eq!(server.received().len(), 1, "a timeout is not retried");
    completed.unwrap_err()
}

#[tokio::test]
async fn an_answer_that_does_not_begin_times_out() {
    let reached = Arc::new(Notify::new());
    let error = ask_server_without_answer(Reply::Silence(reached.clone()), &reached).await;
    assert_timed_out(&error, TimeoutPhase::FirstByte, FIRST_BYTE);
    assert!(error.to_string().contains("it did not begin to answer within 125 s"), "{error}");
}

#[tokio::test]
async fn a_head_without_content_times_out() {
    let reached = Arc::new(Notify::new());
    let error = ask_server_without_answer(head_then_silence(reached.clone()), &reached).await;
    assert_timed_out(&error, TimeoutPhase::FirstByte, FIRST_BYTE);
}

#[tokio::test]
async fn an_answer_that_stops_times_out() {
    let (error, server) = ask_server_that_stops_sending(Limits::COMPLETION).await;
    assert_timed_out(&error, TimeoutPhase::NextPiece, Limits::COMPLETION.between_pieces);
    assert_eq!(server.received().len(), 1);
}

#[tokio::test]
async fn a_call_that_takes_too_long_in_total_times_out() {
    let limits = Limits { between_pieces: HOUR, total: HOUR, ..Limits::COMPLETION };
    let (error, _) = ask_server_that_stops_sending(limits).await;
    assert_timed_out(&error, TimeoutPhase::Total, HOUR);
}

#[tokio::test]
async fn limits_may_be_infinite() {
    let ever = Duration::MAX;
    let limits = Limits { connect: HOUR, first_byte: ever, between_pieces: ever, total: ever };
    let server = ModelServer::start([events([ANSWER])]).await;
    let model = OpenAiCompatible::new(server.service(limits), server.retries()).unwrap();
    ask(&model, &question()).await.0.unwrap();
}
