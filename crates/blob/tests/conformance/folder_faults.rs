//! Disks that are full or not writable: a helpful error, and no partial object.

use std::fs;

use blob::{BlobError, BlobUrl, Blobs, Settings};
use tempfile::TempDir;
use testkit::Disk;

use crate::folder::open_folder;
use crate::harness::{Harness, content};

#[tokio::test]
async fn a_disk_that_fills_up_during_an_upload() {
    let folder = TempDir::new().unwrap();
    let Some(_disk) = Disk::mounted_at(folder.path(), "size=4m") else { return };
    let harness = Harness::on(&open_folder(folder.path()));
    let hash = harness.publish(b"published before").await;
    let error = harness.try_upload(&content(1, 6_000_000)).await.unwrap_err();
    is_full(&error, folder.path());
    assert!(
        harness.staged().await.is_empty(),
        "the half of it is gone, and the room is free again"
    );
    harness.publish(&content(1, 2_000_000)).await;
    assert!(harness.has(&hash).await);
}

#[tokio::test]
async fn a_disk_that_is_full_before_a_small_upload() {
    let folder = TempDir::new().unwrap();
    let Some(tiny) = Disk::mounted_at(folder.path(), "size=1m") else { return };
    let harness = Harness::on(&open_folder(folder.path()));
    let ballast = tiny.fill_up();
    let staged = harness.upload(&content(1, 100_000)).await;
    is_full(&harness.blobs.publish(harness.tenant, &staged).await.unwrap_err(), folder.path());
    is_full(&harness.blobs.check().await.unwrap_err(), folder.path());
    let place = harness.place("read", "out");
    let put = harness.blobs.put_artifact(&place, content(1, 100_000).into()).await;
    is_full(&put.unwrap_err(), folder.path());
    assert!(harness.staged().await.is_empty());
    assert_eq!(harness.originals().await, []);
    fs::remove_file(ballast).unwrap();
    harness.blobs.check().await.unwrap();
    harness.blobs.publish(harness.tenant, &staged).await.unwrap();
    assert!(harness.has(&staged.sha256).await);
}

#[tokio::test]
async fn a_disk_that_became_read_only() {
    let folder = TempDir::new().unwrap();
    let Some(tiny) = Disk::mounted_at(folder.path(), "size=4m") else { return };
    let harness = Harness::on(&open_folder(folder.path()));
    let hash = harness.publish(b"published before").await;
    tiny.change("ro");
    let staged = harness.upload(b"small").await;
    for error in [
        harness.blobs.check().await.unwrap_err(),
        harness.blobs.publish(harness.tenant, &staged).await.unwrap_err(),
        harness.try_upload(&content(1, 2_000_000)).await.unwrap_err(),
        harness.blobs.delete_original(harness.tenant, &hash).await.unwrap_err(),
    ] {
        assert!(matches!(error, BlobError::Refused { .. }), "{error:?}");
        assert!(error.to_string().contains("Make the folder writable"), "{error}");
    }
    assert!(harness.has(&hash).await, "it can still be read");
    tiny.change("rw");
    harness.blobs.publish(harness.tenant, &staged).await.unwrap();
}

#[test]
fn a_file_where_the_folder_should_be() {
    let folder = TempDir::new().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "x").unwrap();
    for path in [file.clone(), file.join("below")] {
        let url: BlobUrl = format!("file://{}", path.display()).parse().unwrap();
        let error = Blobs::open_with(&url, &Settings::default()).unwrap_err();
        assert!(error.to_string().starts_with("Docket could not make the folder"), "{error}");
    }
}

fn is_full(error: &BlobError, folder: &std::path::Path) {
    assert!(matches!(error, BlobError::Full { .. }), "{error:?}");
    let sentence = error.to_string();
    assert!(sentence.starts_with("There is no space left in "), "{sentence}");
    assert!(sentence.contains(&folder.display().to_string()), "{sentence}");
    assert!(sentence.ends_with("nothing was lost."), "{sentence}");
}
