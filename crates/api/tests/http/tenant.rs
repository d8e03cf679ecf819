//! A tenant's own rules, limits and usage.

use axum::http::StatusCode;
use domain::TenantLimits;
use serde_json::json;
use testkit::TestApp;

#[tokio::test]
async fn rules_are_validated_stored_and_applied_to_new_runs() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let put = |rules| app.put("/v1/tenant/rules", rules).bearer(&acme.admin_token).send();
    let mask = json!({"box": [0.0, 0.9, 1.0, 1.0], "kinds": ["txt"]});
    let changed = put(json!({"masks": [mask]})).await;
    assert_eq!(changed.status, StatusCode::OK, "{changed:?}");
    assert_eq!(changed.body["rules"]["masks"][0]["kinds"], json!(["txt"]));

    let made = app.upload("a.txt", "some text").bearer(&acme.admin_token).send().await.body;
    let run = format!("/v1/ingestion-runs/{}", made["run_id"].as_str().unwrap());
    let run = app.get(&run).bearer(&acme.admin_token).send().await.body;
    assert_eq!(run["config"]["masks"].as_array().unwrap().len(), 1, "{run}");

    let refused = put(json!({"masks": [{"box": [10, 20, 30, 40]}]})).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    let detail = refused.body["detail"].as_str().unwrap();
    assert!(detail.contains("mask 1 is not a valid region"), "{detail}");
    let refused = put(json!({"pipeline": ["magic"]})).await;
    assert!(refused.body["detail"].as_str().unwrap().contains("Unknown stage 'magic'"));
    let audited = app.get("/v1/audit").bearer(&acme.admin_token).send().await.body.to_string();
    assert!(audited.contains("TENANT_RULES_CHANGED"));
}

#[tokio::test]
async fn accepted_error_rates_are_validated_stored_and_audited() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let put = |path: &str, body| app.put(path, body).bearer(&acme.admin_token).send();
    let seen = app.get("/v1/tenant").bearer(&acme.admin_token).send().await.body;
    assert_eq!(seen["acceptance"], json!({}), "{seen}");

    let rates = json!({
        "accepted_error_rate": 0.05,
        "review_share": 0.1,
        "types": {"invoice": {"accepted_error_rate": 0.01}},
    });
    let changed = put("/v1/tenant/acceptance", rates.clone()).await;
    assert_eq!(changed.status, StatusCode::OK, "{changed:?}");
    assert_eq!(changed.body["acceptance"], rates);

    let other_rules = put("/v1/tenant/rules", json!({"pipeline": ["ingest"]})).await;
    assert_eq!(other_rules.body["acceptance"], rates, "a change of other rules keeps them");
    assert_eq!(other_rules.body["rules"]["pipeline"], json!(["ingest"]));
    let changed = put("/v1/tenant/acceptance", json!({})).await;
    assert_eq!(changed.body["rules"]["pipeline"], json!(["ingest"]), "and the other way round");
    assert_eq!(changed.body["acceptance"], json!({}));

    for (wrong, why) in [
        (json!({"accepted_error_rate": 2}), "the accepted error rate is 2; give a share between"),
        (json!({"review_share": -1}), "the share for review is -1"),
        (
            json!({"types": {"invoice": {"accepted_error_rate": 0.9}}}),
            "error rate of 'invoice' is 0.9",
        ),
        (json!({"rate": 0.1}), "Unknown field rate"),
    ] {
        let refused = put("/v1/tenant/acceptance", wrong).await;
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{why}");
        assert!(refused.body["detail"].as_str().unwrap().contains(why), "{refused:?}");
    }
    let audited = app.get("/v1/audit?action=TENANT_RULES_CHANGED").bearer(&acme.admin_token);
    let audited = audited.send().await.body;
    assert_eq!(audited["items"].as_array().unwrap().len(), 3);
    assert_eq!(audited["items"][2]["detail"]["acceptance"], rates, "{audited}");
}

