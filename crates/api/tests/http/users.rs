//! Managing users.

use axum::http::{Method, StatusCode};
use domain::Role;
use serde_json::{Value, json};
use testkit::TestApp;

#[tokio::test]
async fn an_admin_adds_a_user_who_can_sign_in() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let body = json!({"email": "ada@acme.test", "password": "correct horse", "role": "reviewer"});
    let created = app.post("/v1/users", body).bearer(&acme.admin_token).send().await;
    assert_eq!(created.status, StatusCode::CREATED);
    let id = created.body["user_id"].as_str().unwrap();
    assert_eq!(created.header("location"), Some(format!("/v1/users/{id}").as_str()));
    assert_eq!(
        created.body,
        json!({
            "user_id": id,
            "tenant_id": acme.tenant.tenant_id,
            "email": "ada@acme.test",
            "role": "reviewer",
            "active": true,
            "created_at": "2026-02-15T12:00:00Z",
            "updated_at": "2026-02-15T12:00:00Z",
        })
    );
    app.login("ada@acme.test").await;
}

#[tokio::test]
async fn an_email_address_is_unique_across_tenants() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.tenant("other").await;
    let body = json!({"email": "ADMIN@other.test", "password": "correct horse", "role": "user"});
    let refused = app.post("/v1/users", body).bearer(&acme.admin_token).send().await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert_eq!(refused.code(), "email_taken");
}

#[tokio::test]
async fn invalid_users_are_refused_with_the_field() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let attempt = async |body: Value| {
        let answer = app.post("/v1/users", body).bearer(&acme.admin_token).send().await;
        (answer.status.as_u16(), answer.body["field"].clone(), answer.body["detail"].clone())
    };
    assert_eq!(
        attempt(json!({"email": "ada", "password": "correct horse", "role": "user"})).await,
        (
            400,
            json!("email"),
            json!("'ada' is not an email address; write one like name@example.com")
        )
    );
    assert_eq!(
        attempt(json!({"email": "a@b.c", "password": "short", "role": "user"})).await,
        (400, json!("password"), json!("the password is too short; use at least 8 characters"))
    );
    let (status, _, detail) =
        attempt(json!({"email": "a@b.c", "password": "correct horse", "role": "king"})).await;
    assert_eq!(status, 400);
    assert!(detail.as_str().unwrap().starts_with("role must be one of admin, "));
    let (status, _, detail) =
        attempt(json!({"email": "a@b.c", "password": "correct horse", "role": "user", "x": 1}))
            .await;
    assert_eq!(status, 400);
    assert!(detail.as_str().unwrap().contains("Unknown field x. Known: "));
}

#[tokio::test]
async fn an_empty_change_does_not_end_sessions() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let path = format!("/v1/users/{}", acme.admin.user_id);
    let same = app.request(Method::PATCH, &path).json(json!({})).bearer(&acme.admin_token);
    assert_eq!(same.send().await.status, StatusCode::OK);
    assert_eq!(app.get("/v1/me").bearer(&acme.admin_token).send().await.status, StatusCode::OK);
}

#[tokio::test]
async fn the_last_administrator_cannot_be_removed() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let path = format!("/v1/users/{}", acme.admin.user_id);
    let away = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    assert_eq!((away.status, away.code()), (StatusCode::CONFLICT, "last_admin"));
    let demoted = app.request(Method::PATCH, &path).json(json!({"role": "user"}));
    assert_eq!(demoted.bearer(&acme.admin_token).send().await.code(), "last_admin");

    app.user(&acme, Role::Admin).await;
    let away = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    assert_eq!(away.status, StatusCode::NO_CONTENT);
}

#[tokio::test]
async fn two_administrators_cannot_remove_each_other_concurrently() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (second, second_token) = app.user(&acme, Role::Admin).await;
    let remove = async |id: domain::UserId, token: &str| {
        app.request(Method::DELETE, &format!("/v1/users/{id}")).bearer(token).send().await.status
    };
    let (one, other) = tokio::join!(
        remove(second.user_id, &acme.admin_token),
        remove(acme.admin.user_id, &second_token)
    );
    let removed = [one, other].iter().filter(|status| status.is_success()).count();
    assert_eq!(removed, 1, "{one} {other}");
}

#[tokio::test]
async fn a_list_is_read_page_by_page_and_by_cursor() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for _ in 0..4 {
        app.user(&acme, Role::User).await;
    }
    let read = async |query: &str| {
        app.get(&format!("/v1/users?{query}")).bearer(&acme.admin_token).send().await.body
    };
    let emails = |page: &Value| -> Vec<String> {
        let items = page["items"].as_array().unwrap();
        items.iter().map(|user| user["email"].as_str().unwrap().to_owned()).collect()
    };
    let all = emails(&read("limit=100").await);
    assert_eq!(all.len(), 5);
    let first = read("limit=2").await;
    assert_eq!(emails(&first), all[..2]);
    let second = read(&format!("limit=2&cursor={}", first["next_cursor"].as_str().unwrap())).await;
    assert_eq!(emails(&second), all[2..4]);
    let third = read("limit=2&page=3").await;
    assert_eq!(emails(&third), all[4..]);
    assert_eq!(third["next_cursor"], Value::Null);
    for query in ["limit=0", "limit=101", "page=0", "cursor=x", "limit=-1", "nonsense=1"] {
        assert_eq!(read(query).await["code"], "invalid_request", "{query}");
    }
}
