//! The cleanup of originals: it removes only those without a reference, and none that is about to get one.

#![expect(clippy::unwrap_used, reason = "the helpers of a test may do what a test may")]

use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use blob::{BlobUrl, Blobs};
use bytes::Bytes;
use chrono::Duration;
use domain::{Action, Caller, Clock, ClockUse, ContentHash, Scope};
use futures_util::TryStreamExt;
use ops::{OriginalsCleanup, RemovedObjects, Retention, UploadMetadata};
use testkit::{TestApp, TestSettings, TestTenant};
use uuid::Uuid;

fn cleanup(app: &TestApp) -> OriginalsCleanup {
    let retention = Retention { orphans: Duration::hours(24), failed: Duration::days(7) };
    OriginalsCleanup {
        store: app.ops.store().clone(),
        blobs: app.blobs.clone(),
        clock: app.clock.clone(),
        retention,
    }
}

async fn kept(app: &TestApp) -> HashSet<ContentHash> {
    let originals: Vec<_> = app.blobs.list_originals().try_collect().await.unwrap();
    originals.into_iter().map(|original| original.sha256).collect()
}

fn caller(tenant: &TestTenant) -> Caller {
    Caller::system(tenant.tenant.tenant_id)
}

fn scope(tenant: &TestTenant) -> Scope {
    caller(tenant).permit(Action::UploadDocuments).unwrap()
}

async fn upload(app: &TestApp, tenant: &TestTenant, content: &str) {
    let mut receiving = app.ops.uploads.begin_upload(&caller(tenant)).await.unwrap();
    receiving.write(Bytes::from(content.to_owned())).await.unwrap();
    let received = receiving.finish().await.unwrap();
    let described = UploadMetadata { file_name: "a.txt".to_owned(), ..UploadMetadata::default() };
    app.ops.uploads.submit_document(received, described, None).await.unwrap();
}

/// Announced and published, and then the process died.
async fn leave_unreferenced(app: &TestApp, tenant: &TestTenant, content: &str) -> ContentHash {
    let mut upload = app.blobs.begin_upload(fresh_id()).await.unwrap();
    upload.write(Bytes::from(content.to_owned())).await.unwrap();
    let staged = upload.finish().await.unwrap();
    let mut tx = app.ops.store().begin(&scope(tenant)).await.unwrap();
    tx.announce_blob(&staged.sha256, staged.size, "text/plain").await.unwrap();
    tx.commit().await.unwrap();
    app.blobs.publish(tenant.tenant.tenant_id, &staged).await.unwrap();
    staged.sha256
}

fn fresh_id() -> Uuid {
    static LAST: AtomicU64 = AtomicU64::new(0);
    Uuid::from_u64_pair(7, LAST.fetch_add(1, Ordering::Relaxed))
}

#[tokio::test]
async fn what_nobody_refers_to_goes_after_a_day_and_not_before() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    leave_unreferenced(&app, &acme, "left behind").await;
    upload(&app, &acme, "a document").await;
    app.clock.advance(Duration::hours(24));
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects::default());
    app.clock.advance(Duration::seconds(1));
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects { staged: 0, originals: 1 });
    assert_eq!(kept(&app).await.len(), 1);
    app.work_off().await;
    app.clock.advance(Duration::days(400));
    assert_eq!(
        cleanup(&app).sweep().await.unwrap(),
        RemovedObjects::default(),
        "what is served stays"
    );
}

#[tokio::test]
async fn the_original_of_what_failed_is_kept_for_a_week() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    upload(&app, &acme, "a torn page").await;
    let mut superuser = app.database.superuser().await;
    sqlx::query("UPDATE ingestion_runs SET status = 'failed', finished_at = updated_at")
        .execute(&mut superuser)
        .await
        .unwrap();
    app.clock.advance(Duration::days(7));
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects::default());
    app.clock.advance(Duration::seconds(1));
    assert_eq!(cleanup(&app).sweep().await.unwrap().originals, 1);
    let left: i64 = sqlx::query_scalar("SELECT count(*) FROM ingestion_runs")
        .fetch_one(&mut superuser)
        .await
        .unwrap();
    assert_eq!(left, 1, "the run stays, and says that its original is gone");
    upload(&app, &acme, "a torn page").await;
    assert_eq!(kept(&app).await.len(), 1, "it can come again");
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the file system has a clock of its own")]
async fn uploads_that_were_abandoned_are_deleted_after_a_day() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    let mut abandoned = app.blobs.begin_upload(fresh_id()).await.unwrap();
    abandoned.write(Bytes::from(vec![7; 2 * 1024 * 1024])).await.unwrap();
    // As if the process had died: nothing tidies up.
    std::mem::forget(abandoned.finish().await.unwrap());
    // The file's own age counts, and a file cannot be older than now: so the cleanup's clock runs ahead.
    let mut ahead = cleanup(&app);
    let clock = Arc::new(testkit::FakeClock::default());
    clock.advance(chrono::Utc::now() - clock.now() + Duration::hours(23));
    ahead.clock = clock.clone();
    assert_eq!(ahead.sweep().await.unwrap(), RemovedObjects::default());
    clock.advance(Duration::hours(2));
    assert_eq!(ahead.sweep().await.unwrap().staged, 1);
}

