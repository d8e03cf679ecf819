//! Servers that answer wrongly, late, partially or not at all: the client gets a helpful error in bounded time, never a
//! truncated object, and everything works again afterwards.

use std::net::SocketAddr;
use std::time::{Duration, Instant};

use blob::{BlobError, Blobs, Download, StoreId};
use bytes::Bytes;
use domain::ContentHash;
use futures_util::TryStreamExt;
use testkit::objects::{BUCKET, Fault, FaultyProxy, ask};

use crate::harness::{Harness, content, open_impatient, sha256};

const LARGE: usize = 12_000_000;
/// Much more than the impatient stores need, much less than forever.
const BOUND: Duration = Duration::from_secs(25);

pub(crate) async fn run(
    scheme: &str,
    server: SocketAddr,
    environment: impl Fn(SocketAddr) -> Vec<(String, String)>,
) {
    let proxy = FaultyProxy::before(server).await;
    let url = format!("{scheme}://{BUCKET}/faults");
    let blobs = open_impatient(&url, environment(proxy.address()));
    for fault in [Fault::Answers(500), Fault::Answers(503), Fault::Hangs, Fault::Refuses] {
        println!("{fault:?}");
        everything_is_unavailable(&Harness::on(&blobs), &proxy, fault).await;
    }
    println!("nobody listens");
    let nowhere = open_impatient(&url, environment(a_port_without_a_server().await));
    for (what, outcome) in try_everything(&Harness::on(&nowhere), &sha256(b"x")).await {
        is_unavailable(what, &outcome);
    }
    println!("no permission");
    everything_is_refused(&Harness::on(&blobs), &proxy).await;
    println!("one failure is tried again");
    one_failure_is_retried(&Harness::on(&blobs), &proxy).await;
    println!("an answer that is cut");
    a_truncated_response_is_not_accepted(&Harness::on(&blobs), &proxy).await;
    println!("an upload that is cut");
    an_interrupted_upload_creates_no_object(&Harness::on(&blobs), &proxy).await;
    println!("a failed publication");
    a_publication_that_failed_can_be_repeated(&Harness::on(&blobs), &proxy).await;
    println!("nothing is there");
    a_false_not_found_is_not_believed(&Harness::on(&blobs), &proxy).await;
}

type Outcome = Result<(), BlobError>;

/// One of each kind of request, all at once.
async fn try_everything(harness: &Harness, known: &ContentHash) -> Vec<(&'static str, Outcome)> {
    let Harness { blobs, tenant, .. } = harness;
    let small = Box::pin(harness.upload(b"small")).await;
    let (place, nothing) = (harness.place("read", "out"), sha256(b"nothing"));
    let check = blobs.check();
    let publish = blobs.publish(*tenant, &small);
    let read = async { harness.try_read(known).await.map(drop) };
    let delete = blobs.delete_original(*tenant, &nothing);
    let list = async { blobs.list_staged().try_collect::<Vec<_>>().await.map(drop) };
    let put = async { blobs.put_artifact(&place, Bytes::from_static(b"x")).await.map(drop) };
    let large = async { harness.try_upload(&content(1, LARGE)).await.map(drop) };
    let outcomes = tokio::join!(
        timed(Box::pin(check)),
        timed(Box::pin(publish)),
        timed(Box::pin(read)),
        timed(Box::pin(delete)),
        timed(Box::pin(list)),
        timed(Box::pin(put)),
        timed(Box::pin(large)),
    );
    let (check, publish, read, delete, list, put, large) = outcomes;
    vec![
        ("check", check),
        ("publish", publish),
        ("read", read),
        ("delete", delete),
        ("list", list),
        ("put an artifact", put),
        ("upload", large),
    ]
}

async fn timed(work: impl Future<Output = Outcome>) -> Outcome {
    let began = Instant::now();
    let outcome = work.await;
    assert!(began.elapsed() < BOUND, "{outcome:?} took {:?}", began.elapsed());
    outcome
}

