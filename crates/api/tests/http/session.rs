//! Signing in and out, and how access ends.

use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::{Caller, Role, Secret, TraceId};
use ops::{AuthError, RequestedChange};
use serde_json::json;
use testkit::{TestApp, TestSettings};

const HERE: std::net::IpAddr = std::net::IpAddr::V4(std::net::Ipv4Addr::LOCALHOST);

#[tokio::test]
async fn a_user_signs_in_and_is_recognised() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let answer = app
        .post("/v1/auth/login", json!({"email": "Admin@Acme.test", "password": TestApp::PASSWORD}))
        .send()
        .await;
    assert_eq!(answer.status, StatusCode::OK);
    assert_eq!(answer.body["expires_at"], "2026-02-16T12:00:00Z");
    assert_eq!(answer.body["user"]["email"], "admin@acme.test");
    let me = app.get("/v1/me").bearer(answer.body["token"].as_str().unwrap()).send().await;
    assert_eq!(
        me.body,
        json!({
            "kind": "user",
            "id": acme.admin.user_id,
            "tenant_id": acme.tenant.tenant_id,
            "role": "admin",
            "name": "admin@acme.test",
        })
    );
}

#[tokio::test]
async fn a_wrong_password_and_an_unknown_address_get_the_same_answer() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let attempt = async |email: &str, password: &str| {
        let body = json!({"email": email, "password": password});
        let mut answer = app.post("/v1/auth/login", body).send().await;
        answer.body["trace_id"].take();
        (answer.status, answer.body)
    };
    let wrong_password = attempt("admin@acme.test", "wrong").await;
    assert_eq!(wrong_password.0, StatusCode::UNAUTHORIZED);
    assert_eq!(wrong_password.1["code"], "wrong_credentials");
    assert_eq!(attempt("nobody@acme.test", "wrong").await, wrong_password);
    assert_eq!(attempt("not an address", "wrong").await, wrong_password);
    assert_eq!(attempt("admin@acme.test", "wr\0ng").await, wrong_password);
    assert_eq!(attempt("admin@acme.test", &"x".repeat(5000)).await, wrong_password);
}

#[tokio::test]
async fn a_token_ends_after_a_day() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::hours(24) - Duration::seconds(1));
    app.ops.do_housekeeping().await.unwrap();
    assert_eq!(app.get("/v1/me").bearer(&acme.admin_token).send().await.status, StatusCode::OK);
    app.clock.advance(Duration::seconds(1));
    let late = app.get("/v1/me").bearer(&acme.admin_token).send().await;
    assert_eq!(late.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn a_token_of_another_key_or_with_another_algorithm_is_refused() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (header, rest) = acme.admin_token.split_once('.').unwrap();
    let (claims, signature) = rest.split_once('.').unwrap();
    // {"alg":"none"}
    let unsigned = format!("eyJhbGciOiJub25lIn0.{claims}.");
    let forged = format!("{header}.{claims}.{}", signature.replace(|c: char| c != 'A', "A"));
    for token in [unsigned, forged, "x".to_owned(), String::new(), "dk_".to_owned()] {
        let answer = app.get("/v1/me").bearer(&token).send().await;
        assert_eq!(answer.status, StatusCode::UNAUTHORIZED, "{token}");
        assert_eq!(answer.header("www-authenticate"), Some("Bearer"));
    }
}

#[tokio::test]
async fn signing_out_ends_that_token_and_no_other() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let second = app.login("admin@acme.test").await;
    let out = app.request(Method::POST, "/v1/auth/logout").bearer(&acme.admin_token).send().await;
    assert_eq!(out.status, StatusCode::NO_CONTENT);
    let after = app.get("/v1/me").bearer(&acme.admin_token).send().await;
    assert_eq!(after.status, StatusCode::UNAUTHORIZED);
    assert_eq!(app.get("/v1/me").bearer(&second).send().await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_changed_role_ends_the_sessions_and_the_next_one_has_it() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::Viewer).await;
    let path = format!("/v1/users/{}", user.user_id);
    app.clock.advance(Duration::milliseconds(5));
    let change = app.request(Method::PATCH, &path).json(json!({"role": "auditor"}));
    assert_eq!(change.bearer(&acme.admin_token).send().await.status, StatusCode::OK);
    assert_eq!(app.get("/v1/me").bearer(&token).send().await.status, StatusCode::UNAUTHORIZED);
    // In the same second: the new token is not mistaken for an old one.
    app.clock.advance(Duration::milliseconds(5));
    let again = app.login(user.email.as_str()).await;
    let me = app.get("/v1/me").bearer(&again).send().await;
    assert_eq!(me.body["role"], "auditor");
}

