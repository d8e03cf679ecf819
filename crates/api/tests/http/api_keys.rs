//! API keys.

use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::{Caller, Role, TraceContext};
use ops::RequestedChange;
use serde_json::{Value, json};
use sqlx::Row;
use testkit::{Response, TestApp, TestSettings, TestTenant};

const HERE: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

async fn create_key(app: &TestApp, tenant: &TestTenant, role: &str) -> Response {
    let body = json!({"name": "scanner", "role": role});
    app.post("/v1/api-keys", body).bearer(&tenant.admin_token).send().await
}

#[tokio::test]
async fn a_key_is_shown_once_and_works_with_its_role() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = create_key(&app, &acme, "auditor").await;
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
async fn the_database_contains_no_key() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let key = create_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
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
async fn a_revoked_key_is_refused_here_at_once_and_on_other_servers_soon() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = create_key(&app, &acme, "user").await.body;
    let key = made["key"].as_str().unwrap();
    let elsewhere = app.another_process().await;
    assert!(elsewhere.access.authenticate(key, HERE, TraceContext::new(1)).await.is_ok());

    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    for _ in 0..2 {
        let revoked = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
        assert_eq!(revoked.status, StatusCode::NO_CONTENT);
    }
    assert_eq!(app.get("/v1/me").bearer(key).send().await.status, StatusCode::UNAUTHORIZED);
    elsewhere.operations.do_housekeeping().await.unwrap();
    assert!(elsewhere.access.authenticate(key, HERE, TraceContext::new(1)).await.is_err());

    let log = app.get("/v1/audit?action=API_KEY_REVOKED").bearer(&acme.admin_token).send().await;
    assert_eq!(log.body["items"].as_array().unwrap().len(), 1, "revoked twice, recorded once");
}

#[tokio::test]
async fn housekeeping_records_the_last_use() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = create_key(&app, &acme, "user").await.body;
    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    let last_used =
        async || app.get(&path).bearer(&acme.admin_token).send().await.body["last_used_at"].clone();
    assert_eq!(last_used().await, Value::Null);
    app.clock.advance(Duration::seconds(10));
    app.get("/v1/me").bearer(made["key"].as_str().unwrap()).send().await;
    app.ops.operations.do_housekeeping().await.unwrap();
    assert_eq!(last_used().await, "2026-02-15T12:00:10Z");
}

#[tokio::test]
async fn a_key_with_a_wrong_secret_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let key = create_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
    let wrong = format!("{}{}", &key[..15], "A".repeat(43));
    assert_eq!(app.get("/v1/me").bearer(&wrong).send().await.status, StatusCode::UNAUTHORIZED);
    let odd = "dk_ä".repeat(10);
    assert!(app.ops.access.authenticate(&odd, HERE, TraceContext::new(1)).await.is_err());
}

