//! What every store must do.

use blob::{BlobError, Blobs, CheckpointPlace, Recorded, StoreId};
use bytes::Bytes;
use domain::ContentHash;
use futures_util::TryStreamExt;
use futures_util::future::join_all;

use crate::harness::{Harness, content, eventually, sha256};

const KIB: usize = 1024;
const MIB: usize = 1024 * KIB;
/// Larger than two parts of a bucket, and no multiple of anything.
const LARGE: usize = 11 * MIB + 12_345;

macro_rules! tell {
    ($blobs:expr, $($story:ident),+ $(,)?) => {
        $(
            println!("{}", stringify!($story).replace('_', " "));
            $story(Harness::on($blobs)).await;
        )+
    };
}

/// What several clients may do to one key of a server at the same time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum SameKey {
    WrittenAtOnce,
    /// Moto closes the object that is replaced while another request is still reading it, and
    /// answers 500.
    WrittenInTurn,
}

pub(crate) async fn run(blobs: &Blobs, same_key: SameKey) {
    tell!(
        blobs,
        it_is_identified_by_its_marker,
        it_can_be_checked,
        published_content_of_any_size_reads_back,
        a_large_upload_is_staged_until_it_is_published,
        publishing_is_repeatable,
        the_same_content_is_stored_once,
        tenants_share_nothing,
        ranges_are_cut_at_the_end_and_refused_after_it,
        deleting_twice_is_fine,
        a_discarded_upload_leaves_nothing,
        an_aborted_upload_leaves_nothing,
        a_killed_upload_leaves_nothing_but_what_cleanup_finds,
        a_broken_upload_cannot_be_finished,
        artifacts_are_whole_and_listed,
        a_changed_artifact_is_detected,
        artifacts_are_deleted_with_their_document,
        checkpoints_are_listed_by_tenant,
        listings_show_everything,
    );
    if same_key == SameKey::WrittenAtOnce {
        tell!(blobs, many_publish_the_same_content_at_once);
    }
    let staged = Harness::on(blobs).staged().await;
    assert!(staged.is_empty(), "the stories left {staged:?}");
}

/// Everything after it is done in a store that has to be the right one.
async fn it_is_identified_by_its_marker(harness: Harness) {
    let (ours, another) = (StoreId(harness.id()), StoreId(harness.id()));
    assert_eq!(harness.blobs.read_marker().await.unwrap(), None);
    harness.blobs.expect_store(ours);
    for error in refusals(&harness).await {
        assert!(matches!(error, BlobError::OtherStore { found: None, .. }), "{error:?}");
        assert!(error.is_retryable(), "the store may be mounted in a moment");
    }
    harness.blobs.write_marker(another).await.unwrap();
    for error in refusals(&harness).await {
        let is_other =
            matches!(error, BlobError::OtherStore { found: Some(found), .. } if found == another);
        assert!(is_other, "{error:?}");
    }
    assert_eq!(harness.originals().await, [], "nothing was written to a store that is not ours");
    harness.blobs.write_marker(ours).await.unwrap();
    assert_eq!(harness.blobs.read_marker().await.unwrap(), Some(ours));
    harness.blobs.verify().await.unwrap();
    harness.publish(b"in our store").await;
    assert!(!harness.has(&sha256(b"nowhere")).await, "now it is certain that it is missing");
}

/// What is refused in a store that is not the right one.
async fn refusals(harness: &Harness) -> Vec<BlobError> {
    let place = harness.place("read", "out");
    vec![
        harness.blobs.verify().await.unwrap_err(),
        harness.blobs.check().await.unwrap_err(),
        harness.blobs.begin_upload(harness.id()).await.unwrap_err(),
        harness.blobs.put_artifact(&place, Bytes::from_static(b"x")).await.unwrap_err(),
        harness.try_read(&sha256(b"nowhere")).await.unwrap_err(),
        harness.blobs.read_artifact(&place, None).await.unwrap_err(),
    ]
}

async fn it_can_be_checked(harness: Harness) {
    harness.blobs.check().await.unwrap();
    let (one, two) = tokio::join!(harness.blobs.check(), harness.blobs.check());
    one.and(two).unwrap();
}

