//! What one tenant, one body and one request may take.

use std::num::NonZeroU32;

use axum::http::{Method, StatusCode};
use chrono::Duration;
use serde_json::json;
use testkit::{TestApp, TestSettings};

#[tokio::test]
async fn a_tenant_that_asks_too_much_is_told_to_wait_and_others_are_not() {
    let mut settings = TestSettings::default();
    settings.api.rate_limit_per_second = NonZeroU32::new(2).unwrap();
    settings.api.rate_limit_burst = NonZeroU32::new(3).unwrap();
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    let me = async |token: &str| app.get("/v1/me").bearer(token).send().await;
    for _ in 0..3 {
        assert_eq!(me(&acme.admin_token).await.status, StatusCode::OK);
    }
    let refused = me(&acme.admin_token).await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.code(), "rate_limited");
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(refused.header("ratelimit-limit"), Some("3"));
    assert_eq!(refused.header("ratelimit-remaining"), Some("0"));
    assert_eq!(me(&other.admin_token).await.status, StatusCode::OK);
    app.clock.advance(Duration::milliseconds(500));
    assert_eq!(me(&acme.admin_token).await.status, StatusCode::OK);
    assert_eq!(me(&acme.admin_token).await.status, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let body = json!({"name": "x".repeat(70_000), "role": "user"});
    let refused = app.post("/v1/api-keys", body).bearer(&acme.admin_token).send().await;
    assert_eq!((refused.status, refused.code()), (StatusCode::PAYLOAD_TOO_LARGE, "too_large"));
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let mut settings = TestSettings::default();
    settings.api.request_timeout = std::time::Duration::ZERO;
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    // Somebody holds what the answer needs: it cannot be quicker than no time at all.
    let mut holder = app.database.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE users").execute(&mut holder).await.unwrap();
    let late = app.request(Method::GET, "/v1/users").bearer(&acme.admin_token).send().await;
    assert_eq!((late.status, late.code()), (StatusCode::SERVICE_UNAVAILABLE, "unavailable"));
}

#[tokio::test]
async fn without_authentication_only_requests_to_this_machine_are_answered() {
    let mut settings = TestSettings::default();
    settings.api.everybody_is = Some(domain::Caller {
        actor: domain::Actor::User(domain::UserId(uuid::Uuid::from_u128(7))),
        ..domain::Caller::system(domain::TenantId(uuid::Uuid::from_u128(1)))
    });
    let app = TestApp::start_with(settings).await;
    let to = async |host: &str| app.get("/v1/me").header("host", host).send().await.status;
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
        assert_eq!(to(host).await, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "evil.example:8080", "localhost.evil.example", "192.0.2.1:80"] {
        assert_eq!(to(host).await, StatusCode::FORBIDDEN, "{host}");
    }
}
