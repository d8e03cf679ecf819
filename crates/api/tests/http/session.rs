//! Signing in and out, and how access ends.

use api::TrustedProxies;
use axum::http::{Method, StatusCode};
use chrono::Duration;
use domain::{Caller, Role, Secret, TraceContext};
use ops::{AuthError, RequestedChange};
use serde_json::json;
use testkit::{Request, Response, TestApp, TestSettings};

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
            "tenant_name": "acme",
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
    assert_eq!(attempt("admin@acme.test", &"x".repeat(5000)).await, wrong_password);
}

#[tokio::test]
async fn a_token_ends_after_a_day() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::hours(24) - Duration::seconds(1));
    app.ops.operations.do_housekeeping().await.unwrap();
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
    assert!(elsewhere.access.authenticate(&token, HERE, TraceContext::new(1)).await.is_ok());

    app.clock.advance(Duration::seconds(1));
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.access.deactivate_user(&caller, user.user_id).await.unwrap();
    assert!(app.ops.access.authenticate(&token, HERE, TraceContext::new(1)).await.is_err());
    // What the channel or the timer makes the other process do.
    elsewhere.operations.do_housekeeping().await.unwrap();
    assert!(matches!(
        elsewhere.access.authenticate(&token, HERE, TraceContext::new(1)).await,
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
    app.ops.access.deactivate_user(&caller, user.user_id).await.unwrap();
    app.clock.advance(Duration::seconds(5));
    let late = app.ops.access.sign_in(read, TraceContext::new(1)).await.unwrap();
    let refused =
        app.ops.access.authenticate(late.token.reveal(), HERE, TraceContext::new(1)).await;
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
    app.ops.access.deactivate_user(&caller, user.user_id).await.unwrap();
    app.clock.advance(Duration::hours(23));
    // Restarted with sessions of an hour; the tokens of the day before are still signed and unexpired.
    let mut settings = TestSettings::default();
    settings.ops.token_lifetime = Duration::hours(1);
    let restarted = app.another_process_with(&settings).await;
    for token in [&token, &signed_out] {
        assert!(restarted.access.authenticate(token, HERE, TraceContext::new(1)).await.is_err());
    }
}

#[tokio::test]
async fn a_revocation_is_heard_of_after_the_clock_was_set_back() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::User).await;
    let elsewhere = app.another_process().await;
    app.clock.advance(Duration::hours(8));
    elsewhere.operations.do_housekeeping().await.unwrap();
    app.clock.advance(-Duration::hours(8));
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.access.deactivate_user(&caller, user.user_id).await.unwrap();
    elsewhere.operations.do_housekeeping().await.unwrap();
    assert!(elsewhere.access.authenticate(&token, HERE, TraceContext::new(1)).await.is_err());
}

#[tokio::test]
async fn a_process_cut_off_from_the_database_vouches_for_nobody_after_a_minute() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    app.clock.advance(Duration::seconds(60));
    assert!(
        app.ops.access.authenticate(&acme.admin_token, HERE, TraceContext::new(1)).await.is_ok()
    );
    app.clock.advance(Duration::seconds(1));
    let answer = app.get("/v1/me").bearer(&acme.admin_token).send().await;
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE);
    assert!(answer.header("retry-after").is_some());
    let ready = app.get("/readyz").send().await;
    assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(ready.body["dependencies"][2]["name"], "access");
    app.ops.operations.do_housekeeping().await.unwrap();
    assert!(
        app.ops.access.authenticate(&acme.admin_token, HERE, TraceContext::new(1)).await.is_ok()
    );
}

fn slow_guessing(trusted_proxies: &[&str]) -> TestSettings {
    let mut settings = TestSettings::default();
    settings.ops.login_attempts_per_minute = 3;
    let networks = trusted_proxies.iter().map(|network| network.parse().unwrap()).collect();
    settings.api.trusted_proxies = TrustedProxies::new(networks);
    settings
}

fn attempt(app: &TestApp, from: u8, email: &str, password: &str) -> Request {
    let body = json!({"email": email, "password": password});
    app.post("/v1/auth/login", body).from_address([192, 0, 2, from].into())
}

const ADMIN: &str = "admin@acme.test";

