//! The Messages API.

use connect::ModelError;
use connect::llm::{Completed, LanguageModel};
use serde_json::json;

use crate::server::{ModelServer, ask, events, question, question_with};

/// An answer as documented, with a ping and an unknown event.
const ANSWER: &str = r#"event: message_start
data: {"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"small","stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":25,"output_tokens":1}}}

event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

event: ping
data: {"type": "ping"}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Röd: 赤"}}

event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"!"}}

event: content_block_stop
data: {"type":"content_block_stop","index":0}

event: future_event
data: {"type":"future_event","size":7}

event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":15}}

event: message_stop
data: {"type":"message_stop"}

"#;

const TOOL_CALL: &str = r#"data: {"type":"message_start","message":{"usage":{"input_tokens":30,"output_tokens":1}}}

data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}

data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Let me see."}}

data: {"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"toolu_1","name":"answer","input":{}}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":""}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"{\"colour\": \"r"}}

data: {"type":"content_block_delta","index":1,"delta":{"type":"input_json_delta","partial_json":"ed\"}"}}

data: {"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":9}}

data: {"type":"message_stop"}

"#;

#[tokio::test]
async fn text_is_streamed_and_returned_as_a_whole() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let (completed, pieces) = ask(&server.anthropic(), &question()).await;
    let expected = Completed {
        text: "Röd: 赤!".to_owned(),
        truncated: false,
        input_tokens: Some(25),
        output_tokens: Some(15),
    };
    assert_eq!(completed.unwrap(), expected);
    assert_eq!(pieces, ["Röd: 赤", "!"]);
}

#[tokio::test]
async fn the_request_follows_the_protocol() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let model = server.anthropic();
    assert_eq!(model.name(), "127.0.0.1/small");
    ask(&model, &question()).await.0.unwrap();

    let request = &server.received()[0];
    assert_eq!(request.path, "/v1/messages");
    assert_eq!(request.header("x-api-key"), Some("sk-test-4711"));
    assert_eq!(request.header("anthropic-version"), Some("2023-06-01"));
    assert_eq!(request.header("authorization"), None);
    let body = json!({
        "model": "small",
        "max_tokens": 100,
        "system": "Be brief.",
        "messages": [{ "role": "user", "content": "What is red?" }],
        "stream": true,
    });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn the_answer_is_the_same_wherever_the_network_splits_it() {
    let cuts = 1..ANSWER.len();
    let in_two = cuts.clone().map(|cut| {
        let (begin, end) = ANSWER.as_bytes().split_at(cut);
        events([begin, end])
    });
    let server = ModelServer::start(in_two).await;
    let model = server.anthropic();
    for cut in cuts {
        let (completed, pieces) = ask(&model, &question()).await;
        assert_eq!(completed.unwrap().text, "Röd: 赤!", "cut at {cut}");
        assert_eq!(pieces.concat(), "Röd: 赤!", "cut at {cut}");
    }
}

#[tokio::test]
async fn a_schema_becomes_a_tool_that_must_be_called() {
    let server = ModelServer::start([events([TOOL_CALL])]).await;
    let schema = json!({ "type": "object", "properties": { "colour": { "type": "string" } } });
    let (completed, pieces) = ask(&server.anthropic(), &question_with(schema.clone())).await;
    assert_eq!(completed.unwrap().text, r#"{"colour": "red"}"#);
    assert_eq!(pieces.concat(), r#"{"colour": "red"}"#);

    let body = &server.received()[0].body;
    assert_eq!(body["tools"][0]["input_schema"], schema);
    assert_eq!(body["tool_choice"]["type"], "tool");
    assert_eq!(body["tool_choice"]["name"], body["tools"][0]["name"]);
}

#[tokio::test]
async fn a_truncated_object_is_an_error() {
    let cut = TOOL_CALL.replace(r#""stop_reason":"tool_use""#, r#""stop_reason":"max_tokens""#);
    let server = ModelServer::start([events([cut])]).await;
    let (completed, _) =
        ask(&server.anthropic(), &question_with(json!({ "type": "object" }))).await;
    assert!(
        matches!(completed, Err(ModelError::Truncated { max_tokens: 100, .. })),
        "{completed:?}"
    );
}

#[tokio::test]
async fn a_truncated_text_is_marked() {
    let cut = ANSWER.replace("end_turn", "max_tokens");
    let server = ModelServer::start([events([cut])]).await;
    let (completed, _) = ask(&server.anthropic(), &question()).await;
    assert!(completed.unwrap().truncated);
}

#[tokio::test]
async fn a_model_may_decline() {
    let declined = ANSWER.replace("end_turn", "refusal");
    let server = ModelServer::start([events([declined])]).await;
    let (completed, _) = ask(&server.anthropic(), &question()).await;
    assert!(matches!(completed, Err(ModelError::Declined { .. })), "{completed:?}");
}

const OVERLOADED: &str = "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\
                          \"message\":\"Overloaded\"}}\n\n";

#[tokio::test]
async fn overload_within_the_stream_is_retried_before_the_first_piece() {
    let server = ModelServer::start([events([OVERLOADED]), events([ANSWER])]).await;
    let (completed, pieces) = ask(&server.anthropic(), &question()).await;
    assert_eq!(completed.unwrap().text, pieces.concat());
    assert_eq!(server.received().len(), 2);
}

#[tokio::test]
async fn overload_after_the_first_piece_is_not_retried() {
    let begin = &ANSWER[..ANSWER.find("event: message_delta").unwrap()];
    let server = ModelServer::start([events([begin, OVERLOADED]), events([ANSWER])]).await;
    let (completed, pieces) = ask(&server.anthropic(), &question()).await;
    assert!(matches!(completed, Err(ModelError::ServerError { status: 529, .. })), "{completed:?}");
    assert_eq!(pieces.concat(), "Röd: 赤!");
    assert_eq!(server.received().len(), 1);
}
