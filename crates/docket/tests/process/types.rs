//! `docket types`

use std::fs;

use crate::support::{DataFolder, Docket, Person};

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
    let refused = ada.types(["types", "put", path]).finish().await.failed_with(2);
    assert!(refused.contains("fields[0].patterns[0]"), "{refused}");

    ada.sees(["types", "withdraw", "delivery_note"]).await;
    let gone = ada.types(["types", "show", "delivery_note"]).finish().await.failed_with(1);
    assert!(gone.contains("This document type does not exist"), "{gone}");
    let odd = ada.types(["types", "show", "../users"]).finish().await.failed_with(1);
    assert!(odd.contains("is not the name of a document type"), "{odd}");
    server.stop().await.succeeded();
}
