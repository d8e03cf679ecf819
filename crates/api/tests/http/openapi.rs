//! The OpenAPI document is valid, small, and matches the router.

use std::collections::{BTreeMap, BTreeSet};

use axum::http::{Method, StatusCode};
use serde_json::Value;
use testkit::TestApp;

const METHODS: [Method; 5] =
    [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

/// Tools download and parse it for every generated client.
const MAX_BYTES: usize = 200_000;

fn document() -> Value {
    serde_json::to_value(api::openapi_document()).unwrap()
}

/// Each operation with its method and path.
fn operations(document: &Value) -> impl Iterator<Item = (String, &Value)> {
    document["paths"].as_object().unwrap().iter().flat_map(|(path, item)| {
        let operations = item.as_object().unwrap().iter();
        operations.map(move |(method, operation)| (format!("{method} {path}"), operation))
    })
}

/// What `#/components/…` names.
fn resolve<'a>(document: &'a Value, reference: &str) -> Option<&'a Value> {
    document.pointer(reference.strip_prefix('#')?)
}

fn references<'a>(value: &'a Value, found: &mut BTreeMap<&'a str, usize>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| references(item, found)),
        Value::Object(fields) => {
            for (name, field) in fields {
                match field.as_str() {
                    Some(reference) if name == "$ref" => *found.entry(reference).or_default() += 1,
                    _ => references(field, found),
                }
            }
        }
        _ => {}
    }
}

/// A response of an operation, or the shared one that it refers to.
fn response<'a>(document: &'a Value, given: &'a Value) -> &'a Value {
    let reference = given.get("$ref").and_then(Value::as_str);
    reference.map_or(given, |reference| resolve(document, reference).unwrap())
}

#[tokio::test]
async fn the_document_is_served_and_is_openapi_3_1() {
    let app = TestApp::start().await;
    let served = app.get("/openapi.json").send().await;
    assert_eq!(served.status, StatusCode::OK);
    assert_eq!(served.header("content-type"), Some("application/json"));
    assert_eq!(served.body["openapi"], "3.1.0");
    assert_eq!(served.body, document());
    let size = served.body.to_string().len();
    assert!(size < MAX_BYTES, "{size} bytes");
}

#[tokio::test]
async fn a_cached_document_is_not_sent_again() {
    let app = TestApp::start().await;
    let first = app.get("/openapi.json").send().await;
    let tag = first.header("etag").unwrap();
    assert!(first.header("cache-control").unwrap().contains("max-age="));
    for known in [tag.to_owned(), format!("W/{tag}"), format!("\"other\", {tag}"), "*".to_owned()] {
        let again = app.get("/openapi.json").header("if-none-match", &known).send().await;
        assert_eq!(again.status, StatusCode::NOT_MODIFIED, "{known}");
        assert_eq!(
            (again.body, again.headers.get("etag")),
            (Value::from(""), first.headers.get("etag"))
        );
    }
    let changed = app.get("/openapi.json").header("if-none-match", "\"other\"").send().await;
    assert_eq!(changed.status, StatusCode::OK);
}

#[test]
fn every_reference_resolves_and_every_component_is_used() {
    let document = document();
    let mut found = BTreeMap::new();
    references(&document, &mut found);
    for reference in found.keys() {
        assert!(resolve(&document, reference).is_some(), "{reference} is not in the document");
    }
    for kind in ["schemas", "responses"] {
        for name in document["components"][kind].as_object().unwrap().keys() {
            let reference = format!("#/components/{kind}/{name}");
            assert!(found.contains_key(reference.as_str()), "nothing refers to {reference}");
        }
    }
    // A problem is described once, and shared responses refer to it.
    let problems = found["#/components/schemas/Problem"];
    assert_eq!(problems, document["components"]["responses"].as_object().unwrap().len());
    assert_eq!(document.to_string().matches("Include it when you ask for help").count(), 1);
}

