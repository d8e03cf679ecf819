//! Fields by a language model, with the settings of an operator, end to end.

use serde_json::{Value, json};

use crate::reading::{library_of, only_document, with_tools};
use crate::support::{Client, DataFolder, Docket, Papers};

const NOTE: &str =
    "Delivery note no DN-4711\nDelivery date 3 April 2026\nNorthwind Ltd greets you.\n";

/// A server that may send documents to the model at this address.
fn serve(folder: &DataFolder, url: &str, key: &str) -> Docket {
    with_tools(Docket::serve(folder))
        .env("DOCKET_LLM_PROVIDER", "openai")
        .env("DOCKET_LLM_URL", url)
        .env("DOCKET_LLM_MODEL", "SmolLM2-135M")
        .env("DOCKET_LLM_API_KEY", key)
        .env("DOCKET_LLM_EXTRACTION", "all")
        .env("DOCKET_LLM_CONTEXT_TOKENS", "1900")
}

async fn add_type(client: &Client) {
    let definition = json!({
        "title": "Delivery note",
        "phrases": { "en": ["delivery note", "delivery date"] },
        "schema": { "type": "object", "properties": {
            "number": { "type": "string" }, "date": { "type": "string" }, "supplier": { "type": "string" },
        } },
        "fields": [
            { "name": "number", "kind": "id", "labels": { "en": ["delivery note no"] } },
            { "name": "date", "kind": "date", "labels": { "en": ["delivery date"] } },
            { "name": "supplier", "kind": "party" },
        ],
    });
    let stored = client.put("/v1/document-types/delivery_note", &definition).await;
    assert!(stored.status < 300, "{stored:?}");
}

/// The result of the note, after its extraction with the model at this address.
async fn extracted(url: &str, key: &str) -> Value {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(serve(&folder, url, key)).await;
    add_type(&client).await;
    let papers = Papers::new();
    papers.with("note.txt", NOTE);
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    ada.sees(["rerun", id, "--type", "delivery_note", "--from", "parse", "--wait"]).await;
    let result = client.get(&format!("/v1/documents/{id}/result")).await;
    assert_eq!(result.status, 200, "{result:?}");
    assert_eq!(only_document(&client).await["status"], "active");
    let stopped = server.stop().await;
    assert_eq!(stopped.code, Some(0), "{stopped:#?}");
    assert!(!stopped.stderr.contains("Northwind"), "the log quotes the document");
    result.body
}

#[tokio::test]
async fn without_an_answer_of_the_model_a_document_is_extracted_by_rules() {
    // Nothing listens there.
    let result = extracted("http://127.0.0.1:9", "none").await;
    assert_eq!(result["fields"]["number"]["value"], "DN-4711", "{result}");
    assert_eq!(result["fields"]["date"]["value"], "2026-04-03", "{result}");
    let warnings = result["warnings"].to_string();
    assert!(warnings.contains("The language model was not available"), "{warnings}");
    assert!(!warnings.contains("127.0.0.1"), "{warnings}");
}

/// The model is small and says what it likes; what it says must be on the page.
#[tokio::test]
#[ignore = "needs a model: make test-llm"]
async fn fields_of_a_real_model_are_on_the_page() {
    let [url, key] =
        ["DOCKET_TEST_LLM_URL", "DOCKET_TEST_LLM_KEY"].map(|name| std::env::var(name).unwrap());
    let result = extracted(&url, &key).await;
    println!("{result:#}");
    assert_eq!(result["fields"]["number"]["value"], "DN-4711", "{result}");
    assert_eq!(result["fields"]["date"]["value"], "2026-04-03", "{result}");
    let warnings = result["warnings"].to_string();
    assert!(!warnings.contains("not available") && !warnings.contains("in time"), "{warnings}");
    for (name, field) in result["fields"].as_object().unwrap() {
        if field["source"] == "language_model" {
            let raw = field["raw"].as_str().unwrap();
            assert!(NOTE.contains(raw), "{name}: {field}");
            assert_eq!(field["status"], "needs_review", "{name}: {field}");
        }
    }
}
