//! No route exposes deleted, masked or replaced content to callers who may not read it.

use axum::body::Bytes;
use axum::http::{Method, StatusCode};
use blob::{Blobs, Settings};
use chrono::Duration;
use domain::{AttachedFile, Caller, DocId, Role, RunId};
use ops::EventId;
use serde_json::{Value, json};
use testkit::objects::{BUCKET, GcsServer};
use testkit::{Library, Response, TestApp, TestSettings, TestTenant};

/// The lower part of every page of payslips.
const MASK: [f32; 4] = [0.0, 0.1, 1.0, 1.0];
const PAYSLIP: &str = "Payslip of Ada.\n\nIBAN DE02120300000000202051";

/// An active document.
struct Ready {
    doc_id: String,
    run_id: String,
}

impl Ready {
    fn path(&self, rest: &str) -> String {
        format!("/v1/documents/{}{rest}", self.doc_id)
    }

    fn artifact(&self) -> String {
        artifact_of(&self.run_id)
    }
}

fn artifact_of(run_id: &str) -> String {
    format!("/v1/ingestion-runs/{run_id}/artifacts/layout/text.txt")
}

async fn start() -> (Library, TestTenant) {
    let library = Library::open().await;
    let acme = library.app.tenant("acme").await;
    (library, acme)
}

async fn ready(library: &Library, token: &str, name: &str, text: &str) -> Ready {
    let made = library.app.upload(name, text).bearer(token).send().await;
    library.work_off().await;
    let id = |field: &str| made.body[field].as_str().unwrap().to_owned();
    Ready { doc_id: id("doc_id"), run_id: id("run_id") }
}

/// Reruns a document; returns the new run.
async fn rerun(library: &Library, acme: &TestTenant, document: &Ready) -> String {
    let again = library.app.post(&document.path("/rerun"), json!({}));
    let run = again.bearer(&acme.admin_token).send().await.body["run_id"].as_str().unwrap().into();
    library.work_off().await;
    run
}

async fn mask_payslips(app: &TestApp, acme: &TestTenant) {
    let rules = json!({ "masks": [{ "box": MASK, "file_name_contains": "payslip" }] });
    let changed = app.put("/v1/tenant/rules", rules).bearer(&acme.admin_token).send().await;
    assert_eq!(changed.status, StatusCode::OK, "{changed:?}");
}

async fn get(app: &TestApp, path: &str, token: &str) -> Response {
    app.get(path).bearer(token).send().await
}

/// The status and, of a problem, its code.
async fn answer(app: &TestApp, path: &str, token: &str) -> (u16, String) {
    let response = get(app, path, token).await;
    (response.status.as_u16(), response.code().to_owned())
}

fn problem(status: u16, code: &str) -> (u16, String) {
    (status, code.to_owned())
}

async fn link_to(app: &TestApp, document: &Ready, token: &str) -> String {
    let link = get(app, &document.path("/original"), token).await;
    link.body["url"].as_str().unwrap_or_else(|| panic!("{link:?}")).to_owned()
}

async fn audited(app: &TestApp, acme: &TestTenant, action: &str) -> Vec<Value> {
    let rows = get(app, &format!("/v1/audit?action={action}"), &acme.admin_token).await;
    rows.body["items"].as_array().unwrap().clone()
}

