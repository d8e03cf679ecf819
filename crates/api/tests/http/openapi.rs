//! The OpenAPI document says what the router does.

use axum::http::{Method, StatusCode};
use serde_json::Value;
use testkit::TestApp;

const METHODS: [Method; 5] =
    [Method::GET, Method::POST, Method::PUT, Method::PATCH, Method::DELETE];

#[tokio::test]
async fn the_document_is_served_and_is_openapi_3_1() {
    let app = TestApp::start().await;
    let served = app.get("/openapi.json").send().await;
    assert_eq!(served.status, StatusCode::OK);
    assert_eq!(served.body["openapi"], "3.1.0");
    assert_eq!(served.body, serde_json::to_value(api::openapi_document()).unwrap());
}

#[tokio::test]
async fn exactly_the_documented_methods_are_served() {
    let app = TestApp::start().await;
    let document = serde_json::to_value(api::openapi_document()).unwrap();
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

#[tokio::test]
async fn every_operation_names_its_problems_and_its_credential() {
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let guarded = operation.get("security").is_some();
            let answers = operation["responses"].as_object().unwrap();
            assert_eq!(
                guarded,
                answers.contains_key("403"),
                "{method} {path}: a guarded route can say 403, an open one cannot"
            );
            for (status, answer) in answers.iter().filter(|(status, _)| status.as_str() >= "400") {
                let is_health = path.ends_with("ready") || path.ends_with("readyz");
                let kind = if is_health { "application/json" } else { "application/problem+json" };
                assert!(
                    answer["content"].get(kind).is_some_and(Value::is_object),
                    "{method} {path} {status} is no problem document"
                );
            }
        }
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
}
