//! An object store that is unavailable, that is the wrong one, or whose objects are damaged.

use std::fs;
use std::path::{Path, PathBuf};

use axum::body::Body;
use axum::http::StatusCode;
use blob::{BlobUrl, Blobs, Settings, Timeouts};
use domain::{ContentHash, TenantId};
use http_body_util::BodyExt;
use ops::{CheckStep, ObjectProblem};
use sha2::{Digest, Sha256};
use testkit::objects::{BUCKET, Fault, FaultyProxy, GcsServer};
use testkit::{SeededRandom, TestApp, TestSettings, TestTenant};
use tower::ServiceExt;

use crate::pages::write_layout_artifacts;

/// An application whose originals are in a folder that the test can remove.
struct Office {
    app: TestApp,
    acme: TestTenant,
    root: PathBuf,
    parent: tempfile::TempDir,
}

impl Office {
    async fn open() -> Self {
        let parent = tempfile::tempdir().unwrap();
        let root = parent.path().join("objects");
        let blobs = Blobs::open(&BlobUrl::Folder(root.clone())).unwrap();
        let app = TestApp::start_on(blobs, TestSettings::default()).await;
        bind(&app).await;
        let acme = app.tenant("acme").await;
        Self { app, acme, root, parent }
    }

    fn away(&self) -> PathBuf {
        self.parent.path().join("away")
    }

    async fn upload(&self, content: &str) -> testkit::Response {
        self.app.upload("a.txt", content).bearer(&self.acme.admin_token).send().await
    }

    /// The document, its run, and a link to its original.
    async fn accepted(&self, content: &str) -> (String, String, String) {
        let answer = self.upload(content).await;
        assert_eq!(answer.status, StatusCode::ACCEPTED, "{}", answer.body);
        let id = |field: &str| answer.body[field].as_str().unwrap().to_owned();
        let doc_id = id("doc_id");
        let link = format!("/v1/documents/{doc_id}/original");
        let made = self.app.get(&link).bearer(&self.acme.admin_token).send().await;
        let path = made.body["url"].as_str().unwrap_or_else(|| panic!("{}", made.body)).to_owned();
        (doc_id, id("run_id"), path)
    }

    fn original(&self, content: &str) -> PathBuf {
        let hash = ContentHash(Sha256::digest(content).into());
        self.root.join(blob::key_of_original(self.acme.tenant.tenant_id, &hash))
    }

    async fn status_of(&self, doc_id: &str) -> String {
        let path = format!("/v1/documents/{doc_id}");
        let answer = self.app.get(&path).bearer(&self.acme.admin_token).send().await;
        answer.body["status"].as_str().unwrap().to_owned()
    }
}

async fn bind(app: &TestApp) {
    ops::bind_object_store(app.ops.store(), &app.blobs, &SeededRandom::new(1)).await.unwrap();
}

fn assert_unavailable(answer: &testkit::Response) {
    assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.body);
    assert_eq!(answer.code(), "objects_unavailable");
    assert!(answer.header("retry-after").is_some());
}

#[tokio::test]
async fn uploads_are_refused_while_the_folder_is_not_mounted() {
    let office = Office::open().await;
    let (doc_id, _, link) = office.accepted("before").await;
    fs::rename(&office.root, office.away()).unwrap();
    for make in [None, Some("originals")] {
        if let Some(name) = make {
            fs::create_dir_all(office.root.join(name)).unwrap();
        }
        assert_unavailable(&office.upload("meanwhile").await);
        assert_unavailable(&office.upload(&"meanwhile ".repeat(90_000)).await);
        assert_unavailable(&office.app.get(&link).send().await);
        let ready = office.app.get("/readyz").send().await;
        assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE);
        let said = ready.body.to_string();
        assert!(said.contains("mount it") && said.contains("docket check --adopt"), "{said}");
        // The job of the document waits.
        office.app.work_off().await;
        assert_ne!(office.status_of(&doc_id).await, "failed");
    }
    assert_eq!(fs::read_dir(office.root.join("originals")).unwrap().count(), 0);
    fs::remove_dir_all(&office.root).unwrap();
    fs::rename(office.away(), &office.root).unwrap();
    assert_eq!(office.app.get("/readyz").send().await.status, StatusCode::OK);
    office.app.clock.advance(chrono::Duration::hours(1));
    office.app.ops.operations.do_housekeeping().await.unwrap();
    office.app.work_off().await;
    assert_eq!(office.status_of(&doc_id).await, "active");
    office.accepted("meanwhile").await;
}

