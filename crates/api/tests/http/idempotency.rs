//! `Idempotency-Key`: a repeated request takes effect once.

use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::Role;
use serde_json::{Value, json};
use testkit::{Response, TestApp};

fn ada() -> Value {
    json!({"email": "ada@acme.test", "password": "correct horse", "role": "user"})
}

async fn create(app: &TestApp, token: &str, key: &str, body: Value) -> Response {
    app.post("/v1/users", body).bearer(token).header("idempotency-key", key).send().await
}

#[tokio::test]
async fn a_repeated_request_gets_the_same_response_and_changes_nothing() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let first = create(&app, &acme.admin_token, "k1", ada()).await;
    app.clock.advance(Duration::minutes(1));
    let second = create(&app, &acme.admin_token, "k1", ada()).await;
    assert_eq!(first.status, StatusCode::CREATED);
    assert_eq!(first.header("idempotent-replayed"), None);
    assert_eq!(second.status, StatusCode::CREATED);
    assert_eq!(second.header("idempotent-replayed"), Some("true"));
    assert_eq!(second.header("location"), first.header("location"));
    assert_eq!(second.body, first.body);
    let log = app.get("/v1/audit?action=USER_CREATED").bearer(&acme.admin_token).send().await;
    let created = log.body["items"].as_array().unwrap().len();
    assert_eq!(created, 2, "the administrator, and ada once");
}

#[tokio::test]
async fn a_key_with_another_body_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    create(&app, &acme.admin_token, "k1", ada()).await;
    let mut other = ada();
    other["email"] = json!("bob@acme.test");
    let refused = create(&app, &acme.admin_token, "k1", other).await;
    assert_eq!(refused.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(refused.code(), "idempotency_key_reused");
}

#[tokio::test]
async fn concurrent_requests_with_one_key_create_one_user() {
    let app = std::sync::Arc::new(TestApp::start().await);
    let acme = std::sync::Arc::new(app.tenant("acme").await);
    let attempts: Vec<_> = (0..16)
        .map(|_| {
            let (app, acme) = (app.clone(), acme.clone());
            tokio::spawn(async move { create(&app, &acme.admin_token, "k1", ada()).await })
        })
        .collect();
    let mut fresh = 0;
    for attempt in attempts {
        let answer = attempt.await.unwrap();
        match (answer.status, answer.header("idempotent-replayed")) {
            (StatusCode::CREATED, None) => fresh += 1,
            (StatusCode::CREATED, Some("true")) => {}
            (StatusCode::CONFLICT, _) => assert_eq!(answer.code(), "idempotency_in_progress"),
            other => panic!("{other:?} {}", answer.body),
        }
    }
    assert_eq!(fresh, 1);
}

#[tokio::test]
async fn a_key_belongs_to_its_caller() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (_, second_admin) = app.user(&acme, Role::Admin).await;
    create(&app, &acme.admin_token, "k1", ada()).await;
    let other = create(&app, &second_admin, "k1", ada()).await;
    assert_eq!(other.code(), "email_taken", "not the response to the other caller");
}

#[tokio::test]
async fn a_failed_request_releases_the_key() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let mut taken = ada();
    taken["email"] = json!("admin@acme.test");
    assert_eq!(create(&app, &acme.admin_token, "k1", taken).await.code(), "email_taken");
    let fixed = create(&app, &acme.admin_token, "k1", ada()).await;
    assert_eq!(fixed.status, StatusCode::CREATED);
}

#[tokio::test]
async fn a_key_expires_after_a_day() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    create(&app, &acme.admin_token, "k1", ada()).await;
    app.clock.advance(Duration::hours(25));
    app.ops.operations.do_housekeeping().await.unwrap();
    let token = app.login("admin@acme.test").await;
    assert_eq!(create(&app, &token, "k1", ada()).await.code(), "email_taken");
    let mut superuser = app.database.superuser().await;
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM idempotency_keys")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    assert_eq!(left, 0);
}

#[tokio::test]
async fn an_invalid_key_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for key in ["", "two words", &"x".repeat(256)] {
        let refused = create(&app, &acme.admin_token, key, ada()).await;
        assert_eq!(refused.code(), "invalid_request", "{key:?}");
    }
}

#[tokio::test]
async fn each_file_of_a_batch_upload_takes_effect_once() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let batch = app.post("/v1/batches", json!({})).bearer(&acme.admin_token).send().await.body;
    let path = format!("/v1/batches/{}/documents", batch["batch_id"].as_str().unwrap());
    let send = |files: [(&'static str, &'static [u8]); 2]| {
        app.request(Method::POST, &path)
            .bearer(&acme.admin_token)
            .header("idempotency-key", "k1")
            .files(files)
            .send()
    };
    let first = send([("a.txt", b"one"), ("b.txt", b"two")]).await;
    assert_eq!((first.status, first.header("idempotent-replayed")), (StatusCode::ACCEPTED, None));
    let again = send([("a.txt", b"one"), ("b.txt", b"two")]).await;
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.body, first.body);
    let other = send([("a.txt", b"one"), ("c.txt", b"three")]).await;
    assert_eq!(other.body["files"][1]["problem"]["code"], "idempotency_key_reused", "{other:?}");
    let batch = app.get(path.trim_end_matches("/documents")).bearer(&acme.admin_token);
    assert_eq!(batch.send().await.body["counts"]["offered"], 2);
}
