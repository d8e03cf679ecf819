//! Who may read the metrics.

use api::{Metrics, TrustedProxies};
use axum::http::StatusCode;
use testkit::{TestApp, TestSettings};

fn settings(is_public: bool) -> TestSettings {
    let mut settings = TestSettings::default();
    settings.api.metrics = Metrics::new(is_public, || "docket_pages_total 7\n".to_owned());
    settings
}

#[tokio::test]
async fn metrics_are_readable_from_this_machine() {
    let app = TestApp::start_with(settings(false)).await;
    let here = app.get("/metrics").from_address([127, 0, 0, 1].into()).send().await;
    assert_eq!(here.status, StatusCode::OK);
    let elsewhere = app.get("/metrics").from_address([10, 0, 0, 7].into()).send().await;
    assert_eq!((elsewhere.status, elsewhere.code()), (StatusCode::NOT_FOUND, "not_found"));
    assert!(!elsewhere.body.to_string().contains("docket_pages_total"), "{elsewhere:?}");
}

#[tokio::test]
async fn metrics_are_public_if_configured() {
    let app = TestApp::start_with(settings(true)).await;
    let elsewhere = app.get("/metrics").from_address([10, 0, 0, 7].into()).send().await;
    assert_eq!(elsewhere.status, StatusCode::OK);
}

#[tokio::test]
async fn the_metrics_of_a_worker_are_restricted_too() {
    use axum::body::Body;
    use axum::http::Request;
    use ops::{PausedJobsCache, ReadinessProbe};
    use std::net::SocketAddr;
    use std::sync::Arc;
    use tower::ServiceExt;

    let app = TestApp::start().await;
    let (store, blobs) = (app.ops.store().clone(), app.blobs.clone());
    let readiness_probe = ReadinessProbe {
        store,
        blobs,
        clock: Arc::clone(app.ops.clock()),
        sandbox: None,
        worker: None,
        paused_jobs_cache: PausedJobsCache::default(),
    };
    let router = api::worker_router(readiness_probe, Metrics::new(false, String::new));
    for (from, status) in [("127.0.0.1:9", StatusCode::OK), ("10.0.0.7:9", StatusCode::NOT_FOUND)] {
        let from: SocketAddr = from.parse().unwrap();
        let request = Request::get("/metrics").extension(from).body(Body::empty()).unwrap();
        assert_eq!(router.clone().oneshot(request).await.unwrap().status(), status, "{from}");
    }
}

#[tokio::test]
async fn a_request_through_a_local_proxy_is_not_local() {
    let mut settings = settings(false);
    let trusted = TrustedProxies::new(vec!["10.0.0.1/32".parse().unwrap()]);
    settings.api.metrics = settings.api.metrics.behind(trusted);
    let app = TestApp::start_with(settings).await;
    let read = async |peer: [u8; 4], header: (&str, &str)| {
        app.get("/metrics").from_address(peer.into()).header(header.0, header.1).send().await.status
    };
    let here = [127, 0, 0, 1];
    for header in ["x-forwarded-for", "forwarded", "via", "x-real-ip", "x-forwarded-host"] {
        assert_eq!(read(here, (header, "127.0.0.1")).await, StatusCode::NOT_FOUND, "{header}");
    }
    let through = |client| ("x-forwarded-for", client);
    assert_eq!(read([10, 0, 0, 1], through("198.51.100.1")).await, StatusCode::NOT_FOUND);
    assert_eq!(
        read([10, 0, 0, 1], through("127.0.0.1, 198.51.100.1")).await,
        StatusCode::NOT_FOUND
    );
    assert_eq!(read([10, 0, 0, 1], through("127.0.0.1")).await, StatusCode::OK);
    assert_eq!(read([10, 0, 0, 2], through("127.0.0.1")).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_token_permits_reading_metrics_from_any_machine() {
    let mut settings = settings(false);
    let token = Some(domain::Secret::new("a token for prometheus"));
    settings.api.metrics = settings.api.metrics.with_token(token);
    let app = TestApp::start_with(settings).await;
    let read = async |token: &str| {
        app.get("/metrics").from_address([10, 0, 0, 7].into()).bearer(token).send().await.status
    };
    assert_eq!(read("a token for prometheus").await, StatusCode::OK);
    assert_eq!(read("another token").await, StatusCode::NOT_FOUND);
    assert_eq!(read("").await, StatusCode::NOT_FOUND);
}
