//! Limits per tenant, per body and per request.

use std::num::NonZeroU32;

use axum::http::{Method, StatusCode};
use chrono::Duration;
use serde_json::json;
use testkit::{TestApp, TestSettings};

#[tokio::test]
async fn the_rate_limit_applies_per_tenant() {
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

/// PostgreSQL cannot store NUL in texts, and a statement with one would fail.
#[tokio::test]
async fn a_nul_in_a_text_is_refused_at_every_route_with_a_json_body() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let document = serde_json::to_value(api::openapi_document()).unwrap();
    let mut routes = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        let concrete = path.replace("{id}", "00000000-0000-0000-0000-000000000001");
        for (method, operation) in item.as_object().unwrap() {
            if operation["requestBody"]["content"].get("application/json").is_none() {
                continue;
            }
            let method: Method = method.to_uppercase().parse().unwrap();
            for body in [json!({"name": "a\0b"}), json!({"deep": [{"a\0": 1}]})] {
                let request = app.request(method.clone(), &concrete).json(body);
                let refused = request.bearer(&acme.admin_token).send().await;
                assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{method} {path}: {refused:?}");
                let detail = refused.body["detail"].as_str().unwrap();
                assert_eq!(
                    detail, "A text contains a NUL character. Remove it.",
                    "{method} {path}"
                );
            }
            routes += 1;
        }
    }
    assert!(routes >= 10, "{routes} routes take JSON");
    let mapping = json!({"schema_mapping": {"field": ["a\0b"]}});
    let refused = app.post("/v1/batches", mapping).bearer(&acme.admin_token).send().await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let harmless = json!({"schema_mapping": {"a \\u0000 written out": "invoice"}});
    let made = app.post("/v1/batches", harmless).bearer(&acme.admin_token).send().await;
    assert_eq!(made.status, StatusCode::CREATED, "{made:?}");
}

#[tokio::test]
async fn a_slow_request_times_out() {
    let mut settings = TestSettings::default();
    settings.api.request_timeout = std::time::Duration::ZERO;
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    // A timeout of zero, so that every request exceeds it.
    let mut holder = app.database.superuser().await;
    sqlx::raw_sql("BEGIN; LOCK TABLE users").execute(&mut holder).await.unwrap();
    let late = app.request(Method::GET, "/v1/users").bearer(&acme.admin_token).send().await;
    assert_eq!((late.status, late.code()), (StatusCode::SERVICE_UNAVAILABLE, "unavailable"));
}

#[tokio::test]
async fn without_authentication_only_requests_to_localhost_are_accepted() {
    let mut settings = TestSettings::default();
    settings.api.development_caller = Some(domain::Caller {
        actor: domain::Actor::User(domain::UserId(uuid::Uuid::from_u128(7))),
        ..domain::Caller::system(domain::TenantId(uuid::Uuid::from_u128(1)))
    });
    let app = TestApp::start_with(settings).await;
    let to = async |host: &str| app.get("/v1/queues").header("host", host).send().await.status;
    for host in ["localhost", "LOCALHOST:8080", "127.0.0.1:8080", "[::1]:8080", "[::1]"] {
        assert_eq!(to(host).await, StatusCode::OK, "{host}");
    }
    for host in ["evil.example", "evil.example:8080", "localhost.evil.example", "192.0.2.1:80"] {
        assert_eq!(to(host).await, StatusCode::FORBIDDEN, "{host}");
    }
    assert_eq!(app.get("/v1/queues").send().await.status, StatusCode::FORBIDDEN, "without a host");
}

/// Browsers send these headers, and pages cannot change them.
#[tokio::test]
async fn without_authentication_requests_of_other_sites_are_refused() {
    let mut settings = TestSettings::default();
    settings.api.development_caller = Some(domain::Caller {
        actor: domain::Actor::User(domain::UserId(uuid::Uuid::from_u128(7))),
        ..domain::Caller::system(domain::TenantId(uuid::Uuid::from_u128(1)))
    });
    let app = TestApp::start_with(settings).await;
    let ask = async |method: Method, path: &str, headers: &[(&str, &str)]| {
        let request = app.request(method, path).header("host", "localhost:8080");
        let request =
            headers.iter().fold(request, |request, (name, value)| request.header(name, value));
        request.send().await.status
    };
    let own: [&[(&str, &str)]; 4] = [
        &[],
        &[("origin", "http://localhost:8080"), ("sec-fetch-site", "same-origin")],
        &[("sec-fetch-site", "none")],
        &[("origin", "https://LOCALHOST:8080")],
    ];
    for headers in own {
        assert_eq!(ask(Method::GET, "/v1/queues", headers).await, StatusCode::OK, "{headers:?}");
    }
    let foreign: [&[(&str, &str)]; 6] = [
        &[("origin", "https://evil.example")],
        &[("origin", "null")],
        &[("origin", "http://localhost:3000")],
        &[("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "same-site")],
        &[("origin", "http://localhost:8080"), ("sec-fetch-site", "cross-site")],
    ];
    let deactivate = "/v1/documents/00000000-0000-0000-0000-000000000001/deactivate";
    for headers in foreign {
        for (method, path) in
            [(Method::GET, "/v1/me"), (Method::POST, deactivate), (Method::POST, "/v1/auth/login")]
        {
            let status = ask(method, path, headers).await;
            assert_eq!(status, StatusCode::FORBIDDEN, "{path} {headers:?}");
        }
    }
}
