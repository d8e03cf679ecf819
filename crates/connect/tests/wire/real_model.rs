//! A real language model on a real server, which `make test-llm` starts.

use std::collections::BTreeSet;
use std::sync::Arc;

use connect::embeddings::Embeddings;
use connect::extraction::FieldModel;
use connect::llm::{Completion, OpenAiCompatible, SchemaFallback};
use connect::{Limits, ModelError, Retries, Service};
use domain::{FieldSource, Secret};
use extraction::parsed::Parsed;
use pages::Span;
use serde_json::{Value, json};

use crate::fields::{
    answering, by_rules, delivery_note, extract, has_the_labelled_values, injected,
};
use crate::server::{ModelServer, NoJitter, ask, question};

/// `scripts/llm` sets the variables.
fn service(limits: Limits) -> Service {
    let [base_url, key] =
        ["DOCKET_TEST_LLM_URL", "DOCKET_TEST_LLM_KEY"].map(|name| std::env::var(name).unwrap());
    Service::new(base_url.parse().unwrap(), "SmolLM2-135M", limits).with_key(Secret::new(key))
}

fn retries() -> Retries {
    Retries::new(Arc::new(NoJitter))
}

fn model() -> OpenAiCompatible {
    OpenAiCompatible::new(service(Limits::COMPLETION), retries()).unwrap()
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn the_model_follows_a_schema() {
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
    assert!(pieces.len() > 1, "it was not streamed");
    assert!(completed.input_tokens.unwrap() > 5);
    assert!((1..=48).contains(&completed.output_tokens.unwrap()));
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn a_token_limit_is_reported() {
    let request = Completion {
        system: String::new(),
        user: "Tell me a long story about a lighthouse.".to_owned(),
        schema: None,
        max_tokens: 5,
    };
    let completed = ask(&model(), &request).await.0.unwrap();
    assert!(completed.truncated, "{completed:?}");
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn a_wrong_key_and_a_wrong_path_are_different_errors() {
    let wrong_key = service(Limits::COMPLETION).with_key(Secret::new("another"));
    let model = OpenAiCompatible::new(wrong_key, retries()).unwrap();
    let error = ask(&model, &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::KeyRefused { .. }), "{error:?}");

    let mut wrong_path = service(Limits::COMPLETION);
    wrong_path.base_url.set_path("/nothing/here");
    let model = OpenAiCompatible::new(wrong_path, retries()).unwrap();
    let error = ask(&model, &question()).await.0.unwrap_err();
    assert!(matches!(error, ModelError::WrongAddress { .. }), "{error:?}");
}

#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn similar_texts_have_similar_vectors() {
    let embeddings = Embeddings::new(service(Limits::EMBEDDING), 576, retries()).unwrap();
    let texts = ["a cat", "a cat", "Invoice 4711 is due on 3 May."];
    let vectors = embeddings.embed_all(&texts).await.unwrap();
    let cosine = |a: usize, b: usize| -> f32 {
        vectors[a].iter().zip(&vectors[b]).map(|(x, y)| x * y).sum()
    };
    println!("same {}, other {}", cosine(0, 1), cosine(0, 2));
    assert!(cosine(0, 1) > 0.999);
    assert!(cosine(0, 2) < cosine(0, 1) - 0.01);
}

/// The model is small: it may choose a wrong value, but only one of the page, and none that a label contradicts.
#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn fields_of_a_real_model_are_values_of_the_page() {
    let page = delivery_note();
    let text = page.text_of(Span::new(0..page.words.len()));
    let model = FieldModel::new(Arc::new(SchemaFallback::new(Arc::new(model()))));
    let alone = extract(&model, &page, Parsed::default()).await.unwrap();
    println!("{}\n{} found, {} dropped", alone.text, alone.grounded.found, alone.grounded.dropped);
    let alone = alone.extraction;
    let mut found = 0;
    for (name, field) in alone.fields.iter().filter(|(_, field)| field.value.is_some()) {
        println!("{name}: {:?} from {:?}", field.value, field.raw);
        assert_eq!(field.source, Some(FieldSource::LanguageModel));
        assert!(text.contains(field.raw.as_deref().unwrap()), "{field:?}");
        found += 1;
    }
    assert!(found > 0, "the model found nothing: {alone:?}");
    has_the_labelled_values(&extract(&model, &page, by_rules(&page)).await.unwrap().extraction);
    let page = injected();
    let obeyed = extract(&model, &page, by_rules(&page)).await.unwrap();
    println!("{}", obeyed.text);
    has_the_labelled_values(&obeyed.extraction);
}

/// The server names the model by its file.
fn without_paths(answer: &str) -> String {
    let short = |piece: &str| match piece.split_once(".gguf\"") {
        Some((_, rest)) => format!("SmolLM2-135M\"{rest}"),
        None => piece.to_owned(),
    };
    answer.split_inclusive("\"model\":\"").map(short).collect()
}

/// Writes what the server sends for the requests of `fields.rs`: `RECORD_ANSWERS=1 make test-llm`.
#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn the_answers_of_the_model_are_recorded() {
    for (name, page) in [("delivery_note", delivery_note()), ("injected", injected())] {
        // A server of our own shows what the client sends.
        let double = ModelServer::start([answering("{}")]).await;
        let client = FieldModel::new(Arc::new(double.openai()));
        extract(&client, &page, Parsed::default()).await.unwrap();
        let request = double.received().remove(0).body;
        let service = service(Limits::EXTRACTION);
        let url = service.base_url.join("/v1/chat/completions").unwrap();
        let key = service.key.unwrap();
        let sent = reqwest::Client::new().post(url).bearer_auth(key.reveal()).json(&request).send();
        let answer = sent.await.unwrap().error_for_status().unwrap().text().await.unwrap();
        assert!(answer.trim_end().ends_with("data: [DONE]"), "{answer}");
        if std::env::var_os("RECORD_ANSWERS").is_some() {
            let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/wire/recorded");
            std::fs::write(format!("{folder}/{name}.sse"), without_paths(&answer)).unwrap();
        }
    }
}
