//! The trace of a caller continues in the jobs of its request.

use axum::http::{Method, StatusCode};
use serde_json::{Value, json};
use testkit::TestApp;

const TRACE: &str = "4bf92f3577b34da6a3ce929d0e0e4736";
const PARENT: &str = "00f067aa0ba902b7";

/// Uploads a document; returns the trace of its job, and the id of the request.
async fn upload(app: &TestApp, header: Option<&str>) -> (Vec<String>, String) {
    let acme = app.tenant("acme").await;
    let request = app.request(Method::POST, "/v1/ingest").bearer(&acme.admin_token);
    let request = match header {
        Some(header) => request.header("traceparent", header),
        None => request,
    };
    let answer = request.file_with(&[], "letter.txt", "Dear Bob").send().await;
    assert_eq!(answer.status, StatusCode::ACCEPTED, "{answer:?}");
    let mut superuser = app.database.superuser().await;
    let trace: String = sqlx::query_scalar("SELECT trace_parent FROM jobs")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    let audited: Vec<Value> =
        sqlx::query_scalar("SELECT to_jsonb(trace_id) FROM audit_log WHERE action = 'JOB_CREATED'")
            .fetch_all(&mut superuser)
            .await
            .unwrap();
    let request_id = answer.header("x-trace-id").unwrap().to_owned();
    assert_eq!(audited, [json!(request_id)]);
    (trace.split('-').map(str::to_owned).collect(), request_id)
}

#[tokio::test]
async fn a_job_continues_the_trace_of_the_caller_with_its_sampling() {
    for flags in ["00", "01"] {
        let app = TestApp::start().await;
        let header = format!("00-{TRACE}-{PARENT}-{flags}");
        let (trace, request_id) = upload(&app, Some(&header)).await;
        assert_eq!((trace[1].as_str(), trace[3].as_str()), (TRACE, flags), "{trace:?}");
        assert_ne!(trace[2], PARENT, "the request is a span of its own");
        assert_eq!(request_id, format!("{:0>32}", trace[2]), "and names it in the audit log");
    }
}

#[tokio::test]
async fn without_a_trace_the_request_starts_one() {
    for header in [None, Some("00-nonsense")] {
        let app = TestApp::start().await;
        let (trace, request_id) = upload(&app, header).await;
        assert_eq!((trace[1].as_str(), trace[3].as_str()), (request_id.as_str(), "01"));
    }
}
