//! Limits of uploads: nothing is read from callers who may not upload, and the use of memory, connections and disk is
//! bounded. The tests count the bytes that the server reads.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use api::form::FormReader;
use axum::body::{Body, Bytes};
use axum::http::{Method, StatusCode};
use domain::{Role, TenantLimits};
use futures_util::{StreamExt, stream};
use serde_json::json;
use testkit::{BOUNDARY, Response, TestApp, TestSettings};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;

/// One chunk of a body, as from a socket.
const PIECE: usize = 64 * 1024;

/// A body of `head` and then endless `filler`; counts the bytes that the server reads.
fn endless(head: &str, filler: &str) -> (Body, Arc<AtomicUsize>) {
    let taken = Arc::new(AtomicUsize::new(0));
    let filler = Bytes::from(filler.repeat(PIECE / filler.len()));
    let head = Bytes::from(head.to_owned());
    let pieces = stream::once(async { head }).chain(stream::repeat(filler));
    let total = Arc::clone(&taken);
    let counted = pieces.map(move |piece| {
        total.fetch_add(piece.len(), Ordering::Relaxed);
        Ok::<_, std::io::Error>(piece)
    });
    (Body::from_stream(counted), taken)
}

fn field(name: &str, value: &str) -> String {
    format!("--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"{name}\"\r\n\r\n{value}\r\n")
}

async fn send(app: &TestApp, path: &str, token: &str, body: Body) -> Response {
    app.request(Method::POST, path).form(body).bearer(token).send().await
}

#[tokio::test]
async fn a_caller_who_may_not_upload_is_refused_before_the_body_is_read() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let batch = app.post("/v1/batches", json!({})).bearer(&acme.admin_token).send().await;
    let batch = format!("/v1/batches/{}/documents", batch.body["batch_id"].as_str().unwrap());
    for role in [Role::Viewer, Role::Auditor] {
        let (_, credential) = app.user(&acme, role).await;
        for path in ["/v1/ingest", "/v1/documents", &batch] {
            let (body, taken) = endless("", &field("tag", "a"));
            let refused = send(&app, path, &credential, body).await;
            assert_eq!(refused.status, StatusCode::FORBIDDEN, "{role} at {path}");
            assert_eq!(taken.load(Ordering::Relaxed), 0, "{role} at {path}");
        }
    }
}

#[tokio::test]
async fn a_client_that_may_not_upload_gets_no_100_continue() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let (_, viewer) = app.user(&acme, Role::Viewer).await;
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let stop = CancellationToken::new();
    let server = api::serve(listener, app.router(), stop.clone(), Duration::from_secs(1));
    let server = tokio::spawn(server);
    let ask = async |token: &str| {
        let mut socket = TcpStream::connect(address).await.unwrap();
        let head = format!(
            "POST /v1/ingest HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer {token}\r\n\
             content-type: multipart/form-data; boundary={BOUNDARY}\r\n\
             content-length: 1000000\r\nexpect: 100-continue\r\n\r\n"
        );
        socket.write_all(head.as_bytes()).await.unwrap();
        let mut answer = vec![0; 12];
        socket.read_exact(&mut answer).await.unwrap();
        String::from_utf8(answer).unwrap()
    };
    assert_eq!(ask(&viewer).await, "HTTP/1.1 403");
    assert_eq!(ask(&acme.admin_token).await, "HTTP/1.1 100");
    stop.cancel();
    server.await.unwrap();
}

#[tokio::test]
async fn what_is_no_file_content_is_taken_up_to_256_kb_and_a_piece() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let file = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwords\r\n"
    );
    let titles = field("title", &"x".repeat(400));
    let forms = [
        ("a preamble", endless("", "x")),
        ("the header of a part", endless(&format!("--{BOUNDARY}\r\nx-long: "), "x")),
        ("many header lines", endless(&format!("--{BOUNDARY}\r\n"), "x-line: 1\r\n")),
        ("fields", endless("", &titles)),
        ("one long field", endless(&field("title", "").replace("\r\n\r\n\r\n", "\r\n\r\n"), "x")),
        ("an epilogue", endless(&format!("{file}--{BOUNDARY}--\r\n"), "x")),
    ];
    for (what, (body, taken)) in forms {
        let refused = send(&app, "/v1/ingest", &acme.admin_token, body).await;
        assert!(refused.status.is_client_error(), "{what}: {refused:?}");
        let taken = taken.load(Ordering::Relaxed);
        assert!(taken <= FormReader::MAX_OVERHEAD + 2 * PIECE, "{what}: {taken} bytes were taken");
    }
    let (body, _) = endless("", &titles);
    let refused = send(&app, "/v1/ingest", &acme.admin_token, body).await;
    let told = (refused.status, refused.code());
    assert_eq!(told, (StatusCode::PAYLOAD_TOO_LARGE, "form_too_large"));
    let found = app.get("/v1/documents?status=all").bearer(&acme.admin_token).send().await;
    assert_eq!(found.body["items"], json!([]), "no document was created");
}

