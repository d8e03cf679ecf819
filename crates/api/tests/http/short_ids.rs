//! Ids by their last digits.

use axum::http::StatusCode;
use domain::Role;
use serde_json::{Value, json};
use testkit::TestApp;

use crate::jobs::{kill_all, queue_run};

async fn find(app: &TestApp, token: &str, digits: &str) -> Value {
    app.get(&format!("/v1/ids/{digits}")).bearer(token).send().await.body
}

#[tokio::test]
async fn the_last_digits_of_an_id_find_what_it_names() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let token = &acme.admin_token;
    let batch = app.post("/v1/batches", json!({"name": "march"})).bearer(token).send().await.body;
    let document = app.upload("a.txt", "a").bearer(token).send().await.body;
    let (_, job_id) = queue_run(&app, &acme).await;
    kill_all(&app).await;
    let cases = [
        ("documents", document["doc_id"].clone()),
        ("runs", document["run_id"].clone()),
        ("batches", batch["batch_id"].clone()),
        ("jobs", json!(job_id)),
    ];
    for (kind, id) in cases {
        let id = id.as_str().unwrap();
        for digits in [id, &id[24..], &id[19..].to_uppercase()] {
            let found = find(&app, token, digits).await;
            let ids = found[kind].as_array().unwrap();
            assert!(ids.contains(&json!(id)), "{kind} {digits}: {found}");
            assert_eq!(found["is_complete"], true);
        }
    }
}

#[tokio::test]
async fn ids_of_what_the_caller_does_not_see_are_not_found() {
    let app = TestApp::start().await;
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let (_, user) = app.user(&acme, Role::User).await;
    let document = app.upload("a.txt", "a").bearer(&acme.admin_token).send().await.body;
    let (_, job_id) = queue_run(&app, &acme).await;
    kill_all(&app).await;
    let status = async |token: &str, id: &str| {
        app.get(&format!("/v1/ids/{}", &id[20..])).bearer(token).send().await.status
    };
    let doc_id = document["doc_id"].as_str().unwrap();
    assert_eq!(status(&acme.admin_token, doc_id).await, StatusCode::OK);
    for token in [&user, &other.admin_token] {
        for id in [doc_id, document["run_id"].as_str().unwrap(), &job_id.to_string()] {
            assert_eq!(status(token, id).await, StatusCode::NOT_FOUND, "{id}");
        }
    }
    let deleted = format!("/v1/documents/{doc_id}");
    let deleted = app.request(axum::http::Method::DELETE, &deleted).bearer(&acme.admin_token);
    assert_eq!(deleted.send().await.status, StatusCode::NO_CONTENT);
    assert_eq!(status(&acme.admin_token, doc_id).await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn many_ids_with_the_same_end_are_not_all_listed() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let token = &acme.admin_token;
    let first = app.post("/v1/batches", json!({})).bearer(token).send().await.body;
    let mut superuser = app.database.superuser().await;
    sqlx::query(
        "INSERT INTO batches (batch_id, tenant_id, owner, status, dedupe, created_at, updated_at)
         SELECT (substr(md5(n::text), 1, 28) || 'cafe')::uuid, tenant_id, owner, status, dedupe, created_at, updated_at
         FROM batches, generate_series(1, 60) AS n WHERE batch_id = $1::uuid",
    )
    .bind(first["batch_id"].as_str().unwrap())
    .execute(&mut superuser)
    .await
    .unwrap();
    let found = find(&app, token, "cafe").await;
    assert_eq!(found["is_complete"], false);
    assert_eq!(found["batches"].as_array().unwrap().len(), 50);
}

#[tokio::test]
async fn what_is_no_end_of_an_id_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for digits in ["abc", "march", "0199a2c4-7f3a-7cc1-8a52-5d1f0c3b9e21a"] {
        let path = format!("/v1/ids/{digits}");
        let refused = app.get(&path).bearer(&acme.admin_token).send().await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{digits}");
        assert_eq!(refused.body["field"], "id");
    }
}
