//! What a process has counted is for those who run it.

use api::Metrics;
use axum::http::StatusCode;
use testkit::{TestApp, TestSettings};

fn settings(for_everybody: bool) -> TestSettings {
    let mut settings = TestSettings::default();
    settings.api.metrics = Metrics::new(for_everybody, || "docket_pages_total 7\n".to_owned());
    settings
}

#[tokio::test]
async fn metrics_are_for_this_machine() {
    let app = TestApp::start_with(settings(false)).await;
    let here = app.get("/metrics").from_address([127, 0, 0, 1].into()).send().await;
    assert_eq!(here.status, StatusCode::OK);
    let elsewhere = app.get("/metrics").from_address([10, 0, 0, 7].into()).send().await;
    assert_eq!((elsewhere.status, elsewhere.code()), (StatusCode::NOT_FOUND, "not_found"));
    assert!(!elsewhere.body.to_string().contains("docket_pages_total"), "{elsewhere:?}");
}

#[tokio::test]
async fn metrics_are_for_everybody_when_the_operator_says_so() {
    let app = TestApp::start_with(settings(true)).await;
    let elsewhere = app.get("/metrics").from_address([10, 0, 0, 7].into()).send().await;
    assert_eq!(elsewhere.status, StatusCode::OK);
}

#[tokio::test]
async fn a_worker_tells_other_machines_nothing_either() {
    use axum::body::Body;
    use axum::http::Request;
    use ops::Vitals;
    use std::net::SocketAddr;
    use std::sync::Arc;
    use tower::ServiceExt;

    let app = TestApp::start().await;
    let (store, blobs) = (app.ops.store().clone(), app.blobs.clone());
    let vitals = Vitals { store, blobs, clock: Arc::clone(app.ops.clock()), sandbox: None };
    let router = api::worker_router(vitals, Metrics::new(false, String::new));
    for (from, status) in [("127.0.0.1:9", StatusCode::OK), ("10.0.0.7:9", StatusCode::NOT_FOUND)] {
        let from: SocketAddr = from.parse().unwrap();
        let request = Request::get("/metrics").extension(from).body(Body::empty()).unwrap();
        assert_eq!(router.clone().oneshot(request).await.unwrap().status(), status, "{from}");
    }
}
