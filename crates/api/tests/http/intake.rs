//! Uploading documents: every outcome of deduplication, every refusal, and that nothing is left behind.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{Method, StatusCode};
use blob::{BlobUrl, Blobs};
use chrono::Duration;
use domain::{Failure, Role};
use engine::{Stage, StageFuture, StageInput, StageSettings, Stages};
use futures_util::TryStreamExt;
use serde_json::{Value, json};
use testkit::{BOUNDARY, Response, TestApp, TestSettings, TestTenant};

async fn upload(app: &TestApp, token: &str, name: &str, content: &str) -> Response {
    app.upload(name, content).bearer(token).send().await
}

async fn documents(app: &TestApp, token: &str, query: &str) -> Vec<Value> {
    let page = app.get(&format!("/v1/documents?{query}")).bearer(token).send().await;
    page.body["items"].as_array().unwrap().clone()
}

async fn count(app: &TestApp, table: &str) -> i64 {
    let mut superuser = app.database.superuser().await;
    let statement = sqlx::AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    sqlx::query_scalar(statement).fetch_one(&mut superuser).await.unwrap()
}

async fn originals(app: &TestApp) -> usize {
    app.blobs.list_originals().try_collect::<Vec<_>>().await.unwrap().len()
}

async fn staged(app: &TestApp) -> usize {
    app.blobs.list_staged().try_collect::<Vec<_>>().await.unwrap().len()
}

/// A stage that fails permanently.
struct Failing(domain::StageName, StageSettings);

impl Stage for Failing {
    fn name(&self) -> &domain::StageName {
        &self.0
    }

    fn settings(&self) -> &StageSettings {
        &self.1
    }

    fn run<'a>(&'a self, _: &'a StageInput) -> StageFuture<'a> {
        Box::pin(async { Err(Failure::permanent("this page is torn", "Scan it again.")) })
    }
}

pub(crate) async fn fail_waiting_jobs(app: &TestApp) {
    let failing = Failing("ingest".parse().unwrap(), StageSettings::default());
    app.work_off_with(Stages::default().with(failing)).await;
}

async fn start() -> (TestApp, TestTenant) {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    (app, acme)
}

#[tokio::test]
async fn a_new_document_is_accepted_processed_and_served() {
    let (app, acme) = start().await;
    let accepted = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    assert_eq!(accepted.body["status"], "queued");
    assert_eq!(accepted.body["dedup_result"], "new");
    let run = app.get(accepted.header("location").unwrap()).bearer(&acme.admin_token).send().await;
    assert_eq!(run.body["status"], "queued");
    assert_eq!(run.body["started_at"], Value::Null);
    assert_eq!(run.body["run_type"], "manual_upload");
    assert_eq!(run.body["config"]["original_filename"], "a.txt");
    assert_eq!(run.body["config"]["source_type"], "upload");
    assert_eq!(documents(&app, &acme.admin_token, "").await, [] as [Value; 0], "not served yet");
    let uploaded = documents(&app, &acme.admin_token, "status=uploaded").await;
    assert_eq!(uploaded[0]["title"], "a.txt");

    app.work_off().await;
    let served = documents(&app, &acme.admin_token, "").await;
    assert_eq!(served[0]["doc_id"], accepted.body["doc_id"]);
    assert_eq!(served[0]["status"], "active");
    assert_eq!(served[0]["version_label"], "v1");
    let log =
        app.get("/v1/audit?limit=100").bearer(&acme.admin_token).send().await.body.to_string();
    for action in ["DOCUMENT_UPLOAD_QUEUED", "JOB_CREATED", "JOB_STARTED", "JOB_COMPLETED"] {
        assert!(log.contains(action), "{action}");
    }
}

#[tokio::test]
async fn the_same_content_is_skipped_under_any_name() {
    let (app, acme) = start().await;
    let first = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    app.work_off().await;
    let again = upload(&app, &acme.admin_token, "b.txt", "some words").await;
    assert_eq!(again.status, StatusCode::OK);
    assert_eq!(again.body["status"], "skipped");
    assert_eq!(again.body["reason"], "already ingested, no changes");
    assert_eq!(again.body["doc_id"], first.body["doc_id"]);
    assert_eq!(again.body.get("run_id"), None);
    assert_eq!(count(&app, "ingestion_runs").await, 1);
    assert_eq!((originals(&app).await, staged(&app).await), (1, 0));
}