#[test]
fn every_operation_has_its_own_name_a_known_tag_and_described_responses() {
    let document = document();
    let tags: BTreeSet<&str> = document["tags"]
        .as_array()
        .unwrap()
        .iter()
        .filter_map(|tag| tag["name"].as_str())
        .collect();
    let mut names = BTreeSet::new();
    for (place, operation) in operations(&document) {
        let name = operation["operationId"].as_str().unwrap_or_default();
        assert!(!name.is_empty() && names.insert(name), "{place}: operationId {name:?}");
        let summary = operation["summary"].as_str().unwrap_or_default();
        assert!(!summary.is_empty(), "{place} has no summary");
        let used: Vec<&str> =
            operation["tags"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
        assert!(used.len() == 1 && tags.contains(used[0]), "{place}: tags {used:?}");
        for (status, given) in operation["responses"].as_object().unwrap() {
            let text = response(&document, given)["description"].as_str().unwrap_or_default();
            assert!(!text.is_empty(), "{place} {status} has no description");
        }
        for parameter in operation["parameters"].as_array().unwrap_or(&Vec::new()) {
            assert!(
                !parameter["schema"]["type"].is_array(),
                "{place}: {} can be null, which no address and no header can say",
                parameter["name"]
            );
        }
        if let Some(body) = operation["requestBody"]["content"].as_object() {
            for content in body.values() {
                let schema = content["schema"]["$ref"].as_str();
                let schema = schema.and_then(|reference| resolve(&document, reference));
                let has_example = content.get("example").is_some()
                    || schema.is_some_and(|schema| {
                        schema.get("example").is_some()
                            || schema.to_string().contains("\"example\"")
                    });
                assert!(has_example || !is_main_request(name), "{place} has no example");
            }
        }
    }
    let schemes: Vec<&String> =
        document["components"]["securitySchemes"].as_object().unwrap().keys().collect();
    assert_eq!(schemes, ["bearer"]);
    assert_eq!(document["servers"][0]["url"], "/");
}

fn is_main_request(name: &str) -> bool {
    ["login", "ingest", "search", "ask", "create_user", "create_api_key", "create_batch"]
        .contains(&name)
}

#[test]
fn files_are_binary_and_optional_fields_are_not_required() {
    let document = document();
    for (place, operation) in operations(&document) {
        for (status, given) in operation["responses"].as_object().unwrap() {
            let contents = response(&document, given)["content"].as_object();
            for (kind, content) in contents.into_iter().flatten() {
                let is_file = kind.starts_with("image/") || kind == "application/octet-stream";
                let schema = content["schema"]["$ref"].as_str();
                assert_eq!(
                    schema == Some("#/components/schemas/FileContent"),
                    is_file,
                    "{place} {status} {kind}"
                );
            }
        }
    }
    let schemas = &document["components"]["schemas"];
    assert_eq!(schemas["FileContent"]["type"], "string");
    assert_eq!(schemas["FileContent"]["format"], "binary");
    for form in ["UploadForm", "UploadManyForm"] {
        assert_eq!(schemas[form]["required"], serde_json::json!(["file"]), "{form}");
        assert_eq!(schemas[form]["properties"]["title"]["type"], "string", "{form}");
    }
}

#[tokio::test]
async fn exactly_the_documented_methods_are_served() {
    let app = TestApp::start().await;
    let document = document();
    for (path, item) in document["paths"].as_object().unwrap() {
        let concrete = path.replace("{id}", "00000000-0000-0000-0000-000000000001");
        for method in METHODS {
            let documented = item.get(method.as_str().to_lowercase()).is_some();
            let response = app.request(method.clone(), &concrete).send().await;
            let served = !matches!(response.code(), "method_not_allowed" | "no_such_route");
            assert_eq!(served, documented, "{method} {path}: {}", response.status);
        }
    }
}

#[test]
fn every_operation_names_its_problems_and_its_credential() {
    let document = document();
    for (place, operation) in operations(&document) {
        let guarded = operation.get("security").is_some();
        let answers = operation["responses"].as_object().unwrap();
        assert_eq!(
            guarded,
            answers.contains_key("403"),
            "{place}: a guarded route can say 403, an open one cannot"
        );
        for (status, answer) in answers.iter().filter(|(status, _)| status.as_str() >= "400") {
            let is_health = place.ends_with("ready") || place.ends_with("readyz");
            let kind = if is_health { "application/json" } else { "application/problem+json" };
            assert!(
                response(&document, answer)["content"].get(kind).is_some_and(Value::is_object),
                "{place} {status} is no problem document"
            );
        }
        let takes_json = operation["requestBody"]["content"].get("application/json").is_some();
        assert_eq!(takes_json, answers.contains_key("415"), "{place}: 415 is about JSON bodies");
        let takes_form = operation["requestBody"]["content"].get("multipart/form-data").is_some();
        assert_eq!(takes_form, answers.contains_key("408"), "{place}: 408 is about forms");
        assert_eq!(
            takes_json || takes_form,
            answers.contains_key("413"),
            "{place}: 413 is about bodies"
        );
        let names = |name: &str| {
            operation["parameters"].to_string().contains(&format!("\"name\":\"{name}\""))
        };
        let once = names("Idempotency-Key") && !place.contains("/batches/{id}/documents");
        assert_eq!(once, answers.contains_key("422"), "{place}: 422 is about Idempotency-Key");
        let about_one = place.contains('{') || place.ends_with("/metrics");
        assert_eq!(
            about_one,
            answers.contains_key("404"),
            "{place}: 404 is about what an address names"
        );
    }
}

#[tokio::test]
async fn the_documentation_page_loads_nothing_from_elsewhere() {
    let app = TestApp::start().await;
    let page = app.get("/docs/").send().await;
    assert_eq!(page.status, StatusCode::OK);
    assert!(!page.body.to_string().contains("https://"));
    let front = app.get("/").send().await;
    assert_eq!(front.status, StatusCode::OK);
    assert!(front.body.to_string().contains("/docs/"));
    let setup = app.get("/docs/swagger-initializer.js").send().await;
    assert!(setup.body.to_string().contains("/openapi.json"), "the page shows this document");
}