#[tokio::test]
async fn an_original_missing_from_the_right_store_is_reported() {
    let office = Office::open().await;
    let (doc_id, _, link) = office.accepted("to be lost").await;
    fs::remove_file(office.original("to be lost")).unwrap();
    let answer = office.app.get(&link).send().await;
    assert_eq!((answer.status, answer.code()), (StatusCode::NOT_FOUND, "not_found"));
    assert!(answer.body.to_string().contains("Upload the document again"), "{}", answer.body);
    office.app.work_off().await;
    assert_eq!(office.status_of(&doc_id).await, "failed");
    office.upload("to be lost").await;
    assert_eq!(office.app.get(&link).send().await.status, StatusCode::OK);
}

async fn body_of(app: &TestApp, link: &str, range: Option<&str>) -> Result<Vec<u8>, ()> {
    let mut request = axum::http::Request::get(link);
    if let Some(range) = range {
        request = request.header("range", range);
    }
    let request = request.body(Body::empty()).unwrap();
    let response = app.router().oneshot(request).await.unwrap();
    assert!(response.status().is_success(), "{}", response.status());
    let body = response.into_body().collect().await;
    body.map(|body| body.to_bytes().to_vec()).map_err(drop)
}

#[tokio::test]
async fn a_damaged_original_is_not_served_and_uploading_it_again_repairs_it() {
    let office = Office::open().await;
    let content = "A lease. ".repeat(80_000);
    let (_, _, link) = office.accepted(&content).await;
    let file = office.original(&content);
    fs::write(&file, &content.as_bytes()[..10]).unwrap();
    for range in [None, Some("bytes=0-3")] {
        let request = office.app.get(&link);
        let request = match range {
            Some(range) => request.header("range", range),
            None => request,
        };
        let answer = request.send().await;
        assert_eq!(answer.code(), "object_corrupted", "{}", answer.body);
        assert_eq!(answer.status, StatusCode::INTERNAL_SERVER_ERROR);
    }
    let mut flipped = content.clone().into_bytes();
    flipped[700_000] ^= 1;
    fs::write(&file, flipped).unwrap();
    assert!(body_of(&office.app, &link, None).await.is_err(), "the body ends before its length");
    assert_eq!(body_of(&office.app, &link, Some("bytes=0-6")).await.unwrap(), b"A lease");
    office.upload(&content).await;
    assert_eq!(body_of(&office.app, &link, None).await.unwrap(), content.as_bytes());
}

#[tokio::test]
async fn damaged_text_and_pages_are_not_served() {
    let office = Office::open().await;
    let (doc_id, run_id, _) = office.accepted("an invoice").await;
    office.app.work_off().await;
    write_layout_artifacts(&office.app, run_id.parse().unwrap()).await;
    let get = async |path: &str| {
        let path = format!("/v1/documents/{doc_id}/{path}");
        office.app.get(&path).bearer(&office.acme.admin_token).send().await
    };
    let tenant: TenantId = office.acme.tenant.tenant_id;
    let layout = office.root.join(format!("artifacts/{tenant}/{doc_id}/{run_id}/layout"));
    for (name, path) in [("text.txt", "text"), ("pages.dkt", "pages/1")] {
        assert_eq!(get(path).await.status, StatusCode::OK);
        // A verification is valid for some minutes.
        office.app.clock.advance(chrono::Duration::minutes(11));
        office.app.ops.operations.do_housekeeping().await.unwrap();
        flip_a_bit(&layout.join(name));
        let answer = get(path).await;
        assert_eq!(answer.code(), "object_corrupted", "{name}: {}", answer.body);
        assert!(answer.body.to_string().contains("Rerun the document"), "{}", answer.body);
    }
}

fn flip_a_bit(file: &Path) {
    let mut bytes = fs::read(file).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    fs::write(file, bytes).unwrap();
}