#[tokio::test]
async fn a_deleted_document_is_not_readable_by_anyone() {
    let (library, acme) = start().await;
    let app = &library.app;
    let (_, viewer) = app.user(&acme, Role::Viewer).await;
    let batch = app.post("/v1/batches", json!({})).bearer(&acme.admin_token).send().await;
    let batch = batch.body["batch_id"].as_str().unwrap();
    let files = [("tenancy.txt", &b"The rent is 900 euros."[..])];
    let added = app.request(Method::POST, &format!("/v1/batches/{batch}/documents")).files(files);
    let added = added.bearer(&acme.admin_token).send().await.body["files"][0]["accepted"].clone();
    library.work_off().await;
    let id = |field: &str| added[field].as_str().unwrap().to_owned();
    let document = Ready { doc_id: id("doc_id"), run_id: id("run_id") };
    let link = link_to(app, &document, &viewer).await;
    let of_document = [
        document.path(""),
        document.path("/original"),
        document.path("/pdf"),
        document.path("/pages/1"),
        document.path("/pages/1.png"),
        document.path("/text"),
        document.path("/text?format=markdown"),
        document.artifact(),
        format!("/v1/ingestion-runs/{}", document.run_id),
        link,
    ];
    for path in &of_document {
        assert_eq!(get(app, path, &viewer).await.status, StatusCode::OK, "{path}");
    }
    let lists = [
        "/v1/ingestion-runs".to_owned(),
        format!("/v1/ingestion-runs?doc_id={}", document.doc_id),
        format!("/v1/batches/{batch}/results"),
        "/v1/jobs".to_owned(),
    ];

    let deleted = app.request(Method::DELETE, &document.path("")).bearer(&acme.admin_token);
    assert_eq!(deleted.send().await.status, StatusCode::NO_CONTENT);
    for token in [&viewer, &acme.admin_token] {
        for path in &of_document {
            assert_eq!(answer(app, path, token).await, problem(404, "not_found"), "{path}");
        }
    }
    for path in &lists {
        let listed = get(app, path, &acme.admin_token).await;
        assert_eq!(listed.status, StatusCode::OK, "{path}");
        assert!(!listed.body.to_string().contains("tenancy"), "{path}: {listed:?}");
    }
}

#[tokio::test]
async fn events_of_a_deleted_document_are_not_replayed() {
    let (library, acme) = start().await;
    let app = &library.app;
    let kept = ready(&library, &acme.admin_token, "kept.txt", "This one stays.").await;
    let gone = ready(&library, &acme.admin_token, "gone.txt", "This one goes.").await;
    let deleted = app.request(Method::DELETE, &gone.path("")).bearer(&acme.admin_token);
    deleted.send().await;
    let last = ready(&library, &acme.admin_token, "last.txt", "The last one.").await;
    let beginning: EventId = "p0-00000000000000000000000000000000".parse().unwrap();
    let caller = Caller::of_user(&acme.admin);
    let mut following = app.ops.events.follow_events(&caller, Some(beginning)).await.unwrap();
    let mut told = Vec::new();
    while told.last() != Some(&last.doc_id) {
        let event = following.next().await.unwrap();
        told.push(event.payload["doc_id"].as_str().unwrap_or("").to_owned());
    }
    assert!(told.contains(&kept.doc_id) && !told.contains(&gone.doc_id), "{told:?}");
}

#[tokio::test]
async fn a_link_ends_when_its_creator_is_deactivated() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "lease.txt", "The rent is due.").await;
    let (user, token) = app.user(&acme, Role::Viewer).await;
    let link = link_to(app, &document, &token).await;
    let others = link_to(app, &document, &acme.admin_token).await;
    let path = format!("/v1/users/{}", user.user_id);
    app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    let refused = app.get(&link).send().await;
    assert_eq!((refused.status, refused.code()), (StatusCode::GONE, "link_revoked"));
    assert_eq!(app.get(&others).send().await.status, StatusCode::OK);
}

#[tokio::test]
async fn a_link_ends_when_the_key_of_its_creator_is_revoked() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "lease.txt", "The rent is due.").await;
    let made = app.post("/v1/api-keys", json!({"name": "scanner", "role": "viewer"}));
    let made = made.bearer(&acme.admin_token).send().await.body;
    let link = link_to(app, &document, made["key"].as_str().unwrap()).await;
    assert_eq!(app.get(&link).send().await.status, StatusCode::OK);
    let path = format!("/v1/api-keys/{}", made["api_key_id"].as_str().unwrap());
    app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    let refused = app.get(&link).send().await;
    assert_eq!((refused.status, refused.code()), (StatusCode::GONE, "link_revoked"));
}

#[tokio::test]
async fn a_link_ends_when_the_key_expires_or_its_creator_is_deactivated() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "lease.txt", "The rent is due.").await;
    let (user, admin) = app.user(&acme, Role::Admin).await;
    let end = app.ops.clock().now() + Duration::minutes(30);
    let mut links = Vec::new();
    for (maker, expires_at) in [(&admin, None), (&acme.admin_token, Some(end))] {
        let body = json!({ "name": "scanner", "role": "viewer", "expires_at": expires_at });
        let made = app.post("/v1/api-keys", body).bearer(maker).send().await.body;
        links.push(link_to(app, &document, made["key"].as_str().unwrap()).await);
    }
    for link in &links {
        assert_eq!(app.get(link).send().await.status, StatusCode::OK);
    }
    let path = format!("/v1/users/{}", user.user_id);
    app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    let refused = app.get(&links[0]).send().await;
    assert_eq!(refused.code(), "link_revoked", "the creator of the key was deactivated");
    assert_eq!(app.get(&links[1]).send().await.status, StatusCode::OK);
    app.clock.advance(Duration::minutes(30));
    assert_eq!(app.get(&links[1]).send().await.code(), "link_revoked", "the key has expired");
}