#[tokio::test]
async fn other_content_is_another_document_even_under_the_same_name() {
    let (app, acme) = start().await;
    let one = upload(&app, &acme.admin_token, "a.txt", "one").await;
    let two = upload(&app, &acme.admin_token, "a.txt", "two").await;
    assert_ne!(one.body["doc_id"], two.body["doc_id"]);
}

#[tokio::test]
async fn content_in_progress_is_not_processed_twice() {
    let (app, acme) = start().await;
    let first = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    let second = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    assert_eq!(second.status, StatusCode::ACCEPTED);
    assert_eq!(second.body["dedup_result"], "in_progress");
    assert_eq!(second.body["run_id"], first.body["run_id"]);
    assert_eq!(count(&app, "ingestion_runs").await, 1);
}

#[tokio::test]
async fn withdrawn_or_failed_content_is_processed_again() {
    let (app, acme) = start().await;
    let first = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    app.work_off().await;
    let path = format!("/v1/documents/{}", first.body["doc_id"].as_str().unwrap());
    let out = app.request(Method::POST, &format!("{path}/deactivate")).bearer(&acme.admin_token);
    assert_eq!(out.send().await.status, StatusCode::NO_CONTENT);
    assert_eq!(documents(&app, &acme.admin_token, "status=inactive").await.len(), 1);
    let again = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    assert_eq!(again.body["dedup_result"], "new");
    assert_eq!(again.body["doc_id"], first.body["doc_id"]);

    fail_waiting_jobs(&app).await;
    let failed = documents(&app, &acme.admin_token, "status=all").await;
    assert_eq!(failed[0]["status"], "failed");
    assert_eq!(failed[0]["error"], "this page is torn");
    let retried = app.request(Method::POST, &format!("{path}/retry")).bearer(&acme.admin_token);
    assert_eq!(retried.send().await.status, StatusCode::ACCEPTED);
    app.work_off().await;
    let served = documents(&app, &acme.admin_token, "").await;
    assert_eq!(served[0]["version_label"], "v2");
}

#[tokio::test]
async fn a_rerun_has_a_parent_and_the_active_version_stays_active() {
    let (app, acme) = start().await;
    let first = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    app.work_off().await;
    let path = format!("/v1/documents/{}", first.body["doc_id"].as_str().unwrap());
    let rerun = app.post(&format!("{path}/rerun"), json!({"reason": "new model"}));
    let rerun = rerun.bearer(&acme.admin_token).send().await;
    assert_eq!(rerun.status, StatusCode::ACCEPTED);
    fail_waiting_jobs(&app).await;
    let detail = app.get(&path).bearer(&acme.admin_token).send().await.body;
    assert_eq!(detail["status"], "active", "a failed rerun changes nothing");
    assert_eq!(detail["runs"][0]["parent_run_id"], first.body["run_id"]);
    assert_eq!(detail["runs"][0]["reason"], "new model");
    assert_eq!(detail["runs"][0]["stages"][0]["status"], "failed");
    assert_eq!(detail["versions"].as_array().unwrap().len(), 1);

    let rerun =
        app.post(&format!("{path}/rerun"), json!({})).bearer(&acme.admin_token).send().await;
    app.work_off().await;
    let detail = app.get(&path).bearer(&acme.admin_token).send().await.body;
    let versions = detail["versions"].as_array().unwrap();
    let active: Vec<&Value> = versions.iter().filter(|v| v["is_active"] == true).collect();
    assert_eq!(active.len(), 1);
    assert_eq!(active[0]["run_id"], rerun.body["run_id"]);
}

#[tokio::test]
async fn a_deleted_document_is_invisible_and_can_be_uploaded_again() {
    let (app, acme) = start().await;
    let first = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    app.work_off().await;
    let path = format!("/v1/documents/{}", first.body["doc_id"].as_str().unwrap());
    let deleted = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    assert_eq!(documents(&app, &acme.admin_token, "status=all").await, [] as [Value; 0]);
    assert_eq!(app.get(&path).bearer(&acme.admin_token).send().await.status, StatusCode::NOT_FOUND);
    let again = upload(&app, &acme.admin_token, "a.txt", "some words").await;
    assert_eq!(again.body["dedup_result"], "new");
    app.work_off().await;
    assert_eq!(documents(&app, &acme.admin_token, "").await.len(), 1);
}

