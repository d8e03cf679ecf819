//! Attachments of a mail, and the batch of the mail.

use axum::body::Bytes;
use axum::http::Method;
use domain::{AttachedFile, DocId, RunId};
use ops::OpsError;
use serde_json::{Value, json};
use testkit::{TestApp, TestSettings, TestTenant};

async fn start(queue_quota: u32) -> (TestApp, TestTenant) {
    let mut settings = TestSettings::default();
    settings.ops.intake.queue_quota = queue_quota;
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

/// A batch that expects one file, and that file.
async fn mail_in_a_batch(app: &TestApp, acme: &TestTenant) -> (String, AttachedFile) {
    let token = &acme.admin_token;
    let batch = app.post("/v1/batches", json!({"expected_documents": 1, "dedupe": false}));
    let batch = batch.bearer(token).send().await.body["batch_id"].as_str().unwrap().to_owned();
    let path = format!("/v1/batches/{batch}/documents");
    let mail = app.request(Method::POST, &path).files([("mail.txt", &b"Please find it."[..])]);
    let mail = mail.bearer(token).send().await.body["files"][0]["accepted"].clone();
    let id = |name: &str| mail[name].as_str().unwrap().parse::<uuid::Uuid>().unwrap();
    let part = AttachedFile {
        tenant_id: acme.tenant.tenant_id,
        parent: DocId(id("doc_id")),
        run_id: RunId(id("run_id")),
        name: "lease.txt".to_owned(),
        content: Bytes::from_static(b"The lease."),
        depth: 1,
    };
    (batch, part)
}

async fn counts(app: &TestApp, token: &str, batch: &str) -> Value {
    app.get(&format!("/v1/batches/{batch}")).bearer(token).send().await.body
}

#[tokio::test]
async fn an_attachment_joins_the_batch_which_waits_for_it() {
    let (app, acme) = start(100).await;
    let token = &acme.admin_token;
    let (batch, part) = mail_in_a_batch(&app, &acme).await;
    // The stage that finds it may run twice, even in a batch without deduplication.
    let first = app.ops.intake().accept_attachment(part.clone()).await.unwrap();
    assert_eq!(app.ops.intake().accept_attachment(part.clone()).await.unwrap(), first);
    let run = app.get("/v1/ingestion-runs?limit=1").bearer(token).send().await;
    let run = &run.body["items"][0];
    assert_eq!((&run["run_type"], &run["config"]["depth"]), (&json!("attachment"), &json!(1)));
    assert_eq!(run["config"]["within"], json!(part.parent));
    let found = counts(&app, token, &batch).await;
    assert_eq!(found["status"], "processing");
    let expected = json!({
        "offered": 1, "refused": 0, "documents": 2, "succeeded": 0, "failed": 0, "pending": 2
    });
    assert_eq!(found["counts"], expected, "it counts as a document but not as an uploaded file");
    app.work_off().await;
    let over = counts(&app, token, &batch).await;
    assert_eq!((&over["status"], &over["counts"]["succeeded"]), (&json!("completed"), &json!(2)));
    let results = app.get(&format!("/v1/batches/{batch}/results")).bearer(token).send().await;
    assert_eq!(results.body["items"][1]["filename"], "lease.txt", "{results:?}");
}

#[tokio::test]
async fn a_full_queue_delays_attachments() {
    let (app, acme) = start(1).await;
    let token = &acme.admin_token;
    let (batch, part) = mail_in_a_batch(&app, &acme).await;
    let refused = app.ops.intake().accept_attachment(part.clone()).await;
    assert!(matches!(refused, Err(OpsError::QueueFull { quota: 1 })), "{refused:?}");
    assert_eq!(counts(&app, token, &batch).await["counts"]["documents"], 1);
    // The queue is empty again; the count is cached for a second.
    app.work_off().await;
    app.clock.advance(chrono::Duration::seconds(1));
    assert!(app.ops.intake().accept_attachment(part).await.unwrap().is_some());
    assert_eq!(counts(&app, token, &batch).await["counts"]["documents"], 2);
}