async fn published_content_of_any_size_reads_back(harness: Harness) {
    let batch = MIB;
    let part = 5 * MIB;
    let sizes = [0, 1, 8 * KIB, 8 * KIB + 1, batch - 1, batch, batch + 1, part, part + 1, LARGE];
    for (seed, size) in (1..).zip(sizes) {
        let sent = content(seed, size);
        let staged = harness.upload(&sent).await;
        assert_eq!(staged.size, size as u64);
        assert_eq!(staged.sha256, sha256(&sent), "{size}");
        assert_eq!(staged.head, &sent[..size.min(8 * KIB)]);
        harness.blobs.publish(harness.tenant, &staged).await.unwrap();
        let stream =
            harness.blobs.read_original(harness.tenant, &staged.sha256, None).await.unwrap();
        assert_eq!((stream.size(), stream.range()), (size as u64, 0..size as u64));
        assert!(stream.collect().await.unwrap() == sent, "{size} bytes came back otherwise");
    }
}

async fn a_large_upload_is_staged_until_it_is_published(harness: Harness) {
    let sent = content(1, LARGE);
    let staged = harness.upload(&sent).await;
    assert_eq!(harness.staged().await, [staged.upload()]);
    assert!(!harness.has(&staged.sha256).await, "it is there before it is published");
    harness.blobs.publish(harness.tenant, &staged).await.unwrap();
    assert!(harness.has(&staged.sha256).await);
    assert!(harness.staged().await.is_empty());
}

async fn publishing_is_repeatable(harness: Harness) {
    for size in [100, LARGE] {
        let staged = harness.upload(&content(1, size)).await;
        for _ in 0..3 {
            harness.blobs.publish(harness.tenant, &staged).await.unwrap();
        }
        assert!(harness.has(&staged.sha256).await);
    }
    let lost = harness.upload(&content(2, LARGE)).await;
    harness.blobs.delete_staged(lost.upload()).await.unwrap();
    let error = harness.blobs.publish(harness.tenant, &lost).await.unwrap_err();
    assert!(error.is_not_found(), "{error:?}");
}

async fn the_same_content_is_stored_once(harness: Harness) {
    let sent = content(1, 1000);
    let hash = harness.publish(&sent).await;
    assert_eq!(harness.publish(&sent).await, hash);
    assert_eq!(harness.originals().await, [(hash, 1000)]);
}

async fn many_publish_the_same_content_at_once(harness: Harness) {
    for size in [1000, 5 * MIB + 1] {
        let sent = content(1, size);
        let hashes = join_all((0..8).map(|_| harness.publish(&sent))).await;
        assert_eq!(hashes, [sha256(&sent); 8]);
        assert!(harness.try_read(&hashes[0]).await.unwrap() == sent);
    }
}

async fn tenants_share_nothing(harness: Harness) {
    let other = Harness::on(&harness.blobs);
    let hash = harness.publish(b"the same letter").await;
    assert!(!other.has(&hash).await, "another tenant reads it");
    other.publish(b"the same letter").await;
    harness.blobs.delete_original(harness.tenant, &hash).await.unwrap();
    assert!(!harness.has(&hash).await);
    assert!(other.has(&hash).await, "it went with another tenant's");
}

async fn ranges_are_cut_at_the_end_and_refused_after_it(harness: Harness) {
    let sent = content(1, 1000);
    let hash = harness.publish(&sent).await;
    let ranges = [0..1, 0..1000, 10..20, 999..1000, 990..5000, 0..0, 500..500, 1000..1000];
    for asked in ranges {
        let read = harness.blobs.read_original(harness.tenant, &hash, Some(asked.clone())).await;
        let read = read.unwrap_or_else(|error| panic!("{asked:?}: {error:?}"));
        let given = asked.start..asked.end.min(1000);
        assert_eq!((read.size(), read.range()), (1000, given.clone()));
        let (from, to) = (usize::try_from(given.start), usize::try_from(given.end));
        assert_eq!(read.collect().await.unwrap(), &sent[from.unwrap()..to.unwrap()]);
    }
    for asked in [1000..1001, 1001..1001, 2000..3000] {
        let read = harness.blobs.read_original(harness.tenant, &hash, Some(asked.clone())).await;
        let is_out = matches!(read, Err(BlobError::OutOfRange { size: 1000 }));
        assert!(is_out, "{asked:?}: {read:?}");
    }
    let nowhere = ContentHash([1; 32]);
    for asked in [None, Some(0..0), Some(5..6)] {
        let read = harness.blobs.read_original(harness.tenant, &nowhere, asked).await;
        assert!(matches!(read, Err(BlobError::NotFound { .. })), "{read:?}");
    }
    let empty = harness.publish(b"").await;
    let read = harness.blobs.read_original(harness.tenant, &empty, Some(0..1)).await;
    assert!(matches!(read, Err(BlobError::OutOfRange { size: 0 })), "{read:?}");
}