#[tokio::test]
async fn a_deactivated_user_is_out_everywhere_and_cannot_come_back() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::User).await;
    let elsewhere = app.another_process().await;
    assert!(elsewhere.authenticate(&token, HERE, TraceId(1)).await.is_ok());

    app.clock.advance(Duration::seconds(1));
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.deactivate_user(&caller, user.user_id).await.unwrap();
    assert!(app.ops.authenticate(&token, HERE, TraceId(1)).await.is_err());
    // What the channel or the timer makes the other process do.
    elsewhere.do_housekeeping().await.unwrap();
    assert!(matches!(
        elsewhere.authenticate(&token, HERE, TraceId(1)).await,
        Err(AuthError::Refused)
    ));
    let body = json!({"email": user.email, "password": TestApp::PASSWORD});
    let login = app.post("/v1/auth/login", body).send().await;
    assert_eq!(login.code(), "wrong_credentials");
}

#[tokio::test]
async fn a_sign_in_that_a_deactivation_overtakes_gives_no_access() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, _) = app.user(&acme, Role::User).await;
    // What the sign-in has read before it checks the password …
    let mut across = app.ops.store().across_tenants().await.unwrap();
    let read = across.find_user_for_login(&user.email).await.unwrap().unwrap();
    across.commit().await.unwrap();
    // … is overtaken here, and the token is issued later than the deactivation.
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.deactivate_user(&caller, user.user_id).await.unwrap();
    app.clock.advance(Duration::seconds(5));
    let late = app.ops.sign_in(read, TraceId(1)).await.unwrap();
    let refused = app.ops.authenticate(late.token.reveal(), HERE, TraceId(1)).await;
    assert!(matches!(refused, Err(AuthError::Refused)));
}

#[tokio::test]
async fn a_revocation_outlives_a_shorter_setting_for_sessions() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::User).await;
    let (_, signed_out) = app.user(&acme, Role::User).await;
    app.request(Method::POST, "/v1/auth/logout").bearer(&signed_out).send().await;
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.deactivate_user(&caller, user.user_id).await.unwrap();
    app.clock.advance(Duration::hours(23));
    // Restarted with sessions of an hour; the tokens of the day before are still signed and unexpired.
    let mut settings = TestSettings::default();
    settings.ops.token_lifetime = Duration::hours(1);
    let restarted = app.another_process_with(&settings).await;
    for token in [&token, &signed_out] {
        assert!(restarted.authenticate(token, HERE, TraceId(1)).await.is_err());
    }
}

#[tokio::test]
async fn a_process_cut_off_from_the_database_vouches_for_nobody_after_a_minute() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::seconds(60));
    assert!(app.ops.authenticate(&acme.admin_token, HERE, TraceId(1)).await.is_ok());
    app.clock.advance(Duration::seconds(1));
    let answer = app.get("/v1/me").bearer(&acme.admin_token).send().await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.header("retry-after").is_some());
    let ready = app.get("/readyz").send().await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body["dependencies"][2]["name"], "access");
    app.ops.do_housekeeping().await.unwrap();
    assert!(app.ops.authenticate(&acme.admin_token, HERE, TraceId(1)).await.is_ok());
}

#[tokio::test]
async fn guessing_is_slowed_down_per_address() {
    let mut settings = TestSettings::default();
    settings.ops.login_attempts_per_minute = 3;
    let app = TestApp::start_with(settings).await;
    app.tenant("acme").await;
    app.clock.advance(Duration::minutes(5));
    let attempt = async |email: &str| {
        let body = json!({"email": email, "password": "guess"});
        app.post("/v1/auth/login", body).send().await
    };
    for _ in 0..3 {
        assert_eq!(attempt("admin@acme.test").await.status, StatusCode::UNAUTHORIZED);
    }
    let fourth = attempt("admin@acme.test").await;
    assert_eq!(fourth.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(fourth.code(), "too_many_attempts");
    assert_eq!(fourth.header("retry-after"), Some("20"));
    // Nobody else is kept out, and after a while the address may try again.
    assert_eq!(attempt("other@acme.test").await.status, StatusCode::UNAUTHORIZED);
    app.clock.advance(Duration::seconds(20));
    assert_eq!(attempt("admin@acme.test").await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn an_admin_may_change_a_password_and_only_the_new_one_counts() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, _) = app.user(&acme, Role::User).await;
    let change =
        RequestedChange { password: Some(Secret::new("battery staple")), ..Default::default() };
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.update_user(&caller, user.user_id, change).await.unwrap();
    let login = async |password: &str| {
        let body = json!({"email": user.email, "password": password});
        app.post("/v1/auth/login", body).send().await.status
    };
    assert_eq!(login(TestApp::PASSWORD).await, StatusCode::UNAUTHORIZED);
    assert_eq!(login("battery staple").await, StatusCode::OK);
}