#[tokio::test]
async fn limits_of_one_tenant_do_not_affect_others() {
    let app = TestApp::start().await;
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let limits = TenantLimits {
        max_upload_bytes: Some(10),
        queue_quota: Some(1),
        requests_per_second: Some(1_000),
        concurrent_uploads: Some(7),
        storage_quota_bytes: Some(1_000),
    };
    app.ops.tenants.change_limits("acme", limits).await.unwrap();
    app.ops.operations.do_housekeeping().await.unwrap();
    let upload = async |tenant: &testkit::TestTenant, text: &str| {
        app.upload("a.txt", text).bearer(&tenant.admin_token).send().await
    };
    assert_eq!(upload(&acme, "more than ten bytes").await.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(upload(&acme, "few").await.status, StatusCode::ACCEPTED);
    let full = upload(&acme, "others").await;
    assert_eq!(
        (full.status, &full.body["code"]),
        (StatusCode::TOO_MANY_REQUESTS, &json!("queue_full"))
    );
    assert_eq!(upload(&other, "more than ten bytes").await.status, StatusCode::ACCEPTED);
    assert_eq!(upload(&other, "and another one").await.status, StatusCode::ACCEPTED);

    let seen = app.get("/v1/tenant").bearer(&acme.admin_token).send().await.body;
    let granted = json!({
        "max_upload_bytes": 10,
        "queue_quota": 1,
        "requests_per_second": 1000,
        "concurrent_uploads": 7,
        "storage_quota_bytes": 1000,
    });
    assert_eq!(seen["limits"], granted);
    assert_eq!(seen["usage"]["documents"], 1, "{seen}");
    assert_eq!(seen["stages"], json!(["ingest"]), "the available stages");
    assert!(app.ops.tenants.change_limits("nobody", limits).await.is_err());
}

#[tokio::test]
async fn a_tenant_with_its_own_rate_has_its_own_bucket() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let limits = TenantLimits { requests_per_second: Some(1), ..TenantLimits::default() };
    app.ops.tenants.change_limits("acme", limits).await.unwrap();
    app.ops.operations.do_housekeeping().await.unwrap();
    let mut refused = 0;
    for _ in 0..20 {
        let answer = app.get("/v1/me").bearer(&acme.admin_token).send().await;
        refused += usize::from(answer.status == StatusCode::TOO_MANY_REQUESTS);
    }
    assert!(refused >= 10, "{refused}");
    let other = app.tenant("other").await;
    assert_eq!(app.get("/v1/me").bearer(&other.admin_token).status().await, StatusCode::OK);
}

#[tokio::test]
async fn tags_can_be_set_with_an_upload_or_later() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let made = app.upload("a.txt", "some text").bearer(&acme.admin_token).send().await.body;
    let path = format!("/v1/documents/{}", made["doc_id"].as_str().unwrap());
    let tagged = app.put(&format!("{path}/tags"), json!({"tags": [" rent", "2026", "rent"]}));
    let tagged = tagged.bearer(&acme.admin_token).send().await;
    assert_eq!(tagged.body["tags"], json!(["2026", "rent"]), "{tagged:?}");
    let seen = app.get(&path).bearer(&acme.admin_token).send().await.body;
    assert_eq!(seen["tags"], json!(["2026", "rent"]));
    assert!(made["content_hash"].as_str().unwrap().starts_with("sha256:"), "{made}");
}

#[tokio::test]
async fn an_auditor_can_verify_the_chain() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let whole = app.get("/v1/audit/verify").bearer(&acme.admin_token).send().await.body;
    assert_eq!(whole["is_whole"], true, "{whole}");
    let mut superuser = app.database.superuser().await;
    sqlx::query("ALTER TABLE audit_log DISABLE TRIGGER USER")
        .execute(&mut superuser)
        .await
        .unwrap();
    sqlx::query("UPDATE audit_log SET detail = '{}' WHERE tenant_id = $1")
        .bind(acme.tenant.tenant_id.0)
        .execute(&mut superuser)
        .await
        .unwrap();
    let broken = app.get("/v1/audit/verify").bearer(&acme.admin_token).send().await.body;
    assert_eq!(broken["is_whole"], false, "{broken}");
    assert!(broken["faults"][0].as_str().unwrap().contains("was changed"), "{broken}");
}
