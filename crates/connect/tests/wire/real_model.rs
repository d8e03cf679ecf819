//! A real language model behind a real server: `make test-llm` starts it and says where it is.

use std::collections::BTreeSet;
use std::sync::Arc;

use connect::llm::{Completion, OpenAiCompatible};
use connect::{Limits, Patience, Service};
use serde_json::{Value, json};

use crate::server::{NoSpread, ask};

fn model() -> OpenAiCompatible {
    // `scripts/llm` sets it.
    let base_url = std::env::var("DOCKET_TEST_LLM_URL").unwrap();
    let service = Service::new(base_url.parse().unwrap(), "SmolLM2-135M", Limits::COMPLETION);
    OpenAiCompatible::new(service, Patience::new(Arc::new(NoSpread))).unwrap()
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn a_schema_is_kept_to() {
    let schema = json!({
        "type": "object",
        "properties": {
            "supported": { "type": "boolean" },
            "passage": { "enum": ["p1", "p2"] },
            "quotes": { "type": "array", "items": { "type": "string", "maxLength": 40 }, "maxItems": 2 },
        },
        "required": ["supported", "passage", "quotes"],
        "additionalProperties": false,
    });
    let request = Completion {
        system: "Answer from the passages.".to_owned(),
        user: "p1: The invoice is due on 3 May.\np2: The sky is blue.\nWhen is it due?".to_owned(),
        schema: Some(schema),
        max_tokens: 200,
    };
    let (completed, pieces) = ask(&model(), &request).await;
    let completed = completed.unwrap();
    println!("{completed:?}");
    assert_eq!(pieces.concat(), completed.text);
    let answer: Value = serde_json::from_str(&completed.text).unwrap();
    let names: BTreeSet<_> = answer.as_object().unwrap().keys().map(String::as_str).collect();
    assert_eq!(names, BTreeSet::from(["supported", "passage", "quotes"]));
    assert!(answer["supported"].is_boolean());
    assert!(matches!(answer["passage"].as_str(), Some("p1" | "p2")));
    assert!(answer["quotes"].as_array().unwrap().iter().all(Value::is_string));
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn text_is_streamed_and_counted() {
    let request = Completion {
        system: "You are brief.".to_owned(),
        user: "Count from one to ten.".to_owned(),
        schema: None,
        max_tokens: 48,
    };
    let (completed, pieces) = ask(&model(), &request).await;
    let completed = completed.unwrap();
    println!("{} pieces: {completed:?}", pieces.len());
    assert_eq!(pieces.concat(), completed.text);
    assert!(pieces.len() > 1, "it came in one piece");
    assert!(completed.input_tokens.unwrap() > 5);
    assert!((1..=48).contains(&completed.output_tokens.unwrap()));
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn a_token_limit_is_noticed() {
    let request = Completion {
        system: String::new(),
        user: "Tell me a long story about a lighthouse.".to_owned(),
        schema: None,
        max_tokens: 5,
    };
    let completed = ask(&model(), &request).await.0.unwrap();
    assert!(completed.cut_short, "{completed:?}");
}
