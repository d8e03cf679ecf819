//! Chat completions.

use std::sync::Arc;

use connect::llm::{Completed, LanguageModel, OpenAiCompatible, SchemaFallback};
use connect::{Limits, ModelError, Service};
use serde_json::json;

use crate::server::{ModelServer, ask, events, question, question_with, with_status};

pub(crate) const ANSWER: &str = r#"data: {"id":"c-1","object":"chat.completion.chunk","created":1,"model":"small","choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}

data: {"id":"c-1","choices":[{"index":0,"delta":{"reasoning_content":"Hm."},"finish_reason":null}]}

data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"Röd: "},"finish_reason":null}]}

data: {"id":"c-1","choices":[{"index":0,"delta":{"content":"赤!"},"finish_reason":null}]}

data: {"id":"c-1","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}

data: {"id":"c-1","choices":[],"usage":{"prompt_tokens":17,"completion_tokens":4,"total_tokens":21}}

data: [DONE]

"#;

/// The answer without its end.
pub(crate) fn beginning() -> &'static str {
    let end = r#"data: {"id":"c-1","choices":[{"index":0,"delta":{},"#;
    ANSWER.split_once(end).unwrap().0
}

#[tokio::test]
async fn text_is_streamed_and_returned_as_a_whole() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let (completed, pieces) = ask(&server.openai(), &question()).await;
    let expected = Completed {
        text: "Röd: 赤!".to_owned(),
        truncated: false,
        input_tokens: Some(17),
        output_tokens: Some(4),
    };
    assert_eq!(completed.unwrap(), expected);
    assert_eq!(pieces, ["Röd: ", "赤!"]);
}

#[tokio::test]
async fn the_request_follows_the_protocol() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let model = server.openai();
    assert_eq!(model.name(), "127.0.0.1/small");
    ask(&model, &question()).await.0.unwrap();

    let request = &server.received()[0];
    assert_eq!(request.path, "/v1/chat/completions");
    assert_eq!(request.header("authorization"), Some("Bearer sk-test-4711"));
    let body = json!({
        "model": "small",
        "messages": [
            { "role": "system", "content": "Be brief." },
            { "role": "user", "content": "What is red?" },
        ],
        "max_tokens": 100,
        "stream": true,
        "stream_options": { "include_usage": true },
    });
    assert_eq!(request.body, body);
}

#[tokio::test]
async fn a_self_hosted_server_needs_no_key() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let base_url = format!("{}/serving/v1", server.address).parse().unwrap();
    let service = Service::new(base_url, "small", Limits::COMPLETION);
    let model = OpenAiCompatible::new(service, server.retries()).unwrap();
    ask(&model, &question()).await.0.unwrap();
    let request = &server.received()[0];
    assert_eq!(request.path, "/serving/v1/chat/completions");
    assert_eq!(request.header("authorization"), None);
}

#[tokio::test]
async fn the_answer_is_the_same_wherever_the_network_splits_it() {
    let cuts = 1..ANSWER.len();
    let in_two = cuts.clone().map(|cut| {
        let (begin, end) = ANSWER.as_bytes().split_at(cut);
        events([begin, end])
    });
    let server = ModelServer::start(in_two).await;
    let model = server.openai();
    for cut in cuts {
        let (completed, pieces) = ask(&model, &question()).await;
        assert_eq!(completed.unwrap().text, "Röd: 赤!", "cut at {cut}");
        assert_eq!(pieces.concat(), "Röd: 赤!", "cut at {cut}");
    }
}

#[tokio::test]
async fn token_counts_may_be_missing() {
    let (begin, end) = ANSWER.split_once("data: {\"id\":\"c-1\",\"choices\":[],").unwrap();
    let rest = end.split_once("\n\n").unwrap().1;
    let server = ModelServer::start([events([begin, rest])]).await;
    let completed = ask(&server.openai(), &question()).await.0.unwrap();
    assert_eq!((completed.input_tokens, completed.output_tokens), (None, None));
    assert_eq!(completed.text, "Röd: 赤!");
}

#[tokio::test]
async fn a_stream_may_close_without_the_final_event() {
    let begin = ANSWER.split_once("data: [DONE]").unwrap().0;
    let server = ModelServer::start([events([begin])]).await;
    let (completed, _) = ask(&server.openai(), &question()).await;
    assert_eq!(completed.unwrap().text, "Röd: 赤!");
}

