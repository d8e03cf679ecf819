//! An event stream ends when the follower's access ends.

use axum::body::Body;
use axum::http::{Method, Request, StatusCode};
use chrono::Duration;
use domain::{Caller, Role};
use http_body_util::BodyExt;
use serde_json::json;
use testkit::{TestApp, TestTenant};
use tower::ServiceExt;

/// Opens an event stream.
async fn follow(app: &TestApp, credential: &str) -> Body {
    let request =
        Request::get("/v1/events").header("authorization", format!("Bearer {credential}"));
    let response = app.router().oneshot(request.body(Body::empty()).unwrap()).await.unwrap();
    assert_eq!(response.status(), StatusCode::OK);
    response.into_body()
}

/// The rest of the stream until it ends.
async fn rest_of(stream: Body) -> String {
    let limit = std::time::Duration::from_secs(10);
    let rest = tokio::time::timeout(limit, stream.collect()).await.unwrap();
    String::from_utf8(rest.unwrap().to_bytes().to_vec()).unwrap()
}

async fn start() -> (TestApp, TestTenant) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

async fn trigger_event(app: &TestApp, acme: &TestTenant) {
    let made = app.upload("late.txt", "after the end").bearer(&acme.admin_token).send().await;
    assert_eq!(made.status, StatusCode::ACCEPTED);
}

#[tokio::test]
async fn a_stream_continues_while_its_follower_has_access() {
    let (app, acme) = start().await;
    let (_, token) = app.user(&acme, Role::Viewer).await;
    let mut stream = follow(&app, &token).await;
    app.clock.advance(Duration::seconds(30));
    trigger_event(&app, &acme).await;
    let event = stream.frame().await.unwrap().unwrap().into_data().unwrap();
    assert!(String::from_utf8_lossy(&event).contains("document.queued"), "{event:?}");
}

#[tokio::test]
async fn a_stream_ends_when_its_follower_is_deactivated() {
    let (app, acme) = start().await;
    let (user, token) = app.user(&acme, Role::Viewer).await;
    let stream = follow(&app, &token).await;
    let admin = Caller::system(acme.tenant.tenant_id);
    app.ops.access.deactivate_user(&admin, user.user_id).await.unwrap();
    trigger_event(&app, &acme).await;
    assert!(!rest_of(stream).await.contains("document"), "no later event");
}

#[tokio::test]
async fn a_stream_ends_when_its_follower_signs_out_or_the_token_expires() {
    let (app, acme) = start().await;
    let (_, token) = app.user(&acme, Role::Viewer).await;
    let signed_out = follow(&app, &token).await;
    let out = app.request(Method::POST, "/v1/auth/logout").bearer(&token).send().await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    trigger_event(&app, &acme).await;
    assert!(!rest_of(signed_out).await.contains("document"));

    let expiring = follow(&app, &acme.admin_token).await;
    app.clock.advance(Duration::hours(24));
    app.ops.operations.do_housekeeping().await.unwrap();
    assert!(!rest_of(expiring).await.contains("document"));
}

#[tokio::test]
async fn a_stream_ends_when_its_api_key_ends() {
    let (app, acme) = start().await;
    let (maker, maker_token) = app.user(&acme, Role::Admin).await;
    let new_key = async |expires_at: Option<&str>| {
        let body = json!({"name": "follower", "role": "viewer", "expires_at": expires_at});
        app.post("/v1/api-keys", body).bearer(&maker_token).send().await.body
    };
    let text = |made: &serde_json::Value, name: &str| made[name].as_str().unwrap().to_owned();

    let made = new_key(None).await;
    let revoked = follow(&app, &text(&made, "key")).await;
    let path = format!("/v1/api-keys/{}", text(&made, "api_key_id"));
    app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    assert!(!rest_of(revoked).await.contains("document"));

    let expiring = follow(&app, &text(&new_key(Some("2026-02-15T12:00:30Z")).await, "key")).await;
    app.clock.advance(Duration::seconds(30));
    assert!(!rest_of(expiring).await.contains("document"));

    let orphaned = follow(&app, &text(&new_key(None).await, "key")).await;
    let admin = Caller::system(acme.tenant.tenant_id);
    app.ops.access.deactivate_user(&admin, maker.user_id).await.unwrap();
    assert!(!rest_of(orphaned).await.contains("document"));
}