#[tokio::test]
async fn concurrent_uploads_of_the_same_files_create_one_document_per_file() {
    const FILES: u32 = 200;
    const CLIENTS: u32 = 64;
    let mut settings = TestSettings::default();
    settings.api.rate_limit_burst = (FILES * CLIENTS * 2).try_into().unwrap();
    let app = Arc::new(TestApp::start_with(settings).await);
    let acme = Arc::new(app.tenant("acme").await);
    let clients = (0..CLIENTS).map(|client| {
        let (app, acme) = (Arc::clone(&app), Arc::clone(&acme));
        tokio::spawn(async move {
            for step in 0..FILES {
                // Each client has a different order.
                let file = (step * (2 * client + 1) + client * 7) % FILES;
                let answer =
                    upload(&app, &acme.admin_token, "x.txt", &format!("file {file}")).await;
                assert!(answer.status.is_success(), "{answer:?}");
            }
        })
    });
    for client in clients.collect::<Vec<_>>() {
        client.await.unwrap();
    }
    assert_eq!(count(&app, "documents").await, i64::from(FILES));
    assert_eq!(originals(&app).await, FILES as usize);
    app.work_off().await;
    assert_eq!(count(&app, "document_versions WHERE is_active").await, i64::from(FILES));
}

#[tokio::test]
async fn a_refused_upload_leaves_nothing_behind() {
    let (app, acme) = start().await;
    let token = &acme.admin_token;
    let large = "x".repeat(1024 * 1024 + 1);
    let program = [b"\x7fELF\x02\x01\x01".as_slice(), &[0; 80]].concat();
    let refusals: [(&str, &[u8], StatusCode, &str); 5] = [
        ("a.txt", b"", StatusCode::BAD_REQUEST, "The file is empty."),
        ("a.pdf", b"words", StatusCode::BAD_REQUEST, "named .pdf but contains text/plain"),
        ("a.txt", b"%PDF-1.4", StatusCode::BAD_REQUEST, "contains application/pdf"),
        ("a.pdf", &program, StatusCode::BAD_REQUEST, "executable"),
        ("a.txt", large.as_bytes(), StatusCode::PAYLOAD_TOO_LARGE, "larger than the limit of 1 MB"),
    ];
    for (name, content, status, detail) in refusals {
        let request = app.request(Method::POST, "/v1/ingest").files([(name, content)]);
        let refused = request.bearer(token).send().await;
        assert_eq!(refused.status, status, "{name}: {}", refused.body);
        let said = refused.body["detail"].as_str().unwrap();
        assert!(said.contains(detail), "{said}");
    }
    assert_eq!(count(&app, "documents").await + count(&app, "blobs").await, 0);
    assert_eq!((originals(&app).await, staged(&app).await), (0, 0));
}

/// The rows of a large file are written while it is published, but committed only afterwards.
#[tokio::test]
async fn a_large_file_that_cannot_be_published_has_no_rows() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(&BlobUrl::Folder(folder.path().to_owned())).unwrap();
    let mut settings = TestSettings::default();
    settings.ops.intake.max_bytes = 8 << 20;
    let app = TestApp::start_on(blobs, settings).await;
    let acme = app.tenant("acme").await;
    let large = "a line of a text that goes on and on\n".repeat(100_000);
    let in_the_way = folder.path().join(format!("originals/{}", acme.tenant.tenant_id));
    std::fs::create_dir_all(in_the_way.parent().unwrap()).unwrap();
    std::fs::write(&in_the_way, "a file where a folder should be").unwrap();
    let failed = upload(&app, &acme.admin_token, "large.txt", &large).await;
    assert!(failed.status.is_server_error(), "{failed:?}");
    for table in ["documents", "ingestion_runs", "jobs"] {
        assert_eq!(count(&app, table).await, 0, "{table}");
    }
    std::fs::remove_file(&in_the_way).unwrap();
    std::fs::create_dir(&in_the_way).unwrap();
    let accepted = upload(&app, &acme.admin_token, "large.txt", &large).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{accepted:?}");
    assert_eq!((count(&app, "documents").await, originals(&app).await), (1, 1));
}

