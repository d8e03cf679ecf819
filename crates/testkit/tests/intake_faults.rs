//! What an upload meets when something dies under it: an error that says what to do, no row without its
//! bytes, and nothing left that the cleanup task does not find.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::http::{Method, StatusCode};
use blob::{BlobUrl, Blobs, Settings, Timeouts};
use futures_util::{TryStreamExt, stream};
use ops::{OriginalsCleanup, Retention};
use testkit::objects::{BUCKET, Fault, FaultyProxy, GcsServer};
use testkit::{BOUNDARY, Disk, TestApp, TestSettings};

async fn rows(app: &TestApp, table: &str) -> i64 {
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

/// The originals that are left after the cleanup of those without a reference.
async fn swept(app: &TestApp) -> usize {
    app.clock.advance(chrono::Duration::hours(25));
    let retention =
        Retention { orphans: chrono::Duration::hours(24), failed: chrono::Duration::days(7) };
    let (store, blobs) = (app.ops.store().clone(), app.blobs.clone());
    OriginalsCleanup { store, blobs, clock: app.clock.clone(), retention }.sweep().await.unwrap();
    originals(app).await
}

#[tokio::test]
async fn an_object_store_that_fails_or_hangs_means_that_nothing_is_accepted() {
    let server = GcsServer::start().await;
    let proxy = FaultyProxy::before(server.address()).await;
    let timeouts = Timeouts {
        connect: Duration::from_secs(1),
        response: Duration::from_secs(1),
        retries: 1,
        retry_for: Duration::from_secs(2),
        check: Duration::from_secs(1),
    };
    let environment = GcsServer::environment(proxy.address());
    let settings = Settings { timeouts, ..Settings::with_environment(environment) };
    let blobs = Blobs::open_with(&format!("gs://{BUCKET}").parse().unwrap(), &settings).unwrap();
    let app = TestApp::start_on(blobs, TestSettings::default()).await;
    let acme = app.tenant("acme").await;
    for fault in [Fault::Answers(500), Fault::Hangs, Fault::Refuses] {
        proxy.set(fault);
        let refused = app.upload("a.txt", "some words").bearer(&acme.admin_token).send().await;
        assert_eq!(refused.status, StatusCode::SERVICE_UNAVAILABLE, "{fault:?}");
        let said = refused.body["detail"].as_str().unwrap();
        assert!(said.contains("object store is unavailable"), "{said}");
        assert!(refused.header("retry-after").is_some());
        assert_eq!(rows(&app, "documents").await + rows(&app, "ingestion_runs").await, 0);
        let ready = app.get("/readyz").send().await;
        assert_eq!(ready.status, StatusCode::SERVICE_UNAVAILABLE, "{fault:?}");
    }
    proxy.set(Fault::None);
    let accepted = app.upload("a.txt", "some words").bearer(&acme.admin_token).send().await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    app.work_off().await;
    assert_eq!(rows(&app, "document_versions WHERE is_active").await, 1);
    assert_eq!(swept(&app).await, 1);
}

#[tokio::test]
async fn a_client_that_dies_in_the_middle_leaves_nothing() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let head = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\n"
    );
    let piece = Bytes::from(vec![b'x'; 700 * 1024]);
    let cut = [Ok(Bytes::from(head)), Ok(piece), Err(std::io::Error::other("gone"))];
    let request =
        app.request(Method::POST, "/v1/ingest").form(Body::from_stream(stream::iter(cut)));
    let refused = request.bearer(&acme.admin_token).send().await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert_eq!(rows(&app, "documents").await + rows(&app, "blobs").await, 0);
    assert_eq!((originals(&app).await, staged(&app).await), (0, 0));
}

#[tokio::test]
async fn a_database_that_dies_between_bytes_and_row_leaves_bytes_for_cleanup() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let mut superuser = app.database.superuser().await;
    // Whatever comes after the announcement fails.
    sqlx::raw_sql("ALTER TABLE documents RENAME TO gone").execute(&mut superuser).await.unwrap();
    let failed = app.upload("a.txt", "some words").bearer(&acme.admin_token).send().await;
    assert_eq!(failed.status, StatusCode::INTERNAL_SERVER_ERROR);
    sqlx::raw_sql("ALTER TABLE gone RENAME TO documents").execute(&mut superuser).await.unwrap();
    assert_eq!(rows(&app, "documents").await + rows(&app, "ingestion_runs").await, 0);
    assert_eq!(originals(&app).await, 1, "published, and without a reference");
    assert_eq!(swept(&app).await, 0);
    app.ops.operations.do_housekeeping().await.unwrap();
    // A day later everybody has to sign in again.
    let token = app.login("admin@acme.test").await;
    let accepted = app.upload("a.txt", "some words").bearer(&token).send().await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED);
    app.work_off().await;
    assert_eq!(rows(&app, "document_versions WHERE is_active").await, 1);
}

#[tokio::test]
async fn a_full_disk_refuses_what_does_not_fit_and_keeps_what_did() {
    let folder = tempfile::tempdir().unwrap();
    let Some(_disk) = Disk::mounted_at(folder.path(), "size=2m") else { return };
    let blobs = Blobs::open(&BlobUrl::Folder(folder.path().join("blobs"))).unwrap();
    let app = TestApp::start_on(blobs, TestSettings::default()).await;
    let acme = app.tenant("acme").await;
    let mut accepted = 0;
    for letter in ["a", "b", "c", "d"] {
        let content = letter.repeat(900 * 1024);
        let answer = app.upload("a.txt", &content).bearer(&acme.admin_token).send().await;
        if answer.status == StatusCode::ACCEPTED {
            accepted += 1;
            continue;
        }
        assert_eq!(answer.status, StatusCode::SERVICE_UNAVAILABLE, "{}", answer.body);
        let said = answer.body["detail"].as_str().unwrap();
        assert!(said.contains("object store is full"), "{said}");
    }
    assert!((1..4).contains(&accepted), "{accepted}");
    assert_eq!(rows(&app, "documents").await, accepted);
    assert_eq!(staged(&app).await, 0);
    assert_eq!(
        swept(&app).await,
        usize::try_from(accepted).unwrap(),
        "each document has its bytes"
    );
}
