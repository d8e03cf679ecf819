//! A folder that is unmounted: nothing is written to the mount point, and nothing counts as lost.

use std::fs;
use std::path::Path;

use blob::{BlobError, BlobUrl, Blobs, Recorded, Settings, StoreId};
use bytes::Bytes;
use tempfile::TempDir;
use uuid::Uuid;

use crate::folder::open_folder;
use crate::harness::{Harness, content, sha256};

const ID: StoreId = StoreId(Uuid::from_u128(7));

async fn linked(root: &Path) -> Harness {
    let blobs = open_folder(root);
    blobs.write_marker(ID).await.unwrap();
    blobs.expect_store(ID);
    Harness::on(&blobs)
}

fn is_other_store(error: &BlobError) -> bool {
    matches!(error, BlobError::OtherStore { found: None, .. })
}

#[tokio::test]
async fn an_unmounted_folder_accepts_nothing_and_loses_nothing() {
    let parent = TempDir::new().unwrap();
    let (root, away) = (parent.path().join("objects"), parent.path().join("away"));
    let harness = linked(&root).await;
    let hash = harness.publish(b"published before").await;
    let (small, large) =
        (harness.upload(b"small").await, harness.upload(&content(1, 2_000_000)).await);
    let mut under_way = harness.begin().await;
    let place = harness.place("read", "out");
    fs::rename(&root, &away).unwrap();
    // First nothing is there, then an empty folder, then one in which an earlier Docket has worked.
    for left in [vec![], vec![""], vec!["staging", "originals", "artifacts"]] {
        for name in left {
            fs::create_dir_all(root.join(name)).unwrap();
        }
        for error in [
            harness.blobs.check().await.unwrap_err(),
            harness.blobs.begin_upload(harness.id()).await.unwrap_err(),
            harness.blobs.publish(harness.tenant, &small).await.unwrap_err(),
            harness.blobs.publish(harness.tenant, &large).await.unwrap_err(),
            harness.blobs.put_artifact(&place, Bytes::from_static(b"x")).await.unwrap_err(),
            harness.try_read(&hash).await.unwrap_err(),
            harness.blobs.open_original(harness.tenant, &hash).await.unwrap_err(),
            harness.blobs.delete_original(harness.tenant, &hash).await.unwrap_err(),
        ] {
            assert!(is_other_store(&error), "{error:?}");
            assert!(error.to_string().contains("mount it"), "{error}");
        }
    }
    let sent = content(2, 3_000_000);
    let written = match under_way.write(sent.into()).await {
        Ok(()) => match under_way.finish().await {
            Ok(staged) => harness.blobs.publish(harness.tenant, &staged).await,
            Err(error) => Err(error),
        },
        Err(error) => Err(error),
    };
    assert!(is_other_store(&written.unwrap_err()));
    assert_eq!(fs::read_dir(root.join("originals")).unwrap().count(), 0);
    assert_eq!(fs::read_dir(root.join("artifacts")).unwrap().count(), 0);
    fs::remove_dir_all(&root).unwrap();
    fs::rename(&away, &root).unwrap();
    harness.blobs.check().await.unwrap();
    for staged in [&small, &large] {
        harness.blobs.publish(harness.tenant, staged).await.unwrap();
    }
    assert!(harness.has(&hash).await);
    assert_eq!(harness.originals().await.len(), 3);
}

#[tokio::test]
async fn a_folder_without_its_originals_is_not_a_folder_with_none() {
    let parent = TempDir::new().unwrap();
    let harness = linked(parent.path()).await;
    let hash = harness.publish(b"published before").await;
    fs::rename(parent.path().join("originals"), parent.path().join("away")).unwrap();
    for error in
        [harness.try_read(&hash).await.unwrap_err(), harness.blobs.check().await.unwrap_err()]
    {
        assert!(matches!(error, BlobError::FolderLost { .. }), "{error:?}");
        assert!(error.is_retryable());
    }
    fs::rename(parent.path().join("away"), parent.path().join("originals")).unwrap();
    assert!(harness.has(&hash).await);
}

#[tokio::test]
async fn a_folder_that_must_exist_is_not_created() {
    let parent = TempDir::new().unwrap();
    let root = parent.path().join("objects");
    let url = BlobUrl::Folder(root.clone());
    let settings = Settings { folder_must_exist: true, ..Settings::default() };
    let blobs = Blobs::open_with(&url, &settings).unwrap();
    blobs.expect_store(ID);
    assert!(is_other_store(&blobs.verify().await.unwrap_err()));
    assert!(!root.exists());
}

#[tokio::test]
async fn a_changed_original_is_detected_and_publishing_it_again_repairs_it() {
    let folder = TempDir::new().unwrap();
    let harness = linked(folder.path()).await;
    let sent = content(1, 700_000);
    let hash = harness.publish(&sent).await;
    let recorded = Recorded { size: sent.len() as u64, sha256: hash };
    let file = folder.path().join(blob::key_of_original(harness.tenant, &hash));
    let mut flipped = sent.clone();
    flipped[650_000] ^= 1;
    for damaged in [flipped.as_slice(), &sent[..10], b""] {
        fs::write(&file, damaged).unwrap();
        for error in [
            harness.try_read(&hash).await.unwrap_err(),
            harness.blobs.open_original(harness.tenant, &hash).await.unwrap_err(),
            harness.blobs.check_original(harness.tenant, &recorded, false).await.unwrap_err(),
        ] {
            assert!(matches!(error, BlobError::Damaged { .. }), "{error:?}");
        }
        let reopened = harness.blobs.reopen_original(harness.tenant, &hash).await.unwrap();
        assert!(reopened.is_some(), "it is not read again");
        assert_eq!(harness.publish(&sent).await, hash);
        assert!(harness.try_read(&hash).await.unwrap() == sent);
        assert!(harness.blobs.open_original(harness.tenant, &hash).await.unwrap().is_some());
    }
}

#[tokio::test]
async fn an_upload_is_abandoned_when_no_process_locks_its_file() {
    let folder = TempDir::new().unwrap();
    let harness = linked(folder.path()).await;
    let another_process = open_folder(folder.path());
    let mut under_way = harness.begin().await;
    under_way.write(content(1, 3_000_000).into()).await.unwrap();
    let finished = harness.upload(&content(2, 2_000_000)).await;
    for upload in harness.staged().await {
        assert!(!another_process.is_abandoned(upload).await.unwrap(), "somebody works on it");
    }
    let left = harness.id();
    fs::write(folder.path().join(format!("staging/{left}")), "by a process that was killed")
        .unwrap();
    assert!(another_process.is_abandoned(left).await.unwrap());
    assert!(!another_process.is_abandoned(harness.id()).await.unwrap(), "it is not there");
    harness.blobs.publish(harness.tenant, &finished).await.unwrap();
    assert!(harness.has(&sha256(&content(2, 2_000_000))).await);
}