#[tokio::test]
async fn an_invalid_form_is_refused_with_advice() {
    let (app, acme) = start().await;
    let ask = || app.request(Method::POST, "/v1/ingest").bearer(&acme.admin_token);
    let no_form = ask().json(json!({})).send().await;
    let no_file = ask().files([]).send().await;
    let two = ask().files([("a.txt", b"a".as_slice()), ("b.txt", b"b")]).send().await;
    let cut = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nhalf a fi"
    );
    let cut = ask().form(Body::from(cut)).send().await;
    let unknown = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"colour\"\r\n\r\nred\r\n--{BOUNDARY}--\r\n"
    );
    let unknown = ask().form(Body::from(unknown)).send().await;
    for (refused, what) in [
        (no_form, "multipart/form-data"),
        (no_file, "contains no file"),
        (two, "several files"),
        (cut, "ended early"),
        (unknown, "'colour'"),
    ] {
        assert_eq!(refused.status, StatusCode::BAD_REQUEST, "{}", refused.body);
        assert!(refused.body["detail"].as_str().unwrap().contains(what), "{}", refused.body);
    }
    assert_eq!(count(&app, "documents").await, 0);
}

#[tokio::test]
async fn a_full_queue_sends_retry_after() {
    let mut settings = TestSettings::default();
    settings.ops.intake.queue_quota = 2;
    let app = TestApp::start_with(settings).await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    for content in ["one", "two"] {
        assert_eq!(
            upload(&app, &acme.admin_token, "a.txt", content).await.status,
            StatusCode::ACCEPTED
        );
    }
    let refused = upload(&app, &acme.admin_token, "a.txt", "three").await;
    assert_eq!(refused.status, StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(refused.code(), "queue_full");
    assert!(refused.header("retry-after").is_some());
    assert_eq!(originals(&app).await, 2, "nothing half-written");
    assert_eq!(upload(&app, &other.admin_token, "a.txt", "x").await.status, StatusCode::ACCEPTED);
    app.work_off().await;
    app.clock.advance(Duration::seconds(1));
    assert_eq!(
        upload(&app, &acme.admin_token, "a.txt", "three").await.status,
        StatusCode::ACCEPTED
    );
}

#[tokio::test]
async fn an_upload_with_an_idempotency_key_takes_effect_once() {
    let (app, acme) = start().await;
    let send = |content: &'static str| {
        app.upload("a.txt", content)
            .bearer(&acme.admin_token)
            .header("idempotency-key", "k1")
            .send()
    };
    let first = send("some words").await;
    app.work_off().await;
    let again = send("some words").await;
    assert_eq!(again.status, StatusCode::ACCEPTED, "the response of the first request");
    assert_eq!(again.header("idempotent-replayed"), Some("true"));
    assert_eq!(again.body, first.body);
    let other = send("other words").await;
    assert_eq!(other.status, StatusCode::UNPROCESSABLE_ENTITY);
    assert_eq!(count(&app, "documents").await, 1);
    assert_eq!(staged(&app).await, 0);
}

#[tokio::test]
async fn a_user_sees_only_documents_that_they_uploaded() {
    let (app, acme) = start().await;
    let (_, ada) = app.user(&acme, Role::User).await;
    let (_, bob) = app.user(&acme, Role::User).await;
    let (_, viewer) = app.user(&acme, Role::Viewer).await;
    let accepted = upload(&app, &ada, "a.txt", "ada's words").await;
    app.work_off().await;
    let path = format!("/v1/documents/{}", accepted.body["doc_id"].as_str().unwrap());
    assert_eq!(documents(&app, &ada, "").await.len(), 1);
    assert_eq!(documents(&app, &viewer, "").await.len(), 1);
    assert_eq!(documents(&app, &bob, "").await.len(), 0);
    assert_eq!(app.get(&path).bearer(&bob).send().await.status, StatusCode::NOT_FOUND);
    let summary = |token: String| app.get("/v1/documents/stats/summary").bearer(&token).send();
    assert_eq!(summary(ada.clone()).await.body["active"], 1);
    assert_eq!(summary(bob.clone()).await.body["total"], 0);

    let same = upload(&app, &bob, "b.txt", "ada's words").await;
    assert_eq!(same.body["status"], "skipped");
    assert_eq!(app.get(&path).bearer(&bob).send().await.status, StatusCode::OK);
    assert_eq!(count(&app, "documents").await, 1);
}