#[tokio::test]
async fn the_fifty_first_tag_ends_an_upload() {
    let app = TestApp::start().await;
    let acme = app.tenant("acme").await;
    let tags =
        |count: usize| (0..count).map(|n| field("tag", &format!("t{n}"))).collect::<String>();
    let file = format!(
        "--{BOUNDARY}\r\ncontent-disposition: form-data; name=\"file\"; filename=\"a.txt\"\r\n\r\nwords\r\n\
         --{BOUNDARY}--\r\n"
    );
    let form = |count: usize| Body::from(tags(count) + &file);
    let accepted = send(&app, "/v1/ingest", &acme.admin_token, form(50)).await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{accepted:?}");
    let refused = send(&app, "/v1/ingest", &acme.admin_token, form(51)).await;
    assert_eq!((refused.status, &refused.body["field"]), (StatusCode::BAD_REQUEST, &json!("tags")));
    // At most 64 MB are sent before the response.
    let (body, taken) = endless("", &field("tag", "a"));
    let refused = send(&app, "/v1/ingest", &acme.admin_token, body).await;
    assert_eq!(refused.status, StatusCode::BAD_REQUEST);
    assert!(taken.load(Ordering::Relaxed) <= 2 * PIECE);
}

#[tokio::test]
async fn concurrent_uploads_are_limited_per_tenant() {
    let mut settings = TestSettings::default();
    settings.ops.intake.concurrent_uploads = 1;
    let app = Arc::new(TestApp::start_with(settings).await);
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let reached = Arc::new(tokio::sync::Notify::new());
    let slow = {
        let (app, token, reached) =
            (Arc::clone(&app), acme.admin_token.clone(), Arc::clone(&reached));
        let body = stream::once(async move {
            reached.notify_one();
            std::future::pending::<Result<Bytes, std::io::Error>>().await
        });
        tokio::spawn(async move { send(&app, "/v1/ingest", &token, Body::from_stream(body)).await })
    };
    reached.notified().await;
    let refused = app.upload("a.txt", "words").bearer(&acme.admin_token).send().await;
    let told = (refused.status, refused.code());
    assert_eq!(told, (StatusCode::TOO_MANY_REQUESTS, "too_many_uploads"));
    assert_eq!(refused.header("retry-after"), Some("5"));
    let elsewhere = app.upload("a.txt", "words").bearer(&other.admin_token).send().await;
    assert_eq!(elsewhere.status, StatusCode::ACCEPTED);
    // The client disconnects.
    slow.abort();
    assert!(slow.await.unwrap_err().is_cancelled());
    let accepted = app.upload("a.txt", "words").bearer(&acme.admin_token).send().await;
    assert_eq!(accepted.status, StatusCode::ACCEPTED, "{accepted:?}");
}

#[tokio::test]
async fn the_storage_quota_counts_each_content_once() {
    let mut settings = TestSettings::default();
    settings.ops.intake.storage_quota = Some(25);
    let app = TestApp::start_with(settings).await;
    let (acme, other) = (app.tenant("acme").await, app.tenant("other").await);
    let upload =
        async |token: &str, text: &str| app.upload("a.txt", text).bearer(token).send().await;
    let first = upload(&acme.admin_token, "ten bytes.").await;
    assert_eq!(first.status, StatusCode::ACCEPTED);
    assert_eq!(upload(&acme.admin_token, "ten others").await.status, StatusCode::ACCEPTED);
    let refused = upload(&acme.admin_token, "ten more..").await;
    assert_eq!(refused.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(refused.code(), "storage_quota_exceeded");
    // Known content needs no more space, and other tenants are not affected.
    assert!(upload(&acme.admin_token, "ten bytes.").await.status.is_success());
    assert_eq!(upload(&other.admin_token, "ten more..").await.status, StatusCode::ACCEPTED);
    let seen = app.get("/v1/tenant").bearer(&acme.admin_token).send().await.body;
    assert_eq!(
        (&seen["usage"]["bytes"], &seen["limits"]["storage_quota_bytes"]),
        (&json!(20), &json!(25))
    );

    app.work_off().await;
    let path = format!("/v1/documents/{}", first.body["doc_id"].as_str().unwrap());
    let deleted = app.request(Method::DELETE, &path).bearer(&acme.admin_token).send().await;
    assert_eq!(deleted.status, StatusCode::NO_CONTENT);
    assert_eq!(upload(&acme.admin_token, "ten more..").await.status, StatusCode::ACCEPTED);
    assert_eq!(upload(&acme.admin_token, "and ten...").await.code(), "storage_quota_exceeded");

    let granted = TenantLimits { storage_quota_bytes: Some(30), ..TenantLimits::default() };
    app.ops.tenants.change_limits("acme", granted).await.unwrap();
    app.ops.operations.do_housekeeping().await.unwrap();
    assert_eq!(upload(&acme.admin_token, "and ten...").await.status, StatusCode::ACCEPTED);
}
