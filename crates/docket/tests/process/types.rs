//! `docket types`

use std::fs;

use serde_json::json;

use crate::reading::{library_of, only_document, with_tools};
use crate::support::{DataFolder, Docket, Papers, Person};

const DELIVERY_NOTE: &str = r#"{
  "name": "delivery_note",
  "title": "Delivery note",
  "schema": {"type": "object", "properties": {"number": {"type": "string"}}},
  "fields": [{"name": "number", "kind": "id", "patterns": ["DN-[0-9]+"]}]
}"#;

#[tokio::test]
async fn a_definition_is_checked_without_a_server() {
    let ada = Person::new();
    let file = ada.home.path().join("type.json");
    let path = file.to_str().unwrap();
    fs::write(&file, DELIVERY_NOTE).unwrap();
    let valid = ada.sees(["types", "check", path]).await;
    assert_eq!(valid, format!("{path} is valid: delivery_note with 1 fields\n"));

    fs::write(&file, DELIVERY_NOTE.replace("DN-[0-9]+", "(?=a)").replace("_note", "-note"))
        .unwrap();
    let refused = ada.types(["types", "check", path]).finish().await;
    assert_eq!(refused.code, Some(1));
    let problems = refused.stderr;
    assert!(problems.contains("name: must begin with a lower-case letter"), "{problems}");
    assert!(problems.contains("fields[0].patterns[0]: look-around"), "{problems}");

    fs::write(&file, DELIVERY_NOTE.replace("\"id\"", "\"colour\"")).unwrap();
    let problems = ada.types(["types", "check", path]).finish().await.failed_with(1);
    assert!(problems.contains("unknown variant 'colour'"), "{problems}");
}

#[tokio::test]
async fn types_are_listed_shown_changed_and_withdrawn() {
    let folder = DataFolder::new();
    let server = Docket::serve(&folder).without_workers().start().await;
    let ada = Person::new();
    ada.signs_in(&server).await;
    let listed = ada.sees(["types", "list"]).await;
    assert!(listed.contains("\ninvoice"), "{listed}");

    let file = ada.home.path().join("type.json");
    let path = file.to_str().unwrap();
    fs::write(&file, DELIVERY_NOTE).unwrap();
    assert_eq!(ada.sees(["types", "put", path]).await, "delivery_note has version 1\n");
    assert_eq!(ada.sees(["types", "put", path]).await, "delivery_note has version 1\n");
    let shown = ada.sees(["types", "show", "delivery_note"]).await;
    fs::write(&file, shown.replace("Delivery note", "Delivery")).unwrap();
    assert_eq!(ada.sees(["types", "put", path]).await, "delivery_note has version 2\n");
    let first = ada.reads(["types", "show", "delivery_note", "--version", "1"]).await;
    assert_eq!(first["title"], "Delivery note");
    let listed = ada.reads(["types", "list", "--json"]).await;
    let names = listed["items"].as_array().unwrap().iter().map(|item| item["name"].as_str());
    assert!(names.clone().any(|name| name == Some("delivery_note")), "{listed}");

    fs::write(&file, DELIVERY_NOTE.replace("DN-[0-9]+", "(")).unwrap();
    let refused = ada.types(["types", "put", path]).finish().await;
    assert_eq!(refused.code, Some(2));
    let lines: Vec<&str> = refused.stderr.lines().collect();
    assert_eq!(lines[0], "docket: The document type cannot be used:");
    assert!(lines[1].starts_with("  fields[0].patterns[0]: "), "{lines:?}");
    assert_eq!(lines.len(), 2, "a line for each problem");

    ada.sees(["types", "withdraw", "delivery_note"]).await;
    let gone = ada.types(["types", "show", "delivery_note"]).finish().await.failed_with(1);
    assert!(gone.contains("This document type does not exist"), "{gone}");
    let odd = ada.types(["types", "show", "../users"]).finish().await.failed_with(1);
    assert!(odd.contains("is not the name of a document type"), "{odd}");
    server.stop().await.succeeded();
}

#[tokio::test]
async fn a_type_is_tried_on_a_document_and_nothing_is_stored() {
    let folder = DataFolder::new();
    let (server, ada, client) = library_of(with_tools(Docket::serve(&folder))).await;
    let papers = Papers::new();
    papers.with("note.txt", "Delivery\n\nDelivery number: DN-4711\n\nThank you for your order.");
    ada.sees(["ingest", papers.folder(), "--wait"]).await;
    let document = only_document(&client).await;
    let id = document["doc_id"].as_str().unwrap();
    let results = format!("/v1/documents/{id}/results");
    let before = client.get(&results).await.body;

    let file = ada.home.path().join("type.json");
    let path = file.to_str().unwrap();
    let labelled = r#""kind": "id", "labels": {"en": ["delivery number"]}"#;
    fs::write(&file, DELIVERY_NOTE.replace(r#""kind": "id""#, labelled)).unwrap();
    let tried = ["types", "try", "delivery_note", id, "--definition", path];
    let shown = ada.types(tried).finish().await;
    assert_eq!(shown.code, Some(0), "{shown:?}");
    assert!(shown.stdout.contains("Document type: delivery_note"), "{shown:?}");
    assert!(shown.stdout.contains("DN-4711"), "{shown:?}");
    assert!(shown.stderr.contains("no field of this type was reviewed yet"), "{shown:?}");
    let read = ada.reads(tried.into_iter().chain(["--json"])).await;
    assert_eq!(read["fields"]["number"]["value"], "DN-4711", "{read}");
    assert_eq!(read["fields"]["number"]["page"], 1);
    assert_eq!((&read["type_version"], &read["problems"]), (&json!(null), &json!([])));

    let of_schema = r#""number": {"type": "string", "pattern": "^XX"}"#;
    let strict = fs::read_to_string(&file).unwrap();
    fs::write(&file, strict.replace(r#""number": {"type": "string"}"#, of_schema)).unwrap();
    let strict = ada.reads(tried.into_iter().chain(["--json"])).await;
    assert_eq!(strict["problems"][0]["path"], "number", "{strict}");
    assert_eq!(strict["fields"]["number"]["status"], "needs_review");

    let stored = ada.reads(["types", "try", "generic", id, "--json"]).await;
    assert_eq!((&stored["document_type"], &stored["type_version"]), (&json!("generic"), &json!(0)));
    let unknown = ada.types(["types", "try", "delivery_note", id]).finish().await.failed_with(1);
    assert!(unknown.contains("This document type does not exist"), "nothing was stored: {unknown}");
    assert_eq!(client.get(&results).await.body, before);
    server.stop().await.succeeded();
}