#[tokio::test]
async fn lists_are_searched_filtered_and_paged() {
    let (app, acme) = start().await;
    for number in 0..5 {
        upload(&app, &acme.admin_token, &format!("letter-{number}.txt"), &format!("{number}"))
            .await;
        app.clock.advance(Duration::seconds(10));
    }
    app.work_off().await;
    let token = &acme.admin_token;
    assert_eq!(documents(&app, token, "search=LETTER-3").await.len(), 1);
    assert_eq!(documents(&app, token, "status=failed").await.len(), 0);
    let first = app.get("/v1/documents?limit=2").bearer(token).send().await.body;
    assert_eq!(first["items"][0]["filename"], "letter-4.txt");
    let cursor = first["next_cursor"].as_str().unwrap();
    let second = documents(&app, token, &format!("limit=2&cursor={cursor}")).await;
    assert_eq!(second[0]["filename"], "letter-2.txt");
    let from = first["items"][1]["created_at"].as_str().unwrap();
    assert_eq!(documents(&app, token, &format!("from={from}")).await.len(), 2);
    assert_eq!(documents(&app, token, &format!("to={from}")).await.len(), 3);
    let runs = app.get("/v1/ingestion-runs?status=succeeded&limit=3").bearer(token).send().await;
    assert_eq!(runs.body["items"].as_array().unwrap().len(), 3);
}

#[tokio::test]
async fn documents_that_never_got_a_version_are_orphans() {
    let (app, acme) = start().await;
    upload(&app, &acme.admin_token, "good.txt", "good").await;
    app.work_off().await;
    upload(&app, &acme.admin_token, "bad.txt", "bad").await;
    fail_waiting_jobs(&app).await;
    let orphans = app.get("/v1/documents/orphans").bearer(&acme.admin_token).send().await.body;
    assert_eq!(orphans["items"].as_array().unwrap().len(), 1);
    assert_eq!(orphans["items"][0]["filename"], "bad.txt");
}

#[tokio::test]
async fn a_link_works_without_a_credential_until_it_expires() {
    let (app, acme) = start().await;
    let accepted = upload(&app, &acme.admin_token, "naïve \"name\".txt", "0123456789").await;
    let path = format!("/v1/documents/{}/original", accepted.body["doc_id"].as_str().unwrap());
    let link =
        app.get(&format!("{path}?expires_in_hours=2")).bearer(&acme.admin_token).send().await;
    let url = link.body["url"].as_str().unwrap();
    let whole = app.get(url).send().await;
    assert_eq!(whole.status, StatusCode::OK);
    assert_eq!(whole.header("content-type"), Some("text/plain"));
    assert_eq!(whole.body, json!("0123456789"));
    let part = app.get(url).header("range", "bytes=2-4").send().await;
    assert_eq!(part.status, StatusCode::PARTIAL_CONTENT);
    assert_eq!(part.header("content-range"), Some("bytes 2-4/10"));
    assert_eq!(part.body, json!(234));
    let behind = app.get(url).header("range", "bytes=99-").send().await;
    assert_eq!(behind.status, StatusCode::RANGE_NOT_SATISFIABLE);
    let forged = app.get(&format!("{url}x")).send().await;
    assert_eq!(forged.status, StatusCode::NOT_FOUND);
    for hours in ["0", "25"] {
        let refused =
            app.get(&format!("{path}?expires_in_hours={hours}")).bearer(&acme.admin_token);
        assert_eq!(refused.send().await.status, StatusCode::BAD_REQUEST, "{hours}");
    }
    app.clock.advance(Duration::hours(2));
    let late = app.get(url).send().await;
    assert_eq!((late.status, late.code()), (StatusCode::GONE, "link_expired"));
}
