//! Every error is a problem document with a code, a sentence and a trace id.

use axum::http::{Method, StatusCode};
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn a_problem_document_has_the_servers_trace_id() {
    let app = TestApp::start().await;
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let missing = app
        .get("/v1/nothing")
        .header("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"))
        .send()
        .await;
    assert_eq!(missing.header("content-type"), Some("application/problem+json"));
    let own = missing.body["trace_id"].as_str().unwrap().to_owned();
    assert_ne!(own, trace, "clients do not choose it");
    assert_eq!(missing.header("x-trace-id"), Some(own.as_str()));
    insta::assert_json_snapshot!(missing.body, { ".trace_id" => "[trace]" }, @r#"
    {
      "code": "no_such_route",
      "detail": "There is no such route. See /docs.",
      "status": 404,
      "title": "Not Found",
      "trace_id": "[trace]",
      "type": "about:blank#no_such_route"
    }
    "#);
}

#[tokio::test]
async fn a_wrong_method_lists_the_allowed_ones() {
    let app = TestApp::start().await;
    let wrong = app.request(Method::PUT, "/v1/users").send().await;
    assert_eq!(wrong.status, StatusCode::METHOD_NOT_ALLOWED);
    let allowed = wrong.header("allow").unwrap();
    assert!(allowed.contains("GET") && allowed.contains("POST"), "{allowed}");
}

#[tokio::test]
async fn invalid_json_and_mismatching_json_have_different_errors() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let post = || app.request(Method::POST, "/v1/users").bearer(&acme.admin_token);
    assert_eq!(post().send().await.status, StatusCode::UNSUPPORTED_MEDIA_TYPE);
    let text = post().header("content-type", "text/plain").send().await;
    assert_eq!(text.code(), "unsupported_media_type");
    let broken = post().header("content-type", "application/json").send().await;
    assert_eq!((broken.status, broken.code()), (StatusCode::BAD_REQUEST, "invalid_request"));
    let misfit = post().json(json!([])).send().await;
    assert_eq!(misfit.status, StatusCode::BAD_REQUEST);
    assert_eq!(misfit.body["detail"], "The JSON body must be an object.");
    let detail = broken.body["detail"].as_str().unwrap();
    assert_eq!(detail, "The body is not valid JSON (line 1, column 0).");
}

#[tokio::test]
async fn every_response_has_security_headers() {
    let app = TestApp::start().await;
    for path in ["/v1/me", "/livez", "/docs/", "/"] {
        let answer = app.get(path).send().await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        let policy = answer.header("content-security-policy").unwrap();
        assert!(policy.contains("frame-ancestors 'none'"), "{path}");
    }
}

#[tokio::test]
async fn an_unavailable_database_is_503_with_retry_after() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.ops.store().close().await;
    let away = app.get("/v1/users").bearer(&acme.admin_token).send().await;
    assert_eq!((away.status, away.code()), (StatusCode::SERVICE_UNAVAILABLE, "unavailable"));
    assert_eq!(away.header("retry-after"), Some("2"));
    let ready = app.get("/api/ready").send().await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body["dependencies"][0]["name"], "database");
    // Routes without the database still respond.
    assert_eq!(app.get("/livez").send().await.status, StatusCode::OK);
}