async fn deleting_twice_is_fine(harness: Harness) {
    let hash = harness.publish(b"to be deleted").await;
    for _ in 0..2 {
        harness.blobs.delete_original(harness.tenant, &hash).await.unwrap();
        assert!(!harness.has(&hash).await);
    }
    harness.blobs.delete_staged(harness.id()).await.unwrap();
    harness.blobs.delete_artifact(&harness.place("read", "nothing")).await.unwrap();
    harness.blobs.delete_artifacts(harness.tenant, harness.doc).await.unwrap();
}

async fn a_discarded_upload_leaves_nothing(harness: Harness) {
    for size in [1000, LARGE] {
        let staged = harness.upload(&content(1, size)).await;
        harness.blobs.discard(staged).await;
        assert!(harness.staged().await.is_empty());
    }
    assert_eq!(harness.originals().await, []);
}

async fn an_aborted_upload_leaves_nothing(harness: Harness) {
    for size in [1000, LARGE] {
        let mut upload = harness.begin().await;
        upload.write(content(1, size).into()).await.unwrap();
        drop(upload);
        eventually("the upload is gone", async || harness.staged().await.is_empty()).await;
    }
}

async fn a_killed_upload_leaves_nothing_but_what_cleanup_finds(harness: Harness) {
    let mut upload = harness.begin().await;
    upload.write(content(1, LARGE).into()).await.unwrap();
    // As when the process is killed: nothing is cleaned up.
    std::mem::forget(upload);
    for left in harness.staged().await {
        harness.blobs.delete_staged(left).await.unwrap();
    }
    assert!(harness.staged().await.is_empty());
    assert_eq!(harness.originals().await, []);
}

async fn a_broken_upload_cannot_be_finished(harness: Harness) {
    let mut upload = harness.begin().await;
    {
        // The client goes away: whoever reads from it drops the write in the middle. It is polled
        // once, and has more to wait for.
        let write = upload.write(content(1, LARGE).into());
        let abandoned = tokio::time::timeout(std::time::Duration::ZERO, write).await;
        assert!(abandoned.is_err(), "a large write waits for the store");
    }
    assert!(upload.write(Bytes::from_static(b"more")).await.is_err());
    assert!(upload.finish().await.is_err());
    eventually("the upload is gone", async || harness.staged().await.is_empty()).await;
}

async fn artifacts_are_whole_and_listed(harness: Harness) {
    let pages = harness.place("read", "pages.json");
    let text = harness.place("index", "text.txt");
    let first = harness.blobs.put_artifact(&pages, Bytes::from_static(b"[1]")).await.unwrap();
    assert_eq!((first.key, first.size_bytes), (pages.key(), 3));
    assert_eq!(first.sha256, sha256(b"[1]"));
    let large = content(1, 600 * KIB);
    harness.blobs.put_artifact(&text, large.clone().into()).await.unwrap();
    harness.blobs.put_artifact(&pages, Bytes::from_static(b"[1, 2]")).await.unwrap();

    let read = harness.blobs.read_artifact(&pages, None).await.unwrap();
    assert_eq!(read.collect().await.unwrap(), b"[1, 2]".as_slice());
    let read = harness.blobs.read_artifact(&text, Some(100..200)).await.unwrap();
    assert_eq!(read.collect().await.unwrap(), &large[100..200]);
    let listed = harness.artifacts().await;
    let listed: Vec<_> = listed.into_iter().map(|found| (found.place, found.size)).collect();
    assert_eq!(listed, [(text, 600 * KIB as u64), (pages, 6)]);
}