#[tokio::test]
async fn a_link_ends_when_its_creator_loses_access_to_the_original() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "payslip.txt", PAYSLIP).await;
    let (user, viewer) = app.user(&acme, Role::Viewer).await;
    let link = link_to(app, &document, &viewer).await;
    let of_admin = link_to(app, &document, &acme.admin_token).await;
    assert_eq!(app.get(&link).send().await.status, StatusCode::OK);
    mask_payslips(app, &acme).await;
    assert_eq!(app.get(&link).send().await.code(), "link_revoked");
    assert_eq!(app.get(&of_admin).send().await.status, StatusCode::OK);

    // The creator's new role sees less.
    app.put("/v1/tenant/rules", json!({})).bearer(&acme.admin_token).send().await;
    assert_eq!(app.get(&link).send().await.status, StatusCode::OK);
    let path = format!("/v1/users/{}", user.user_id);
    let demoted = app.request(Method::PATCH, &path).json(json!({ "role": "user" }));
    demoted.bearer(&acme.admin_token).send().await;
    assert_eq!(app.get(&link).send().await.status, StatusCode::NOT_FOUND);
}

#[tokio::test]
async fn only_administrators_read_masked_content_in_older_runs() {
    let (library, acme) = start().await;
    let app = &library.app;
    let (_, viewer) = app.user(&acme, Role::Viewer).await;
    let (_, reviewer) = app.user(&acme, Role::Reviewer).await;
    let document = ready(&library, &acme.admin_token, "payslip.txt", PAYSLIP).await;
    assert!(get(app, &document.path("/text"), &viewer).await.body.to_string().contains("IBAN"));
    mask_payslips(app, &acme).await;
    let masked_run = rerun(&library, &acme, &document).await;

    let text = get(app, &document.path("/text"), &viewer).await.body.to_string();
    assert!(text.contains("Payslip") && !text.contains("IBAN"), "{text}");
    let masked = get(app, &artifact_of(&masked_run), &viewer).await;
    assert_eq!(masked.status, StatusCode::OK);
    assert!(!masked.body.to_string().contains("IBAN"), "{masked:?}");
    for token in [&viewer, &reviewer] {
        let refused = answer(app, &document.artifact(), token).await;
        assert_eq!(refused, problem(403, "run_is_before_mask"));
        let run = get(app, &format!("/v1/ingestion-runs/{}", document.run_id), token).await.body;
        assert_eq!(run["artifacts_readable"], false);
        for stage in run["stages"].as_array().unwrap() {
            assert_eq!(stage["artifacts"], json!([]), "{stage}");
        }
    }
    let old = get(app, &document.artifact(), &acme.admin_token).await;
    assert!(old.body.to_string().contains("IBAN"), "{old:?}");
}

#[tokio::test]
async fn a_rerun_reuses_nothing_from_before_a_new_mask() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "payslip.txt", PAYSLIP).await;
    mask_payslips(app, &acme).await;
    let from_index = json!({ "from_stage": "index" });
    let again = app.post(&document.path("/rerun"), from_index.clone()).bearer(&acme.admin_token);
    let refused = again.send().await;
    assert_eq!((refused.status, refused.code()), (StatusCode::CONFLICT, "nothing_to_reuse"));
    rerun(&library, &acme, &document).await;
    let again = app.post(&document.path("/rerun"), from_index).bearer(&acme.admin_token);
    assert_eq!(again.send().await.status, StatusCode::ACCEPTED, "the masks are the same now");
}