#[tokio::test]
async fn a_store_that_denies_access_is_a_transient_error() {
    let server = GcsServer::start().await;
    let proxy = FaultyProxy::before(server.address()).await;
    let timeouts = Timeouts { retries: 0, ..Timeouts::default() };
    let environment = GcsServer::environment(proxy.address());
    let settings = Settings { timeouts, ..Settings::with_environment(environment) };
    let blobs = Blobs::open_with(&format!("gs://{BUCKET}").parse().unwrap(), &settings).unwrap();
    let app = TestApp::start_on(blobs, TestSettings::default()).await;
    bind(&app).await;
    let acme = app.tenant("acme").await;
    let upload =
        async |content: &str| app.upload("a.txt", content).bearer(&acme.admin_token).send().await;
    let accepted = upload("before").await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{}", accepted.body);
    for fault in [Fault::Answers(403), Fault::Answers(404)] {
        proxy.set(fault);
        assert_unavailable(&upload("meanwhile").await);
        let ready = app.get("/readyz").send().await;
        assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE, "{fault:?}");
        if fault == Fault::Answers(403) {
            assert!(ready.body.to_string().contains("did not let Docket"), "{}", ready.body);
        }
        app.work_off().await;
        app.clock.advance(chrono::Duration::minutes(5));
        app.ops.operations.do_housekeeping().await.unwrap();
    }
    proxy.set(Fault::None);
    app.clock.advance(chrono::Duration::hours(1));
    app.ops.operations.do_housekeeping().await.unwrap();
    app.work_off().await;
    let path = format!("/v1/documents/{}", accepted.body["doc_id"].as_str().unwrap());
    let document = app.get(&path).bearer(&acme.admin_token).send().await;
    assert_eq!(document.body["status"], "active", "{}", document.body);
}

#[tokio::test]
async fn a_store_is_bound_to_one_database() {
    let office = Office::open().await;
    office.accepted("a document").await;
    let store = office.app.ops.store();
    let random = SeededRandom::new(2);
    let open = |root: PathBuf| Blobs::open(&BlobUrl::Folder(root)).unwrap();
    // Binding again is a no-op, as for the next process.
    ops::bind_object_store(store, &open(office.root.clone()), &random).await.unwrap();
    let empty = || open(office.parent.path().join("empty"));
    let refused = ops::bind_object_store(store, &empty(), &random).await.unwrap_err().to_string();
    assert!(refused.contains("has no valid docket-store.json"), "{refused}");
    // A new database is not bound to the store of another.
    let other = TestApp::start().await;
    let theirs = open(office.root.clone());
    let refused = ops::bind_object_store(other.ops.store(), &theirs, &random).await.unwrap_err();
    assert!(refused.to_string().contains("another database"), "{refused}");
    // A database of an earlier Docket is bound only to a store with its documents.
    let mut superuser = office.app.database.superuser().await;
    sqlx::query("DELETE FROM object_store").execute(&mut superuser).await.unwrap();
    fs::remove_file(office.root.join("docket-store.json")).unwrap();
    let refused = ops::bind_object_store(store, &empty(), &random).await.unwrap_err().to_string();
    assert!(refused.contains("none of the originals"), "{refused}");
    ops::bind_object_store(store, &open(office.root.clone()), &random).await.unwrap();
    // The operator can override this.
    let adopted = ops::adopt_object_store(store, &empty(), &random).await.unwrap();
    assert_eq!(empty().read_marker().await.unwrap(), Some(adopted));
    ops::bind_object_store(store, &empty(), &random).await.unwrap();
}

#[tokio::test]
async fn a_check_lists_missing_damaged_and_orphaned_objects() {
    let office = Office::open().await;
    for content in ["sound", "missing", "damaged"] {
        office.accepted(content).await;
    }
    office.app.work_off().await;
    let check = async |is_quick| {
        let mut found = Vec::new();
        let mut tell = |step| {
            if let CheckStep::Finding(finding) = step {
                found.push(finding);
            }
        };
        let totals = office.app.ops.objects.check_objects(is_quick, &mut tell).await.unwrap();
        (totals, found)
    };
    let (totals, found) = check(false).await;
    assert!(totals.is_sound() && found.is_empty(), "{found:?}");
    assert_eq!((totals.originals, totals.artifacts), (3, 3));
    fs::remove_file(office.original("missing")).unwrap();
    flip_a_bit(&office.original("damaged"));
    let orphan = office.original("nobody's");
    fs::create_dir_all(orphan.parent().unwrap()).unwrap();
    fs::write(&orphan, "nobody's").unwrap();
    let file = fs::File::options().write(true).open(&orphan).unwrap();
    file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    let (totals, found) = check(false).await;
    assert_eq!((totals.missing, totals.damaged, totals.orphaned), (1, 1, 1), "{found:?}");
    let missing = found.iter().find(|found| found.problem == ObjectProblem::Missing).unwrap();
    assert!(missing.doc_id.is_some() && missing.advice.contains("upload the document again"));
    let (totals, _) = check(true).await;
    assert_eq!((totals.missing, totals.damaged, totals.orphaned), (1, 0, 1), "sizes only");
}