fn is_unavailable(what: &str, outcome: &Outcome) {
    let error = outcome.as_ref().expect_err(what);
    assert!(matches!(error, BlobError::Unavailable { .. }), "{what}: {error:?}");
    assert!(error.is_retryable());
    let sentence = error.to_string();
    assert!(sentence.contains("check that it is up"), "{what}: {sentence}");
}

async fn everything_is_unavailable(harness: &Harness, proxy: &FaultyProxy, fault: Fault) {
    let hash = harness.publish(b"published before").await;
    proxy.set(fault);
    for (what, outcome) in try_everything(harness, &hash).await {
        is_unavailable(what, &outcome);
    }
    proxy.set(Fault::None);
    assert!(harness.has(&hash).await, "what was there is there");
    assert_eq!(harness.originals().await, [(hash, 16)], "a failed publication left something");
    for (what, outcome) in try_everything(harness, &hash).await {
        outcome.unwrap_or_else(|error| panic!("{what} works again: {error:?}"));
    }
    remove_all_staged(harness).await;
}

async fn everything_is_refused(harness: &Harness, proxy: &FaultyProxy) {
    proxy.set(Fault::Answers(403));
    for (what, outcome) in try_everything(harness, &sha256(b"x")).await {
        let error = outcome.expect_err(what);
        assert!(matches!(error, BlobError::Refused { .. }), "{what}: {error:?}");
        assert!(error.to_string().contains("Check "), "{what}: {error}");
        assert!(!error.is_retryable());
    }
    proxy.set(Fault::None);
}

async fn one_failure_is_retried(harness: &Harness, proxy: &FaultyProxy) {
    proxy.set(Fault::AnswersFirst(500, 1));
    let hash = harness.publish(b"with one failure").await;
    proxy.set(Fault::AnswersFirst(503, 1));
    assert!(harness.has(&hash).await);
    proxy.set(Fault::None);
}

async fn a_truncated_response_is_not_accepted(harness: &Harness, proxy: &FaultyProxy) {
    let sent = content(1, 1_000_000);
    let hash = harness.publish(&sent).await;
    proxy.set(Fault::CutsAnswersAfter(100_000));
    let error = harness.try_read(&hash).await.expect_err("a tenth at a time, and three tries");
    assert!(matches!(error, BlobError::Unavailable { .. }), "{error:?}");
    // One or two interruptions are repaired: the client requests the rest.
    proxy.set(Fault::CutsAnswersAfter(700_000));
    assert!(harness.try_read(&hash).await.unwrap() == sent);
    proxy.set(Fault::None);
    assert!(harness.try_read(&hash).await.unwrap() == sent);
}

async fn an_interrupted_upload_creates_no_object(harness: &Harness, proxy: &FaultyProxy) {
    for size in [2_000_000, LARGE] {
        let sent = content(2, size);
        proxy.set(Fault::CutsRequestsAfter(1_000_000));
        let error = match harness.try_upload(&sent).await {
            Ok(staged) => {
                harness.blobs.publish(harness.tenant, &staged).await.expect_err("it is cut")
            }
            Err(error) => error,
        };
        assert!(matches!(error, BlobError::Unavailable { .. }), "{error:?}");
        proxy.set(Fault::None);
        assert_eq!(harness.originals().await, []);
        assert!(harness.staged().await.is_empty());
    }
    harness.publish(&content(2, LARGE)).await;
}

async fn a_publication_that_failed_can_be_repeated(harness: &Harness, proxy: &FaultyProxy) {
    for size in [1000, LARGE] {
        let staged = harness.upload(&content(3, size)).await;
        proxy.set(Fault::Answers(500));
        is_unavailable("publish", &harness.blobs.publish(harness.tenant, &staged).await);
        proxy.set(Fault::None);
        assert!(!harness.has(&staged.sha256).await);
        harness.blobs.publish(harness.tenant, &staged).await.unwrap();
        assert!(harness.has(&staged.sha256).await);
        assert!(harness.staged().await.is_empty());
    }
}

