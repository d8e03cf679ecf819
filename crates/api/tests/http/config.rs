//! Who may view the server's configuration.

use api_types::{ConfigView, SettingOrigin, SettingView};
use axum::http::StatusCode;
use domain::Role;
use serde_json::json;
use testkit::{TestApp, TestSettings};

fn configuration() -> ConfigView {
    let setting = SettingView {
        key: "listen".to_owned(),
        value: json!("127.0.0.1:8080"),
        is_secret: false,
        origin: SettingOrigin::Flag,
        origin_name: Some("--listen".to_owned()),
        help: "The address to answer on.".to_owned(),
    };
    ConfigView { settings: vec![setting] }
}

#[tokio::test]
async fn only_administrators_of_the_first_tenant_see_the_configuration() {
    let mut settings = TestSettings::default();
    settings.api.configuration = configuration();
    let app = TestApp::start_with(settings).await;
    let operator = app.tenant("operator").await;
    let customer = app.tenant("customer").await;

    let seen = app.get("/v1/config").bearer(&operator.admin_token).send().await;
    assert_eq!(seen.status, StatusCode::OK);
    let listen = &seen.body["settings"][0];
    assert_eq!((&listen["key"], &listen["value"]), (&json!("listen"), &json!("127.0.0.1:8080")));
    assert_eq!((&listen["origin"], &listen["origin_name"]), (&json!("flag"), &json!("--listen")));

    let refused = app.get("/v1/config").bearer(&customer.admin_token).send().await;
    assert_eq!((refused.status, refused.code()), (StatusCode::FORBIDDEN, "forbidden"));
    assert!(!refused.body.to_string().contains("127.0.0.1"), "{}", refused.body);
    let (_, auditor) = app.user(&operator, Role::Auditor).await;
    assert_eq!(app.get("/v1/config").bearer(&auditor).status().await, StatusCode::FORBIDDEN);
}
