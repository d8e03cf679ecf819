//! Reranking by a server.

use connect::rerank::{Ranked, RemoteReranker};
use connect::{Limits, ModelError};
use domain::TraceContext;
use serde_json::{Value, json};

use crate::server::{ModelServer, with_status};

fn reranker(server: &ModelServer) -> RemoteReranker {
    RemoteReranker::new(server.service(Limits::RERANKING), server.retries()).unwrap()
}

fn results(rows: &[(usize, f64)]) -> Value {
    let row = |(index, score): &(usize, f64)| json!({ "index": index, "relevance_score": score });
    json!({ "id": "r-1", "results": rows.iter().map(row).collect::<Vec<_>>(), "meta": {} })
}

#[tokio::test]
async fn results_are_sorted_by_score() {
    let answer = results(&[(0, 0.25), (2, 0.75)]);
    let server = ModelServer::start([with_status(200, answer)]).await;
    let reranker = reranker(&server);
    assert_eq!(reranker.model(), "127.0.0.1/small");
    let ranked = reranker.rerank("red", &["rouge", "vert", "rot"], 2).await.unwrap();
    assert_eq!(ranked, [Ranked { index: 2, score: 0.75 }, Ranked { index: 0, score: 0.25 }]);

    let request = &server.received()[0];
    assert_eq!(request.path, "/v2/rerank");
    assert_eq!(request.header("authorization"), Some("Bearer sk-test-4711"));
    let documents = ["rouge", "vert", "rot"];
    let body = json!({ "model": "small", "query": "red", "documents": documents, "top_n": 2 });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn a_call_sends_its_trace() {
    let answers = [1, 2].map(|_| with_status(200, results(&[(0, 0.5)])));
    let server = ModelServer::start(answers).await;
    let reranker = reranker(&server);
    let header = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00";
    let trace = TraceContext::from_traceparent(header);
    connect::in_trace(trace, reranker.rerank("q", &["a"], 1)).await.unwrap();
    connect::in_trace(None, reranker.rerank("q", &["a"], 1)).await.unwrap();
    let sent = server.received();
    assert_eq!([0, 1].map(|at: usize| sent[at].header("traceparent")), [Some(header), None]);
}

#[tokio::test]
async fn a_result_for_a_wrong_or_repeated_text_is_refused() {
    for wrong in [&[(0, 1.0)][..], &[(0, 1.0), (0, 0.5)], &[(0, 1.0), (3, 0.5)]] {
        let server = ModelServer::start([with_status(200, results(wrong))]).await;
        let error = reranker(&server).rerank("q", &["a", "b", "c"], 2).await.unwrap_err();
        assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn the_limit_may_exceed_the_texts_and_no_texts_send_no_request() {
    let server = ModelServer::start([with_status(200, results(&[(0, 0.5)]))]).await;
    let reranker = reranker(&server);
    assert_eq!(reranker.rerank("q", &["a"], 10).await.unwrap().len(), 1);
    assert!(reranker.rerank("q", &[], 10).await.unwrap().is_empty());
    assert_eq!(server.received().len(), 1);
    assert_eq!(server.received()[0].body["top_n"], 1);
}

#[tokio::test]
async fn an_invalid_key_is_reported() {
    let server =
        ModelServer::start([with_status(401, json!({ "message": "invalid token" }))]).await;
    let error = reranker(&server).rerank("q", &["a"], 1).await.unwrap_err();
    assert!(matches!(error, ModelError::KeyRefused { .. }), "{error:?}");
}
