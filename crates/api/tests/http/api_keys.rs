//! Keys of machines.

use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::TraceId;
use serde_json::{Value, json};
use sqlx::Row;
use testkit::{Response, TestApp, TestSettings, TestTenant};

const HERE: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

async fn make_key(app: &TestApp, tenant: &TestTenant, role: &str) -> Response {
    let body = json!({"name": "scanner", "role": role});
    app.post("/v1/api-keys", body).bearer(&tenant.admin_token).send().await
}

#[tokio::test]
async fn a_key_is_shown_once_and_works_with_its_role() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = make_key(&app, &acme, "auditor").await;
    assert_eq!(made.status, StatusCode::CREATED);
    let key = made.body["key"].as_str().unwrap();
    assert!(key.starts_with("dk_") && key.len() == 58, "{key}");
    assert_eq!(made.body["prefix"], key[..15]);

    let me = app.get("/v1/me").bearer(key).send().await.body;
    assert_eq!(me["kind"], "api_key");
    assert_eq!(me["role"], "auditor");
    assert_eq!(app.get("/v1/audit").bearer(key).send().await.status, StatusCode::OK);
    assert_eq!(app.get("/v1/users").bearer(key).send().await.status, StatusCode::FORBIDDEN);

    let list = app.get("/v1/api-keys").bearer(&acme.admin_token).send().await;
    assert_eq!(list.body["items"][0].get("key"), None);
}

#[tokio::test]
async fn the_database_holds_no_key() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let key = make_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
    let secret = key[15..].to_owned();
    let mut superuser = app.database.superuser().await;
    let rows = sqlx::query(
        "SELECT row_to_json(k)::text AS row FROM api_keys k UNION ALL \
                            SELECT row_to_json(a)::text FROM audit_log a",
    )
    .fetch_all(&mut superuser)
    .await
    .unwrap();
    assert!(rows.len() > 1);
    for row in rows {
        assert!(!row.get::<String, _>("row").contains(&secret));
    }
}

#[tokio::test]
async fn a_revoked_key_is_refused_here_at_once_and_elsewhere_soon() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = make_key(&app, &acme, "user").await.body;
    let key = made["key"].as_str().unwrap();
    let elsewhere = app.another_process().await;
    assert!(elsewhere.authenticate(key, HERE, TraceId(1)).await.is_ok());

    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    for _ in 0..2 {
        let revoked = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
        assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    }
    assert_eq!(app.get("/v1/me").bearer(key).send().await.status, StatusCode::UNAUTHORIZED);
    elsewhere.do_housekeeping().await.unwrap();
    assert!(elsewhere.authenticate(key, HERE, TraceId(1)).await.is_err());

    let log = app.get("/v1/audit?action=API_KEY_REVOKED").bearer(&acme.admin_token).send().await;
    assert_eq!(log.body["items"].as_array().unwrap().len(), 1, "revoked twice, recorded once");
}

#[tokio::test]
async fn the_last_use_is_written_down_by_and_by() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = make_key(&app, &acme, "user").await.body;
    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let last_used =
        async || app.get(&path).bearer(&acme.admin_token).send().await.body["last_used_at"].clone();
    assert_eq!(last_used().await, Value::Null);
    app.clock.advance(Duration::seconds(10));
    app.get("/v1/me").bearer(made["key"].as_str().unwrap()).send().await;
    app.ops.do_housekeeping().await.unwrap();
    assert_eq!(last_used().await, "2026-02-15T12:00:10Z");
}

#[tokio::test]
async fn a_key_with_a_wrong_secret_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let key = make_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
    let wrong = format!("{}{}", &key[..15], "A".repeat(43));
    assert_eq!(app.get("/v1/me").bearer(&wrong).send().await.status, StatusCode::UNAUTHORIZED);
    let odd = "dk_ä".repeat(10);
    assert!(app.ops.authenticate(&odd, HERE, TraceId(1)).await.is_err());
}

#[tokio::test]
async fn inventing_keys_is_slowed_down_and_known_keys_are_not() {
    let mut settings = TestSettings::default();
    settings.ops.unknown_keys_per_minute = 3.try_into().unwrap();
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    let key = make_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
    assert_eq!(app.get("/v1/me").bearer(&key).send().await.status, StatusCode::OK);
    let invented = |number: u32| format!("dk_{number:055}");
    for number in 0..2 {
        let answer = app.get("/v1/me").bearer(&invented(number)).send().await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED);
    }
    let answer = app.get("/v1/me").bearer(&invented(3)).send().await;
    assert_eq!(answer.status, StatusCode::TOO_MANY_REQUESTS);
    assert!(answer.header("retry-after").is_some());
    assert_eq!(app.get("/v1/me").bearer(&key).send().await.status, StatusCode::OK);
}