async fn a_changed_artifact_is_detected(harness: Harness) {
    let place = harness.place("read", "pages.dkt");
    let sent = content(1, 600 * KIB);
    let kept = harness.blobs.put_artifact(&place, sent.clone().into()).await.unwrap();
    let recorded = Recorded::from(&kept);
    for is_quick in [true, false] {
        harness.blobs.check_artifact(&place, &recorded, is_quick).await.unwrap();
    }
    let read = harness.blobs.read_artifact(&place, None).await.unwrap().checked(&recorded).unwrap();
    assert!(read.collect().await.unwrap() == sent);
    let is_damaged = |done: Result<(), BlobError>| matches!(done, Err(BlobError::Damaged { .. }));
    let mut changed = sent.clone();
    changed[300 * KIB] ^= 1;
    harness.blobs.put_artifact(&place, changed.into()).await.unwrap();
    let read = harness.blobs.read_artifact(&place, None).await.unwrap().checked(&recorded).unwrap();
    assert!(is_damaged(read.read_through().await));
    assert!(is_damaged(harness.blobs.check_artifact(&place, &recorded, false).await));
    harness.blobs.check_artifact(&place, &recorded, true).await.unwrap();
    harness.blobs.put_artifact(&place, Bytes::copy_from_slice(&sent[1..])).await.unwrap();
    let range = harness.blobs.read_artifact(&place, Some(5..6)).await.unwrap().checked(&recorded);
    assert!(is_damaged(range.map(drop)), "its size is known before the first byte");
    assert!(is_damaged(harness.blobs.check_artifact(&place, &recorded, true).await));
}

async fn artifacts_are_deleted_with_their_document(harness: Harness) {
    let other = Harness::on(&harness.blobs);
    let kept = other.place("read", "pages.json");
    other.blobs.put_artifact(&kept, Bytes::from_static(b"kept")).await.unwrap();
    for stage in ["read", "parse", "match", "index"] {
        let place = harness.place(stage, "out");
        harness.blobs.put_artifact(&place, Bytes::from_static(b"x")).await.unwrap();
    }
    harness.blobs.delete_artifact(&harness.place("parse", "out")).await.unwrap();
    assert_eq!(harness.artifacts().await.len(), 3);
    harness.blobs.delete_artifacts(harness.tenant, harness.doc).await.unwrap();
    assert_eq!(harness.artifacts().await, []);
    let read = harness.blobs.read_artifact(&harness.place("read", "out"), None).await;
    assert!(matches!(read, Err(BlobError::NotFound { .. })), "{read:?}");
    assert_eq!(other.artifacts().await.len(), 1);
    // A stage of a run that is going on, after the tree is gone.
    let again = harness.place("read", "out");
    harness.blobs.put_artifact(&again, Bytes::from_static(b"again")).await.unwrap();
    assert_eq!(harness.artifacts().await.len(), 1);
}

async fn checkpoints_are_listed_by_tenant(harness: Harness) {
    let other = Harness::on(&harness.blobs);
    let place = |harness: &Harness, number| CheckpointPlace {
        tenant: harness.tenant,
        number,
        digest: sha256(b"what it states"),
    };
    let (first, second, foreign) = (place(&harness, 1), place(&harness, 2), place(&other, 1));
    for place in [&first, &second, &foreign] {
        harness.blobs.put_checkpoint(place, Bytes::from(place.number.to_string())).await.unwrap();
    }
    assert_eq!(harness.blobs.read_checkpoint(&second).await.unwrap(), "2");
    let listed = async |tenant| -> Vec<CheckpointPlace> {
        let mut found: Vec<_> = harness.blobs.list_checkpoints(tenant).try_collect().await.unwrap();
        found.sort_by_key(|place: &CheckpointPlace| place.number);
        found
    };
    assert_eq!(listed(Some(harness.tenant)).await, [first, second]);
    let all = listed(None).await;
    assert!([first, second, foreign].iter().all(|place| all.contains(place)), "{all:?}");
    for place in [&first, &second, &foreign] {
        harness.blobs.delete_checkpoint(place).await.unwrap();
        harness.blobs.delete_checkpoint(place).await.unwrap();
    }
    assert_eq!(listed(Some(harness.tenant)).await, []);
}

async fn listings_show_everything(harness: Harness) {
    let mut published = Vec::new();
    for seed in 1..=10 {
        published.push((harness.publish(&content(seed, 100)).await, 100));
    }
    published.sort_unstable();
    let mut listed = harness.originals().await;
    listed.sort_unstable();
    assert_eq!(listed, published);
}