/// As when a proxy has lost its server, or a bucket is being moved.
async fn a_false_not_found_is_not_believed(harness: &Harness, proxy: &FaultyProxy) {
    let id = StoreId(harness.id());
    harness.blobs.write_marker(id).await.unwrap();
    harness.blobs.expect_store(id);
    let hash = harness.publish(b"published before").await;
    proxy.set(Fault::Answers(404));
    for (what, outcome) in try_everything(harness, &hash).await {
        // To delete what seems not to be there does no harm, and a listing names no object.
        if !["delete", "list"].contains(&what) {
            let error = outcome.expect_err(what);
            assert!(!error.is_not_found(), "{what}: {error:?}");
        }
    }
    let read = harness.try_read(&hash).await.unwrap_err();
    assert!(matches!(read, BlobError::OtherStore { .. }), "{read:?}");
    // The fault ends during a read: the second request finds the object.
    proxy.set(Fault::AnswersFirst(404, 1));
    assert!(harness.has(&hash).await);
    proxy.set(Fault::None);
    assert!(harness.has(&hash).await);
    assert!(!harness.has(&sha256(b"nowhere")).await);
    remove_all_staged(harness).await;
}

async fn remove_all_staged(harness: &Harness) {
    for upload in harness.staged().await {
        harness.blobs.delete_staged(upload).await.unwrap();
    }
}

async fn a_port_without_a_server() -> SocketAddr {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    listener.local_addr().unwrap()
}

pub(crate) async fn a_bucket_that_is_not_there(blobs: Blobs) {
    let harness = Harness::on(&blobs);
    let staged = harness.upload(b"small").await;
    for error in [
        blobs.check().await.unwrap_err(),
        blobs.publish(harness.tenant, &staged).await.unwrap_err(),
        harness.try_read(&staged.sha256).await.unwrap_err(),
        harness.try_upload(&content(1, LARGE)).await.unwrap_err(),
    ] {
        assert!(matches!(error, BlobError::NoBucket { .. }), "{error:?}");
        assert!(error.to_string().contains("no-such-bucket"), "{error}");
    }
}

pub(crate) async fn links_open_with_their_name_and_type(blobs: Blobs, server: SocketAddr) {
    let harness = Harness::on(&blobs);
    let hash = harness.publish(b"%PDF").await;
    let download = Download {
        expires_in: Duration::from_hours(1),
        content_disposition: "attachment; filename=\"_bersicht 1.pdf\"; \
                              filename*=UTF-8''%C3%9Cbersicht%201.pdf",
        media_type: "application/pdf",
    };
    let mut quickest = Duration::MAX;
    for _ in 0..5 {
        let began = Instant::now();
        blobs.sign_original(harness.tenant, &hash, download).await.unwrap();
        quickest = quickest.min(began.elapsed());
    }
    assert!(quickest < Duration::from_millis(100), "{quickest:?}");
    let url = blobs.sign_original(harness.tenant, &hash, download).await.unwrap().unwrap();
    assert!(url.as_str().contains("Expires=3600"), "{url}");
    let target = format!("{}?{}", url.path(), url.query().unwrap());
    let answer = String::from_utf8(ask(server, "GET", &target, "").await).unwrap();
    let (headers, body) = answer.split_once("\r\n\r\n").unwrap();
    assert!(headers.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(body, "%PDF");
    let headers = headers.to_ascii_lowercase();
    assert!(headers.contains("content-type: application/pdf"), "{headers}");
    let disposition = "content-disposition: attachment; filename=\"_bersicht 1.pdf\"; \
                       filename*=utf-8''%c3%9cbersicht%201.pdf";
    assert!(headers.contains(disposition), "{headers}");
}
