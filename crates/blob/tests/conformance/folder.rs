//! The suite on a folder, and what only a folder has.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::time::Duration;

use blob::{Blobs, Download};
use tempfile::TempDir;

use crate::harness::{Harness, content, open};
use crate::suite::{self, SameKey};

pub(crate) fn open_folder(root: &Path) -> Blobs {
    open(&format!("file://{}", root.display()), Vec::new())
}

#[tokio::test]
async fn the_suite_on_a_folder() {
    let folder = TempDir::new().unwrap();
    let started = std::time::Instant::now();
    suite::run(&open_folder(&folder.path().join("made/on/opening")), SameKey::WrittenAtOnce).await;
    println!("the suite took {:?}", started.elapsed());
}

#[tokio::test]
async fn a_folder_signs_no_links() {
    let folder = TempDir::new().unwrap();
    let harness = Harness::on(&open_folder(folder.path()));
    let hash = harness.publish(b"content").await;
    let download = Download {
        expires_in: Duration::from_hours(1),
        content_disposition: "attachment",
        media_type: "application/pdf",
    };
    assert_eq!(harness.blobs.sign_original(harness.tenant, &hash, download).await.unwrap(), None);
}

#[tokio::test]
async fn only_its_user_may_read_it() {
    let folder = TempDir::new().unwrap();
    let harness = Harness::on(&open_folder(folder.path()));
    harness.publish(b"small").await;
    harness.publish(&content(1, 2_000_000)).await;
    let place = harness.place("read", "pages.json");
    harness.blobs.put_artifact(&place, b"[]".as_slice().into()).await.unwrap();
    let mut files = 0;
    let mut folders = vec![folder.path().to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let entry = entry.unwrap();
            let mode = entry.metadata().unwrap().permissions().mode() & 0o777;
            if entry.path().is_dir() {
                assert_eq!(mode, 0o700, "{}", entry.path().display());
                folders.push(entry.path());
            } else {
                assert_eq!(mode, 0o600, "{}", entry.path().display());
                files += 1;
            }
        }
    }
    assert_eq!(files, 3);
}

#[tokio::test]
async fn a_second_process_sees_the_same_objects() {
    let folder = TempDir::new().unwrap();
    let first = Harness::on(&open_folder(folder.path()));
    let second = open_folder(folder.path());
    let hash = first.publish(b"shared").await;
    let read = second.read_original(first.tenant, &hash, None).await.unwrap();
    assert_eq!(read.collect().await.unwrap(), b"shared".as_slice());
    // One removes what the other remembers to be there.
    let place = first.place("read", "out");
    first.blobs.put_artifact(&place, b"1".as_slice().into()).await.unwrap();
    second.delete_artifacts(first.tenant, first.doc).await.unwrap();
    first.blobs.put_artifact(&place, b"2".as_slice().into()).await.unwrap();
    assert_eq!(first.artifacts().await.len(), 1);
}

#[tokio::test]
async fn unknown_files_are_left_alone() {
    let folder = TempDir::new().unwrap();
    let harness = Harness::on(&open_folder(folder.path()));
    fs::write(folder.path().join("staging/somebody's notes"), "x").unwrap();
    fs::create_dir(folder.path().join("originals/lost+found")).unwrap();
    assert!(harness.staged().await.is_empty());
    assert_eq!(harness.originals().await, []);
}
