//! Reading the audit log.

use chrono::Duration;
use domain::Role;
use serde_json::{Value, json};
use testkit::{TestApp, TestTenant};

async fn actions(app: &TestApp, tenant: &TestTenant, query: &str) -> Vec<String> {
    let path = format!("/v1/audit?{query}");
    let log = app.get(&path).bearer(&tenant.admin_token).send().await;
    let items = log.body["items"].as_array().unwrap_or_else(|| panic!("{}", log.body));
    items.iter().map(|row| row["action"].as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn the_log_is_listed_newest_first() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::seconds(1));
    app.user(&acme, Role::User).await;
    app.clock.advance(Duration::seconds(1));
    let body = json!({"email": "admin@acme.test", "password": "wrong"});
    app.post("/v1/auth/login", body).send().await;
    app.ops.finish_background_work().await;
    assert_eq!(
        actions(&app, &acme, "").await,
        [
            "USER_LOGIN_FAILED",
            "USER_LOGIN",
            "USER_CREATED",
            "USER_LOGIN",
            "USER_CREATED",
            "TENANT_CREATED"
        ]
    );
}

#[tokio::test]
async fn a_row_has_actor_action_time_and_request() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let body = json!({"name": "scanner", "role": "api_client"});
    let trace = "4bf92f3577b34da6a3ce929d0e0e4736";
    let made = app
        .post("/v1/api-keys", body)
        .bearer(&acme.admin_token)
        .header("traceparent", &format!("00-{trace}-00f067aa0ba902b7-01"))
        .send()
        .await;
    let own = made.header("x-trace-id").unwrap();
    assert_ne!(own, trace, "clients do not choose the id in the log");
    assert!(own.starts_with("0000000000000000"), "it is the id of the request's span: {own}");
    let log = app.get("/v1/audit?action=API_KEY_CREATED").bearer(&acme.admin_token).send().await;
    let row = &log.body["items"][0];
    assert_eq!(row["actor"], json!(acme.admin.user_id));
    assert_eq!(row["actor_name"], "admin@acme.test");
    assert_eq!(row["user_id"], json!(acme.admin.user_id));
    assert_eq!(row["entity_type"], "api_key");
    assert_eq!(row["entity_id"], made.body["api_key_id"]);
    assert_eq!(row["detail"]["name"], "scanner");
    assert_eq!(row["trace_id"], own);
    assert_eq!(row["ts"], "2026-02-15T12:00:00Z");
}

#[tokio::test]
async fn an_api_key_is_shown_by_its_name_and_a_job_by_its_documents_title() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let body = json!({"name": "scanner", "role": "api_client"});
    let made = app.post("/v1/api-keys", body).bearer(&acme.admin_token).send().await.body;
    app.upload("rent.txt", "it is due").bearer(made["key"].as_str().unwrap()).send().await;
    let ask = async |path: &str| app.get(path).bearer(&acme.admin_token).send().await.body;
    let log = ask("/v1/audit?action=DOCUMENT_UPLOAD_QUEUED").await;
    assert_eq!(log["items"][0]["actor_name"], "scanner", "{log}");
    app.work_off().await;
    let log = ask("/v1/audit?action=JOB_COMPLETED").await;
    assert_eq!(
        (&log["items"][0]["actor"], &log["items"][0]["actor_name"]),
        (&json!("system"), &Value::Null)
    );
    let jobs = ask("/v1/jobs").await;
    assert_eq!(jobs["items"][0]["doc_title"], "rent.txt", "{jobs}");
    let job = ask(&format!("/v1/jobs/{}", jobs["items"][0]["job_id"].as_str().unwrap())).await;
    assert_eq!(job["doc_title"], "rent.txt");
}

#[tokio::test]
async fn a_row_must_match_all_filters() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::hours(1));
    app.ops.operations.do_housekeeping().await.unwrap();
    let (user, _) = app.user(&acme, Role::User).await;
    let about_user = format!("entity_type=user&entity_id={}", user.user_id);
    assert_eq!(actions(&app, &acme, &about_user).await, ["USER_LOGIN", "USER_CREATED"]);
    let by_user = format!("actor={}", user.user_id);
    assert_eq!(actions(&app, &acme, &by_user).await, ["USER_LOGIN"]);
    let early = "to=2026-02-15T12:30:00Z&action=USER_LOGIN";
    assert_eq!(actions(&app, &acme, early).await, ["USER_LOGIN"]);
    assert_eq!(actions(&app, &acme, "from=2026-02-15T14:00:00Z").await, Vec::<String>::new());
    let no_document = format!("doc_id={}", user.user_id);
    assert_eq!(actions(&app, &acme, &no_document).await, Vec::<String>::new());
}

#[tokio::test]
async fn an_actor_can_be_filtered_by_name() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::User).await;
    let by_email = format!("actor={}", user.email.as_str().to_uppercase().replace('@', "%40"));
    assert_eq!(actions(&app, &acme, &by_email).await, ["USER_LOGIN"]);
    let body = json!({"name": "scanner", "role": "api_client"});
    let key = app.post("/v1/api-keys", body).bearer(&acme.admin_token).send().await.body;
    app.upload("rent.txt", "it is due").bearer(key["key"].as_str().unwrap()).send().await;
    let by_key = "actor=scanner&action=DOCUMENT_UPLOAD_QUEUED";
    assert_eq!(actions(&app, &acme, by_key).await, ["DOCUMENT_UPLOAD_QUEUED"]);
    app.work_off().await;
    assert!(!actions(&app, &acme, "actor=system&action=JOB_COMPLETED").await.is_empty());
    assert_eq!(actions(&app, &acme, "actor=nobody%40acme.test").await, Vec::<String>::new());

    // A deactivated user is still found, a user of another tenant never.
    let path = format!("/v1/users/{}", user.user_id);
    app.request(axum::http::Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    app.request(axum::http::Method::POST, "/v1/auth/logout").bearer(&token).send().await;
    assert_eq!(actions(&app, &acme, &by_email).await, ["USER_LOGIN"]);
    let other = app.tenant("other").await;
    assert_eq!(actions(&app, &other, &by_email).await, Vec::<String>::new());
    assert_eq!(actions(&app, &other, "actor=admin%40acme.test").await, Vec::<String>::new());
}

#[tokio::test]
async fn the_cursor_walks_the_whole_log_without_gap_or_repetition() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for _ in 0..5 {
        app.user(&acme, Role::User).await;
    }
    let read = async |query: String| {
        app.get(&format!("/api/audit/logs?{query}")).bearer(&acme.admin_token).send().await.body
    };
    let all = read("limit=100".to_owned()).await["items"].as_array().unwrap().clone();
    let mut walked: Vec<Value> = Vec::new();
    let mut query = "limit=4".to_owned();
    loop {
        let page = read(query).await;
        walked.extend(page["items"].as_array().unwrap().clone());
        match page["next_cursor"].as_str() {
            Some(cursor) => query = format!("limit=4&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(walked, all);
    assert_eq!(all.len(), 13);
}

#[tokio::test]
async fn invalid_filters_are_rejected() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for query in [
        "action=%00",
        "entity_id=x",
        "from=yesterday",
        "from=-200000-01-01T00:00:00Z",
        "cursor=-7fffffffffffffff-0",
    ] {
        let path = format!("/v1/audit?{query}");
        let answer = app.get(&path).bearer(&acme.admin_token).send().await;
        assert_eq!((answer.status.as_u16(), answer.code()), (400, "invalid_request"), "{query}");
    }
}
