//! Embeddings from a server.

use connect::embeddings::Embeddings;
use connect::{Limits, ModelError};
use retrieval::embedding::{Embedding, Origin, ServiceModel};
use serde_json::{Value, json};

use crate::server::{ModelServer, Reply, with_status};

fn embeddings(server: &ModelServer, dimension: usize) -> Embeddings {
    Embeddings::new(server.service(Limits::EMBEDDING), dimension, server.retries()).unwrap()
}

fn vectors(rows: &[(usize, Value)]) -> Reply {
    let row = |(index, vector): &(usize, Value)| json!({ "object": "embedding", "index": index, "embedding": vector });
    let data: Vec<_> = rows.iter().map(row).collect();
    let usage = json!({ "prompt_tokens": 8, "total_tokens": 8 });
    with_status(200, json!({ "object": "list", "data": data, "model": "small", "usage": usage }))
}

async fn reason_against(rows: &[(usize, Value)]) -> String {
    let server = ModelServer::start([vectors(rows)]).await;
    let error = embeddings(&server, 2).embed_all(&["a", "b"]).await.unwrap_err();
    assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn vectors_have_the_order_of_the_texts_and_length_one() {
    let rows = [(1, json!([0.0, -2.5])), (0, json!([3, 4]))];
    let server = ModelServer::start([vectors(&rows)]).await;
    let embeddings = embeddings(&server, 2);
    assert_eq!(embeddings.model(), "127.0.0.1/small");
    let found = embeddings.embed_all(&["a", "b"]).await.unwrap();
    assert_eq!(found, [[0.6, 0.8], [0.0, -1.0]]);

    let request = &server.received()[0];
    assert_eq!(request.path, "/v1/embeddings");
    assert_eq!(request.header("authorization"), Some("Bearer sk-test-4711"));
    let body = json!({ "model": "small", "input": ["a", "b"], "encoding_format": "float" });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn many_texts_are_sent_in_several_requests() {
    let texts: Vec<String> = (0..600).map(|n| n.to_string()).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    let batch = |range: std::ops::Range<usize>| {
        let direction =
            |text: usize| if text.is_multiple_of(2) { json!([1, 0]) } else { json!([0, 1]) };
        vectors(
            &range.clone().map(|text| (text - range.start, direction(text))).collect::<Vec<_>>(),
        )
    };
    let server = ModelServer::start([batch(0..256), batch(256..512), batch(512..600)]).await;
    let found = embeddings(&server, 2).embed_all(&texts).await.unwrap();
    assert_eq!(found.len(), 600);
    assert!(found.iter().enumerate().all(|(text, vector)| vector[text % 2] > 0.9));
    let sent = server.received().into_iter().flat_map(|request| {
        let input = request.body["input"].as_array().unwrap().clone();
        assert!(input.len() <= Embeddings::MAX_BATCH);
        input
    });
    assert_eq!(sent.collect::<Vec<_>>(), texts);
}

#[tokio::test]
async fn without_texts_no_request_is_sent() {
    let server = ModelServer::start([]).await;
    assert!(embeddings(&server, 2).embed_all(&[]).await.unwrap().is_empty());
    assert!(server.received().is_empty());
}

#[tokio::test]
async fn every_text_has_exactly_one_vector() {
    let one = json!([1, 0]);
    let reason = reason_against(&[(0, one.clone())]).await;
    assert!(reason.contains("1 vectors for 2 texts"), "{reason}");
    let reason = reason_against(&[(0, one.clone()), (0, one.clone())]).await;
    assert!(reason.contains("two vectors for text 0"), "{reason}");
    let reason = reason_against(&[(0, one.clone()), (2, one)]).await;
    assert!(reason.contains("text 2 of 2"), "{reason}");
}

#[tokio::test]
async fn another_dimension_is_refused() {
    let reason = reason_against(&[(0, json!([1, 0, 0])), (1, json!([1, 0, 0]))]).await;
    assert!(reason.contains("3 numbers, but 2 are configured"), "{reason}");
}

#[tokio::test]
async fn a_vector_of_length_zero_or_infinity_is_refused() {
    let reason = reason_against(&[(0, json!([0, 0])), (1, json!([1, 0]))]).await;
    assert!(reason.contains("length 0 or is not finite"), "{reason}");
    let reason = reason_against(&[(0, json!([1e300, 0])), (1, json!([1, 0]))]).await;
    assert!(reason.contains("number out of range"), "{reason}");
}

#[tokio::test]
async fn an_answer_that_is_too_large_is_refused() {
    let server = ModelServer::start([vectors(&[(0, json!(vec![0.5; 100_000]))])]).await;
    let error = embeddings(&server, 2).embed_all(&["a"]).await.unwrap_err();
    assert!(matches!(error, ModelError::ResponseTooLarge { .. }), "{error:?}");
}

#[tokio::test]
async fn a_transient_error_is_retried() {
    let replies = [with_status(503, json!({})), vectors(&[(0, json!([0, 2]))])];
    let server = ModelServer::start(replies).await;
    assert_eq!(embeddings(&server, 2).embed_all(&["a"]).await.unwrap(), [[0.0, 1.0]]);
    assert_eq!(server.waits().len(), 1);
}

#[tokio::test]
async fn a_previous_model_is_opened_only_on_the_configured_host() {
    let server = ModelServer::start([vectors(&[(0, json!([0, 3, 4]))])]).await;
    let current = embeddings(&server, 2);
    let of = |host: &str, name: &str, dimension| ServiceModel {
        host: host.to_owned(),
        name: name.to_owned(),
        dimension,
    };
    assert_eq!(current.origin(), Origin::Service(of("127.0.0.1", "small", 2)));
    let earlier = current.sibling(&of("127.0.0.1", "earlier", 3)).unwrap();
    assert_eq!(earlier.model(), "127.0.0.1/earlier");
    assert_eq!(earlier.embed(vec!["a".to_owned()]).await.unwrap(), [[0.0, 0.6, 0.8]]);
    assert_eq!(server.received()[0].body["model"], "earlier");
    assert!(current.sibling(&of("elsewhere.example", "earlier", 3)).is_err());
}