#[tokio::test]
async fn the_original_of_a_masked_document_is_for_administrators() {
    let (library, acme) = start().await;
    let app = &library.app;
    mask_payslips(app, &acme).await;
    let (_, owner) = app.user(&acme, Role::User).await;
    let document = ready(&library, &owner, "payslip.txt", PAYSLIP).await;
    for role in [Role::Viewer, Role::Reviewer, Role::Auditor] {
        let (_, token) = app.user(&acme, role).await;
        let refused = answer(app, &document.path("/original"), &token).await;
        assert_eq!(refused, problem(403, "original_is_masked"), "{role}");
    }
    let refused = answer(app, &document.path("/pdf"), &owner).await;
    assert_eq!(refused, problem(403, "original_is_masked"), "its owner");
    let link = link_to(app, &document, &acme.admin_token).await;
    assert!(app.get(&link).send().await.body.to_string().contains("IBAN"));
}

#[tokio::test]
async fn the_original_of_a_mail_with_a_masked_or_deleted_attachment_is_restricted() {
    let (library, acme) = start().await;
    let app = &library.app;
    let (_, viewer) = app.user(&acme, Role::Viewer).await;
    let mail = ready(&library, &acme.admin_token, "mail.txt", "Please find it attached.").await;
    assert_eq!(get(app, &mail.path("/original"), &viewer).await.status, StatusCode::OK);
    let attached = AttachedFile {
        tenant_id: acme.tenant.tenant_id,
        parent: DocId(mail.doc_id.parse().unwrap()),
        run_id: RunId(mail.run_id.parse().unwrap()),
        name: "payslip.txt".to_owned(),
        content: Bytes::from_static(PAYSLIP.as_bytes()),
        depth: 1,
    };
    let attached = app.ops.intake().accept_attachment(attached).await.unwrap().unwrap();
    assert_eq!(get(app, &mail.path("/original"), &viewer).await.status, StatusCode::OK);
    mask_payslips(app, &acme).await;
    let refused = answer(app, &mail.path("/original"), &viewer).await;
    assert_eq!(refused, problem(403, "original_is_masked"));

    app.put("/v1/tenant/rules", json!({})).bearer(&acme.admin_token).send().await;
    let path = format!("/v1/documents/{attached}");
    app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    let refused = answer(app, &mail.path("/original"), &viewer).await;
    assert_eq!(refused, problem(403, "original_holds_deleted"));
    assert_eq!(answer(app, &mail.path("/text"), &viewer).await, problem(200, ""));
}

#[tokio::test]
async fn older_runs_are_read_by_administrators_and_reviewers() {
    let (library, acme) = start().await;
    let app = &library.app;
    let (_, owner) = app.user(&acme, Role::User).await;
    let document = ready(&library, &owner, "lease.txt", "The rent is 900 euros.").await;
    assert_eq!(get(app, &document.artifact(), &owner).await.status, StatusCode::OK);
    let newer = rerun(&library, &acme, &document).await;
    for (role, expected) in [
        (Role::Viewer, problem(403, "run_is_older")),
        (Role::Auditor, problem(403, "run_is_older")),
        (Role::Reviewer, problem(200, "")),
    ] {
        let (_, token) = app.user(&acme, role).await;
        assert_eq!(answer(app, &document.artifact(), &token).await, expected, "{role}");
        assert_eq!(answer(app, &artifact_of(&newer), &token).await, problem(200, ""), "{role}");
    }
    assert_eq!(answer(app, &document.artifact(), &owner).await, problem(403, "run_is_older"));
    assert_eq!(answer(app, &document.artifact(), &acme.admin_token).await, problem(200, ""));

    // Without an active version, the latest run is readable.
    let withdrawn = app.request(Method::POST, &document.path("/deactivate"));
    withdrawn.bearer(&acme.admin_token).send().await;
    assert_eq!(answer(app, &document.path("/text"), &owner).await, problem(200, ""));
    assert_eq!(answer(app, &artifact_of(&newer), &owner).await, problem(200, ""));
    assert_eq!(answer(app, &document.artifact(), &owner).await, problem(403, "run_is_older"));
}

#[tokio::test]
async fn a_run_without_text_does_not_serve_the_text_of_an_older_one() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "lease.txt", "The rent is due.").await;
    let again = app.post(&document.path("/rerun"), json!({ "pipeline": ["ingest"] }));
    again.bearer(&acme.admin_token).send().await;
    library.work_off().await;
    let refused = answer(app, &document.path("/text"), &acme.admin_token).await;
    assert_eq!(refused, problem(409, "not_read_yet"));
}