#[tokio::test]
async fn token_counts_may_follow_the_end() {
    let choice = r#""choices":[{"index":0,"delta":{"content":""},"finish_reason":null}],"usage""#;
    let answer = ANSWER.replace(r#""choices":[],"usage""#, choice).replace("data: [DONE]", "");
    let server = ModelServer::start([events([answer])]).await;
    let completed = ask(&server.openai(), &question()).await.0.unwrap();
    assert_eq!(completed.output_tokens, Some(4));
}

#[tokio::test]
async fn a_schema_becomes_the_response_format() {
    let answer = ANSWER.replace("Röd: ", r#"{\"n\":"#).replace("赤!", "7}");
    let server = ModelServer::start([events([answer])]).await;
    let schema = json!({ "type": "object", "properties": { "n": { "type": "integer" } } });
    let (completed, _) = ask(&server.openai(), &question_with(schema.clone())).await;
    assert_eq!(completed.unwrap().text, r#"{"n":7}"#);
    let format = &server.received()[0].body["response_format"];
    assert_eq!(format["type"], "json_schema");
    assert_eq!(format["json_schema"]["schema"], schema);
    assert_eq!(format["json_schema"]["strict"], true);
    assert!(format["json_schema"]["name"].is_string());
}

#[tokio::test]
async fn a_server_that_ignores_the_schema_is_an_error() {
    let server = ModelServer::start([events([ANSWER])]).await;
    let (completed, _) = ask(&server.openai(), &question_with(json!({ "type": "object" }))).await;
    let error = completed.unwrap_err();
    assert!(matches!(error, ModelError::InvalidResponse { .. }), "{error:?}");
    assert!(error.to_string().contains("schema"), "{error}");
}

#[tokio::test]
async fn the_token_limit_is_reported() {
    let cut = ANSWER.replace(r#""finish_reason":"stop""#, r#""finish_reason":"length""#);
    let server = ModelServer::start([events([cut.clone()]), events([cut])]).await;
    let (text, _) = ask(&server.openai(), &question()).await;
    assert!(text.unwrap().truncated);
    let (object, _) = ask(&server.openai(), &question_with(json!({}))).await;
    assert!(matches!(object, Err(ModelError::Truncated { .. })), "{object:?}");
}

#[tokio::test]
async fn a_model_may_decline_with_a_reason() {
    let refusal = ANSWER.replace(r#""content":"Röd: ""#, r#""refusal":"I would rather not.""#);
    let server = ModelServer::start([events([refusal])]).await;
    let (completed, _) = ask(&server.openai(), &question()).await;
    let error = completed.unwrap_err();
    assert!(matches!(error, ModelError::Declined { .. }), "{error:?}");
    assert!(error.to_string().contains("I would rather not."), "{error}");
}

#[tokio::test]
async fn a_server_that_needs_the_newer_limit_gets_it_from_then_on() {
    let needs_newer = json!({ "error": {
        "message": "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
        "code": "unsupported_parameter",
    } });
    let replies = [with_status(400, needs_newer), events([ANSWER]), events([ANSWER])];
    let server = ModelServer::start(replies).await;
    let model = server.openai();
    for _ in 0..2 {
        ask(&model, &question()).await.0.unwrap();
    }
    let limits = |body: &serde_json::Value| {
        (body.get("max_tokens").is_some(), body.get("max_completion_tokens").is_some())
    };
    let sent: Vec<_> = server.received().iter().map(|request| limits(&request.body)).collect();
    assert_eq!(sent, [(true, false), (false, true), (false, true)]);
}

#[tokio::test]
async fn bounds_are_omitted_after_a_server_refuses_them() {
    let refused = || with_status(400, json!({ "error": { "message": "unknown keyword" } }));
    let answer = || events([ANSWER.replace("Röd: ", "{").replace("赤!", "}")]);
    let server = ModelServer::start([refused(), answer(), answer(), refused(), refused()]).await;
    let model = SchemaFallback::new(Arc::new(server.openai()));
    let schema = json!({
        "type": "object",
        "properties": { "list": {
            "type": "array", "maxItems": 3,
            "items": { "type": "string", "pattern": "^.{1,9}$", "maxLength": 9 },
        } },
    });
    for _ in 0..2 {
        ask(&model, &question_with(schema.clone())).await.0.unwrap();
    }
    let sent: Vec<String> =
        server.received().iter().map(|request| request.body.to_string()).collect();
    let bounds = ["maxItems", "maxLength", "pattern"];
    let is_bounded: Vec<bool> =
        sent.iter().map(|body| bounds.iter().any(|bound| body.contains(bound))).collect();
    assert_eq!(is_bounded, [true, false, false]);
    assert!(sent[1].contains("\"list\""), "{}", sent[1]);

    let other = SchemaFallback::new(Arc::new(server.openai()));
    let error = ask(&other, &question_with(schema)).await.0.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 400, .. }), "{error:?}");
}

#[tokio::test]
async fn an_error_inside_the_stream_has_its_status() {
    let error = r#"data: {"error":{"code":400,"message":"the prompt is too long","type":"x"}}"#;
    let server = ModelServer::start([events([format!("{error}\n\n")])]).await;
    let (completed, _) = ask(&server.openai(), &question()).await;
    let error = completed.unwrap_err();
    assert!(matches!(error, ModelError::Refused { status: 400, .. }), "{error:?}");
    assert!(error.to_string().contains("the prompt is too long"), "{error}");
}