#[tokio::test]
#[expect(clippy::disallowed_methods, reason = "the file system has a clock of its own")]
async fn uploads_of_a_killed_process_go_after_some_minutes() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = Blobs::open(&BlobUrl::Folder(folder.path().to_owned())).unwrap();
    let app = TestApp::start_on(blobs, TestSettings::default()).await;
    let mut under_way = app.blobs.begin_upload(fresh_id()).await.unwrap();
    under_way.write(Bytes::from(vec![7; 3 * 1024 * 1024])).await.unwrap();
    let alive = under_way.finish().await.unwrap();
    let left = folder.path().join(format!("staging/{}", fresh_id()));
    std::fs::write(left, "the process that wrote this was killed").unwrap();
    let mut ahead = cleanup(&app);
    let clock = Arc::new(testkit::FakeClock::default());
    clock.advance(chrono::Utc::now() - clock.now() + Duration::minutes(9));
    ahead.clock = clock.clone();
    assert_eq!(ahead.sweep().await.unwrap(), RemovedObjects::default());
    clock.advance(Duration::minutes(2));
    assert_eq!(ahead.sweep().await.unwrap().staged, 1);
    let staged: Vec<_> = app.blobs.list_staged().try_collect().await.unwrap();
    assert_eq!(staged.len(), 1, "the one that a worker is using stays");
    app.blobs.discard(alive).await;
}

/// Uploads of few contents and a cleanup that finds everything abandoned, at the same time and in every
/// order that chance makes: whatever is referred to has its bytes, at every moment that anybody looks.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn cleanup_never_takes_what_an_upload_is_about_to_refer_to() {
    const ROUNDS: usize = 40;
    let app = Arc::new(TestApp::start().await);
    let acme = Arc::new(app.tenant("acme").await);
    for round in 0..ROUNDS {
        let content = format!("content {}", round % 3);
        let hash = leave_unreferenced(&app, &acme, &content).await;
        app.clock.advance(Duration::hours(25));
        app.ops.operations.do_housekeeping().await.unwrap();
        let sweeping = tokio::spawn({
            let cleanup = cleanup(&app);
            async move { cleanup.sweep().await.unwrap() }
        });
        let uploading = tokio::spawn({
            let (app, acme) = (Arc::clone(&app), Arc::clone(&acme));
            async move { upload(&app, &acme, &content).await }
        });
        sweeping.await.unwrap();
        uploading.await.unwrap();
        assert!(kept(&app).await.contains(&hash), "round {round}: a document without its original");
        // Taken away again, so that the next round can abandon it.
        let mut superuser = app.database.superuser().await;
        sqlx::raw_sql("TRUNCATE batch_documents, document_owners, document_versions, jobs, stages, ingestion_runs, documents CASCADE")
            .execute(&mut superuser)
            .await
            .unwrap();
    }
}

#[tokio::test]
async fn originals_of_tenants_are_apart() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let other = app.tenant("other").await;
    leave_unreferenced(&app, &acme, "the same").await;
    upload(&app, &other, "the same").await;
    app.clock.advance(Duration::hours(25));
    assert_eq!(cleanup(&app).sweep().await.unwrap().originals, 1);
    let left: Vec<_> = app.blobs.list_originals().try_collect().await.unwrap();
    assert_eq!(left.len(), 1);
    assert_eq!(left[0].tenant, other.tenant.tenant_id);
}

/// A clock by which nothing may be deleted at the moment.
#[derive(Debug)]
struct UnsureClock(Arc<testkit::FakeClock>);

impl Clock for UnsureClock {
    fn now(&self) -> chrono::DateTime<chrono::Utc> {
        self.0.now()
    }

    fn elapsed(&self) -> std::time::Duration {
        self.0.elapsed()
    }

    fn now_for(&self, purpose: ClockUse) -> Option<chrono::DateTime<chrono::Utc>> {
        (purpose != ClockUse::Delete).then(|| self.now())
    }
}

#[tokio::test]
async fn nothing_goes_while_the_time_is_not_sure() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    leave_unreferenced(&app, &acme, "left behind").await;
    let mut abandoned = app.blobs.begin_upload(fresh_id()).await.unwrap();
    abandoned.write(Bytes::from(vec![7; 2 * 1024 * 1024])).await.unwrap();
    std::mem::forget(abandoned.finish().await.unwrap());
    app.clock.advance(Duration::days(4000));
    let unsure =
        OriginalsCleanup { clock: Arc::new(UnsureClock(app.clock.clone())), ..cleanup(&app) };
    assert_eq!(unsure.sweep().await.unwrap(), RemovedObjects::default());
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects { staged: 1, originals: 1 });
}

#[tokio::test]
async fn an_upload_on_a_machine_whose_clock_is_behind_is_not_swept() {
    let app = TestApp::start().await;
    app.tenant("acme").await;
    // To this clock, what the file system dates today is old; the id says when it really began.
    app.clock.advance(Duration::days(4000));
    let began = u64::try_from(app.clock.now().timestamp()).unwrap();
    let id = Uuid::new_v7(uuid::Timestamp::from_unix(uuid::NoContext, began, 0));
    let mut upload = app.blobs.begin_upload(id).await.unwrap();
    upload.write(Bytes::from(vec![7; 2 * 1024 * 1024])).await.unwrap();
    std::mem::forget(upload.finish().await.unwrap());
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects::default());
    app.clock.advance(Duration::hours(25));
    assert_eq!(cleanup(&app).sweep().await.unwrap(), RemovedObjects { staged: 1, originals: 0 });
}