#[tokio::test]
async fn guessing_is_slowed_down_and_does_not_lock_out_who_knows_the_password() {
    let app = TestApp::start_with(slow_guessing(&[])).await;
    app.tenant("acme").await;
    app.clock.advance(Duration::minutes(5));
    for _ in 0..3 {
        let wrong = attempt(&app, 1, ADMIN, "guess").send().await;
        assert_eq!(wrong.status, StatusCode::UNAUTHORIZED);
    }
    let fourth = attempt(&app, 1, ADMIN, "guess").send().await;
    assert_eq!(fourth.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(fourth.code(), "too_many_attempts");
    assert_eq!(fourth.header("retry-after"), Some("20"));
    let right = attempt(&app, 2, ADMIN, TestApp::PASSWORD).send().await;
    assert_eq!(right.status, StatusCode::OK, "{right:?}");
    // Other accounts are not concerned, and after a while the client may try again.
    let other = attempt(&app, 1, "other@acme.test", "guess").send().await;
    assert_eq!(other.status, StatusCode::UNAUTHORIZED);
    app.clock.advance(Duration::seconds(20));
    assert_eq!(attempt(&app, 1, ADMIN, "guess").send().await.status, StatusCode::UNAUTHORIZED);
}

#[tokio::test]
async fn guessing_from_many_places_is_slowed_down_except_where_the_owner_has_been() {
    let app = TestApp::start_with(slow_guessing(&[])).await;
    app.tenant("acme").await;
    app.clock.advance(Duration::minutes(5));
    let home = 200;
    assert_eq!(attempt(&app, home, ADMIN, TestApp::PASSWORD).send().await.status, StatusCode::OK);
    let mut refused = 0;
    for from in 1..=50 {
        let answer = attempt(&app, from, ADMIN, "guess").send().await;
        refused += u32::from(answer.status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(
        (20..=22).contains(&refused),
        "{refused} of 50 were refused: 30 a minute are let through"
    );
    let elsewhere = attempt(&app, 201, ADMIN, TestApp::PASSWORD).send().await;
    assert_eq!(elsewhere.status, StatusCode::TOO_MANY_REQUESTS, "the price");
    let at_home = attempt(&app, home, ADMIN, TestApp::PASSWORD).send().await;
    assert_eq!(at_home.status, StatusCode::OK, "{at_home:?}");
}

#[tokio::test]
async fn behind_a_trusted_proxy_everybody_is_a_client_of_their_own() {
    let app = TestApp::start_with(slow_guessing(&["192.0.2.100/32"])).await;
    app.tenant("acme").await;
    app.clock.advance(Duration::minutes(5));
    let try_it = async |peer: u8, client: &str, password: &str| {
        let request = attempt(&app, peer, ADMIN, password).header("x-forwarded-for", client);
        request.send().await.status
    };
    for _ in 0..4 {
        try_it(100, "198.51.100.1", "guess").await;
    }
    assert_eq!(try_it(100, "198.51.100.1", "guess").await, StatusCode::TOO_MANY_REQUESTS);
    // Whoever writes a header of their own gains nothing: the proxy adds where it came from.
    let written = "203.0.113.77, 198.51.100.1";
    assert_eq!(try_it(100, written, "guess").await, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(try_it(100, "198.51.100.2", TestApp::PASSWORD).await, StatusCode::OK);
    // Nobody else is believed.
    for _ in 0..4 {
        try_it(7, "203.0.113.1", "guess").await;
    }
    assert_eq!(try_it(7, "203.0.113.2", TestApp::PASSWORD).await, StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_flood_of_sign_ins_is_refused_at_once_and_others_come_through() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let flood = (0..120).map(|_| attempt(&app, 1, "nobody@acme.test", "guess").send());
    let other = attempt(&app, 2, ADMIN, TestApp::PASSWORD).send();
    let (answers, right) = tokio::join!(futures_util::future::join_all(flood), other);
    assert_eq!(right.status, StatusCode::OK, "{right:?}");
    let busy: Vec<&Response> = answers.iter().filter(|a| a.code() == "sign_in_busy").collect();
    assert_eq!(busy.len(), 112, "eight of one client at a time");
    assert_eq!(busy[0].status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(busy[0].header("retry-after"), Some("3"));
    assert!(answers.iter().all(|answer| answer.status != StatusCode::SERVICE_UNAVAILABLE));
}

#[tokio::test]
async fn people_change_their_own_password_and_are_signed_out_everywhere_else() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, token) = app.user(&acme, Role::Viewer).await;
    let other_session = app.login(user.email.as_str()).await;
    let change = async |credential: &str, current: &str, new: &str| {
        let body = json!({"current_password": current, "new_password": new});
        app.put("/v1/me/password", body).bearer(credential).send().await
    };
    let wrong = change(&token, "not it", "battery staple").await;
    assert_eq!(
        (wrong.status, &wrong.body["field"]),
        (StatusCode::BAD_REQUEST, &json!("current_password"))
    );
    let weak = change(&token, TestApp::PASSWORD, "x").await;
    assert_eq!(weak.body["field"], "new_password", "{weak:?}");
    assert_eq!(app.get("/v1/me").bearer(&other_session).status().await, StatusCode::OK);

    let changed = change(&token, TestApp::PASSWORD, "battery staple").await;
    assert_eq!(changed.status, StatusCode::OK, "{changed:?}");
    for ended in [&token, &other_session] {
        assert_eq!(app.get("/v1/me").bearer(ended).status().await, StatusCode::UNAUTHORIZED);
    }
    let new_token = changed.body["token"].as_str().unwrap();
    assert_eq!(app.get("/v1/me").bearer(new_token).status().await, StatusCode::OK);
    let login =
        async |password: &str| attempt(&app, 1, user.email.as_str(), password).send().await.status;
    assert_eq!(login(TestApp::PASSWORD).await, StatusCode::UNAUTHORIZED);
    assert_eq!(login("battery staple").await, StatusCode::OK);
    let log = app.get("/v1/audit?action=USER_UPDATED").bearer(&acme.admin_token).send().await.body;
    assert_eq!(log["items"][0]["actor"], json!(user.user_id), "{log}");
    assert_eq!(log["items"][0]["detail"]["password_changed"], true);

    let key = app.post("/v1/api-keys", json!({"name": "scanner", "role": "viewer"}));
    let key = key.bearer(&acme.admin_token).send().await.body;
    let refused = change(key["key"].as_str().unwrap(), TestApp::PASSWORD, "battery staple").await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "not_a_session"));
}

#[tokio::test]
async fn signing_out_everywhere_ends_every_session_and_leaves_keys_and_other_people_alone() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let elsewhere = app.another_process().await;
    let key = app.post("/v1/api-keys", json!({"name": "scanner", "role": "viewer"}));
    let key = key.bearer(&acme.admin_token).send().await.body["key"].as_str().unwrap().to_owned();
    let (_, bystander) = app.user(&acme, Role::Viewer).await;
    let second = app.login(ADMIN).await;
    let sign_out = async |credential: &str| {
        app.request(Method::DELETE, "/v1/me/sessions").bearer(credential).send().await
    };
    let refused = sign_out(&key).await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "not_a_session"));
    assert_eq!(sign_out(&second).await.status, StatusCode::NO_CONTENT);
    elsewhere.operations.do_housekeeping().await.unwrap();
    for ended in [&acme.admin_token, &second] {
        assert_eq!(app.get("/v1/me").bearer(ended).status().await, StatusCode::UNAUTHORIZED);
        assert!(elsewhere.access.authenticate(ended, HERE, TraceContext::new(1)).await.is_err());
    }
    for kept in [&key, &bystander, &app.login(ADMIN).await] {
        assert_eq!(app.get("/v1/me").bearer(kept).status().await, StatusCode::OK);
    }
    let token = app.login(ADMIN).await;
    let log = app.get("/v1/audit?action=USER_LOGOUT").bearer(&token).send().await.body;
    assert_eq!(log["items"][0]["detail"], json!({"everywhere": true}), "{log}");
}

#[tokio::test]
async fn every_role_changes_its_own_password() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    for role in Role::ALL {
        let (_, token) = app.user(&acme, role).await;
        let body = json!({"current_password": TestApp::PASSWORD, "new_password": "battery staple"});
        let changed = app.put("/v1/me/password", body).bearer(&token).send().await;
        assert_eq!(changed.status, StatusCode::OK, "{role}: {changed:?}");
    }
}

#[tokio::test]
async fn an_admin_may_change_a_password_and_only_the_new_one_counts() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (user, _) = app.user(&acme, Role::User).await;
    let change =
        RequestedChange { password: Some(Secret::new("battery staple")), ..Default::default() };
    let caller = Caller::system(acme.tenant.tenant_id);
    app.ops.access.update_user(&caller, user.user_id, change).await.unwrap();
    let login = async |password: &str| {
        let body = json!({"email": user.email, "password": password});
        app.post("/v1/auth/login", body).send().await.status
    };
    assert_eq!(login(TestApp::PASSWORD).await, StatusCode::UNAUTHORIZED);
    assert_eq!(login("battery staple").await, StatusCode::OK);
}