#[tokio::test]
async fn guessing_keys_is_throttled_and_known_keys_are_not() {
    let mut settings = TestSettings::default();
    settings.ops.unknown_keys_per_minute = 3.try_into().unwrap();
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    let key = create_key(&app, &acme, "user").await.body["key"].as_str().unwrap().to_owned();
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

#[tokio::test]
async fn a_key_is_valid_only_while_its_creator_is_active() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (maker, maker_token) = app.user(&acme, Role::Admin).await;
    let body = json!({"name": "scanner", "role": "admin"});
    let made = app.post("/v1/api-keys", body.clone()).bearer(&maker_token).send().await.body;
    let key = made["key"].as_str().unwrap();
    let creator = json!({"user_id": maker.user_id, "email": maker.email, "is_active": true});
    assert_eq!(made["created_by"], creator);
    // A key that was created with a key has the same creator.
    let second = app.post("/v1/api-keys", body).bearer(key).send().await.body;
    assert_eq!(second["created_by"], creator);
    let keys = [key, second["key"].as_str().unwrap()];

    let elsewhere = app.another_process().await;
    for key in keys {
        assert!(elsewhere.access.authenticate(key, HERE, TraceContext::new(1)).await.is_ok());
        assert_eq!(app.get("/v1/users").bearer(key).send().await.status, StatusCode::OK);
    }
    let admin = Caller::system(acme.tenant.tenant_id);
    app.clock.advance(Duration::seconds(1));
    app.ops.access.deactivate_user(&admin, maker.user_id).await.unwrap();
    elsewhere.operations.do_housekeeping().await.unwrap();
    for key in keys {
        assert_eq!(app.get("/v1/users").bearer(key).send().await.status, StatusCode::UNAUTHORIZED);
        assert!(elsewhere.access.authenticate(key, HERE, TraceContext::new(1)).await.is_err());
    }
    let listed = app.get("/v1/api-keys").bearer(&acme.admin_token).send().await.body;
    assert_eq!(listed["items"][0]["created_by"]["is_active"], false, "{listed}");

    let back = RequestedChange { active: Some(true), ..RequestedChange::default() };
    app.ops.access.update_user(&admin, maker.user_id, back).await.unwrap();
    assert_eq!(app.get("/v1/users").bearer(key).send().await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_key_expires_and_cannot_create_one_that_lives_longer() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let ask_for = async |credential: &str, expires_at: &str| {
        let body = json!({"name": "scanner", "role": "admin", "expires_at": expires_at});
        app.post("/v1/api-keys", body).bearer(credential).send().await
    };
    let late = ask_for(&acme.admin_token, "2026-02-15T12:00:00Z").await;
    assert_eq!((late.status, &late.body["field"]), (StatusCode::BAD_REQUEST, &json!("expires_at")));
    let made = ask_for(&acme.admin_token, "2026-02-15T12:00:50Z").await;
    assert_eq!(made.body["expires_at"], "2026-02-15T12:00:50Z");
    let key = made.body["key"].as_str().unwrap();
    let second = ask_for(key, "2027-01-01T00:00:00Z").await;
    assert_eq!(second.body["expires_at"], "2026-02-15T12:00:50Z", "{second:?}");

    assert_eq!(app.get("/v1/me").bearer(key).send().await.status, StatusCode::OK);
    app.clock.advance(Duration::seconds(50));
    for key in [key, second.body["key"].as_str().unwrap()] {
        assert_eq!(app.get("/v1/me").bearer(key).send().await.status, StatusCode::UNAUTHORIZED);
    }
}

/// As the migration finds them: the creator of a key is a text in its row.
#[tokio::test]
async fn the_migration_finds_the_creators_of_keys() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let first = create_key(&app, &acme, "admin").await.body;
    let body = json!({"name": "scanner", "role": "user"});
    let by_key = app.post("/v1/api-keys", body).bearer(first["key"].as_str().unwrap()).send().await;
    let unknown = create_key(&app, &acme, "user").await.body;
    let mut superuser = app.database.superuser().await;
    sqlx::query("UPDATE api_keys SET created_by_user = NULL")
        .execute(&mut superuser)
        .await
        .unwrap();
    sqlx::query("UPDATE api_keys SET created_by = 'system' WHERE api_key_id = $1::uuid")
        .bind(unknown["api_key_id"].as_str().unwrap())
        .execute(&mut superuser)
        .await
        .unwrap();
    let migration = include_str!("../../../store/migrations/0014_sessions.sql");
    let backfill =
        migration.split(';').find(|statement| statement.contains("WITH RECURSIVE")).unwrap();
    sqlx::raw_sql(backfill).execute(&mut superuser).await.unwrap();

    let listed = app.get("/v1/api-keys").bearer(&acme.admin_token).send().await.body;
    let creators: Vec<&Value> =
        listed["items"].as_array().unwrap().iter().map(|key| &key["created_by"]["email"]).collect();
    let admin = json!("admin@acme.test");
    assert_eq!(creators, [&admin, &admin, &Value::Null], "{listed}");
    let elsewhere = app.another_process().await;
    for made in [&first, &by_key.body, &unknown] {
        let key = made["key"].as_str().unwrap();
        assert!(
            elsewhere.access.authenticate(key, HERE, TraceContext::new(1)).await.is_ok(),
            "{made}"
        );
    }
}