#[tokio::test]
async fn an_owner_does_not_see_the_metadata_of_another_owner() {
    let (library, acme) = start().await;
    let app = &library.app;
    let (_, ada) = app.user(&acme, Role::User).await;
    let (_, bob) = app.user(&acme, Role::User).await;
    let document = ready(&library, &ada, "adas-secret-title.txt", "Shared words.").await;
    let same = app.upload("b.txt", "Shared words.").bearer(&bob).send().await;
    assert_eq!(same.body["doc_id"], json!(document.doc_id));
    let run = format!("/v1/ingestion-runs/{}", document.run_id);
    let list = "/v1/ingestion-runs".to_owned();
    for path in [run.clone(), list, document.path("")] {
        let seen = get(app, &path, &bob).await.body;
        let runs = [&seen["runs"], &seen["items"], &seen["config"]];
        assert!(runs.iter().all(|runs| !runs.to_string().contains("adas-")), "{path}: {seen}");
    }
    assert_eq!(get(app, &run, &bob).await.body["config"]["original_filename"], "b.txt");
    let own = get(app, &run, &ada).await.body;
    assert_eq!(own["config"]["original_filename"], "adas-secret-title.txt");
}

#[tokio::test]
async fn reading_an_original_is_recorded_once() {
    let (library, acme) = start().await;
    let app = &library.app;
    let document = ready(&library, &acme.admin_token, "lease.txt", "0123456789").await;
    let (viewer, token) = app.user(&acme, Role::Viewer).await;
    let link = link_to(app, &document, &token).await;
    let made = audited(app, &acme, "ORIGINAL_LINK_CREATED").await;
    assert_eq!(made.len(), 1);
    assert_eq!(made[0]["user_id"], json!(viewer.user_id));
    assert_eq!(made[0]["entity_id"], json!(document.doc_id));

    let reads = async || audited(app, &acme, "ORIGINAL_READ").await.len();
    app.request(Method::HEAD, &link).send().await;
    assert_eq!(reads().await, 0, "a HEAD request reads nothing");
    for range in ["bytes=5-", "bytes=0-4", "bytes=2-3"] {
        app.get(&link).header("range", range).send().await;
    }
    assert_eq!(reads().await, 1, "whatever the first range is");
    app.get(&link).from_address("192.0.2.7".parse().unwrap()).send().await;
    assert_eq!(reads().await, 2, "another client");
    app.clock.advance(Duration::minutes(10));
    app.ops.operations.do_housekeeping().await.unwrap();
    app.get(&link).send().await;
    let rows = audited(app, &acme, "ORIGINAL_READ").await;
    assert_eq!(rows.len(), 3, "another time");
    assert!(rows.iter().all(|row| row["user_id"] == json!(viewer.user_id)), "{rows:?}");
    assert!(rows.iter().any(|row| row["detail"]["client"] == "192.0.2.7"), "{rows:?}");
}

#[tokio::test]
async fn a_link_to_a_bucket_redirects_for_a_minute_and_can_be_revoked() {
    let server = GcsServer::start().await;
    let settings = Settings::with_environment(GcsServer::environment(server.address()));
    let blobs = Blobs::open_with(&format!("gs://{BUCKET}").parse().unwrap(), &settings).unwrap();
    let app = TestApp::start_on(blobs, TestSettings::default()).await;
    let acme = app.tenant("acme").await;
    let made = app.upload("lease.txt", "The rent is due.").bearer(&acme.admin_token).send().await;
    let id = |field: &str| made.body[field].as_str().unwrap().to_owned();
    let document = Ready { doc_id: id("doc_id"), run_id: id("run_id") };
    let link = link_to(&app, &document, &acme.admin_token).await;
    assert!(link.starts_with("/v1/files/"), "{link}");
    let followed = app.get(&link).send().await;
    assert_eq!(followed.status, StatusCode::TEMPORARY_REDIRECT);
    assert_eq!(followed.header("cache-control"), Some("no-store"));
    let address = followed.header("location").unwrap();
    assert!(address.contains("Expires=60"), "{address}");
    assert_eq!(audited(&app, &acme, "ORIGINAL_READ").await.len(), 1);
    let deleted = app.request(Method::DELETE, &document.path("")).bearer(&acme.admin_token);
    deleted.send().await;
    assert_eq!(app.get(&link).send().await.status, StatusCode::NOT_FOUND);
}
