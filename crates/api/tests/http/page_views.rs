//! Links to page views: who gets one, and until when it leads anywhere.
//!
//! This application has no reader, so a link that is followed ends in a conflict once its creator was permitted. What
//! a view looks like is told in `reading/tests/page_view/mod.rs`, and the whole way in `docket/tests/process/page_views.rs`.

use axum::http::{Method, StatusCode};
use domain::Role;
use serde_json::json;
use testkit::{Response, TestApp, TestTenant};

const PAGE: &str = "<h1>Payslip of Ada</h1>";

async fn upload(app: &TestApp, token: &str, name: &str, content: &str) -> String {
    let made = app.upload(name, content).bearer(token).send().await;
    made.body["doc_id"].as_str().unwrap().to_owned()
}

async fn link(app: &TestApp, token: &str, doc_id: &str) -> Response {
    app.get(&format!("/v1/documents/{doc_id}/view")).bearer(token).send().await
}

async fn url(app: &TestApp, token: &str, doc_id: &str) -> String {
    let linked = link(app, token, doc_id).await;
    linked.body["url"].as_str().unwrap_or_else(|| panic!("{linked:?}")).to_owned()
}

async fn start() -> (TestApp, TestTenant) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

#[tokio::test]
async fn a_link_shows_the_view_and_nothing_else() {
    let (app, acme) = start().await;
    let doc_id = upload(&app, &acme.admin_token, "page.html", PAGE).await;
    let url = url(&app, &acme.admin_token, &doc_id).await;
    let shown = app.get(&url).send().await;
    assert_eq!(shown.status, StatusCode::CONFLICT, "there is no reader here: {shown:?}");
    let policy = shown.headers["content-security-policy"].to_str().unwrap();
    assert!(policy.starts_with("sandbox; default-src 'none'"), "{policy}");
    assert_eq!(shown.headers["x-content-type-options"], "nosniff");
    assert_eq!(shown.headers["referrer-policy"], "no-referrer");
    let download = app.get(&url.replace("/views/", "/files/")).send().await;
    assert_eq!(download.status, StatusCode::NOT_FOUND, "it downloads nothing");
}

#[tokio::test]
async fn a_kind_without_a_view_says_so() {
    let (app, acme) = start().await;
    let doc_id = upload(&app, &acme.admin_token, "a.txt", "Only text.").await;
    let refused = link(&app, &acme.admin_token, &doc_id).await;
    assert_eq!(refused.status, StatusCode::CONFLICT);
    assert_eq!(refused.body["code"], "no_page_view");
}

#[tokio::test]
async fn a_view_ends_with_the_document_and_with_the_access_of_its_creator() {
    let (app, acme) = start().await;
    let (user, token) = app.user(&acme, Role::User).await;
    let doc_id = upload(&app, &token, "page.html", PAGE).await;
    let own = url(&app, &token, &doc_id).await;
    let admins = url(&app, &acme.admin_token, &doc_id).await;
    let path = format!("/v1/users/{}", user.user_id);
    let deactivated = app.request(Method::DELETE, &path).bearer(&acme.admin_token);
    assert!(deactivated.send().await.status.is_success());
    assert_eq!(app.get(&own).status().await, StatusCode::GONE);
    assert_eq!(app.get(&admins).status().await, StatusCode::CONFLICT);
    let deleted = app.request(Method::DELETE, &format!("/v1/documents/{doc_id}"));
    assert_eq!(deleted.bearer(&acme.admin_token).status().await, StatusCode::NO_CONTENT);
    assert_eq!(app.get(&admins).status().await, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn a_mask_hides_the_view_as_it_hides_the_original() {
    let (app, acme) = start().await;
    let (_, token) = app.user(&acme, Role::User).await;
    let doc_id = upload(&app, &token, "payslip.html", PAGE).await;
    let before = url(&app, &token, &doc_id).await;
    let mask = json!({ "box": [0.0, 0.1, 1.0, 1.0], "file_name_contains": "payslip" });
    let rules = app.put("/v1/tenant/rules", json!({ "masks": [mask] })).bearer(&acme.admin_token);
    assert!(rules.send().await.status.is_success());
    assert_eq!(app.get(&before).status().await, StatusCode::GONE);
    let refused = link(&app, &token, &doc_id).await;
    assert_eq!(refused.status, StatusCode::FORBIDDEN);
    assert_eq!(refused.body["code"], "original_is_masked");
    assert!(link(&app, &acme.admin_token, &doc_id).await.status.is_success());
}

#[tokio::test]
async fn a_link_lasts_ten_minutes() {
    let (app, acme) = start().await;
    let doc_id = upload(&app, &acme.admin_token, "page.html", PAGE).await;
    let url = url(&app, &acme.admin_token, &doc_id).await;
    app.clock.advance(chrono::Duration::seconds(599));
    assert_eq!(app.get(&url).status().await, StatusCode::CONFLICT);
    app.clock.advance(chrono::Duration::seconds(2));
    assert_eq!(app.get(&url).status().await, StatusCode::GONE);
}
