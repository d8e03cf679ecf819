//! An object store in a folder of this machine.
//!
//! Durability: a file is written below `staging/`, fsynced, renamed to its key, and its new folder is fsynced. A folder
//! that is new, or that this process sees for the first time (its creator may have died before the fsync), is made
//! durable first, with all folders above it. The object exists from the rename on.
//!
//! The marker is verified before and after the rename: a folder whose disk was unmounted meanwhile has no marker, and an
//! upload into the mount point is not acknowledged.
//!
//! The process that writes a staged file locks it (`flock`). When that process ends, the lock is released, and the
//! cleanup task need not wait until the file is old.

mod batch_size;
mod disk;
mod listing;
mod reading;
mod staged_file;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::ContentHash;
use futures_util::stream::BoxStream;
use tokio::sync::Mutex;
use uuid::Uuid;

use crate::error::{BlobError, Result};
use crate::identity::Identity;
use crate::keys::staged_key;
use crate::upload::{Content, on_blocking_thread};
use crate::{BlobStream, ListedObject, Settings, Staged};
pub(crate) use batch_size::{BatchSize, aligned};
use disk::Disk;
pub(crate) use staged_file::StagedFile;

#[derive(Debug)]
pub(crate) struct Folder {
    disk: Arc<Disk>,
    batch_size: BatchSize,
    check_within: Duration,
    /// One check at a time: a disk that hangs must not block all threads.
    check_lock: Arc<Mutex<()>>,
}

impl Folder {
    pub(crate) fn open(root: &Path, settings: &Settings, identity: &Arc<Identity>) -> Result<Self> {
        let disk = Disk::open(root, settings.folder_must_exist, Arc::clone(identity))?;
        let disk = Arc::new(disk);
        Ok(Self {
            disk,
            batch_size: BatchSize::default(),
            check_within: settings.timeouts.check,
            check_lock: Arc::default(),
        })
    }

    pub(crate) async fn check(&self) -> Result<()> {
        let Ok(turn) = Arc::clone(&self.check_lock).try_lock_owned() else {
            return self.wait_for_running_check().await;
        };
        let check = self.with_disk(move |disk| {
            let _turn = turn;
            disk.verify()?;
            disk.try_to_write()
        });
        let checked = tokio::time::timeout(self.check_within, check).await;
        checked.unwrap_or_else(|late| Err(self.does_not_answer(late)))
    }

    /// Whether it is the folder that the database expects.
    pub(crate) async fn verify(&self) -> Result<()> {
        self.with_disk(Disk::verify).await
    }

    pub(crate) async fn prepare(&self) -> Result<()> {
        self.with_disk(Disk::make_top_folders).await
    }

    pub(crate) fn location(&self) -> String {
        self.disk.root().display().to_string()
    }

    pub(crate) async fn is_abandoned(&self, key: String) -> Result<bool> {
        self.with_disk(move |disk| Ok(disk.is_unlocked(&key))).await
    }

    async fn wait_for_running_check(&self) -> Result<()> {
        let waited = tokio::time::timeout(self.check_within, self.check_lock.lock()).await;
        waited.map(drop).map_err(|late| self.does_not_answer(late))
    }

    fn does_not_answer(&self, late: tokio::time::error::Elapsed) -> BlobError {
        let at = self.disk.root().display().to_string();
        BlobError::Unavailable { attempt: "answer in time", at, source: Box::new(late) }
    }

    /// For an upload, which holds it until it ends.
    pub(crate) fn batch_size(&self) -> BatchSize {
        self.batch_size.clone()
    }

    pub(crate) fn begin_staged_file(&self, upload: Uuid) -> StagedFile {
        StagedFile::new(self.disk.path_of(&staged_key(upload)))
    }

    pub(crate) async fn publish(&self, staged: &Staged, key: String) -> Result<()> {
        let from = staged_key(staged.upload());
        let size = staged.size;
        match staged.content() {
            Content::InMemory(bytes) => {
                let bytes = bytes.clone();
                self.with_disk(move |disk| disk.publish_bytes(&from, &bytes, &key)).await
            }
            Content::Stored { .. } => {
                self.with_disk(move |disk| disk.publish(&from, &key, size)).await
            }
        }
    }

    pub(crate) async fn put(&self, key: String, bytes: Bytes) -> Result<()> {
        self.with_disk(move |disk| disk.put(&bytes, &key)).await
    }

    pub(crate) async fn read(&self, key: String, range: Option<Range<u64>>) -> Result<BlobStream> {
        self.with_disk(move |disk| reading::open(disk, key, range)).await
    }

    /// With a hash, its bytes are compared with that first.
    pub(crate) async fn open_file(
        &self,
        key: String,
        hash: Option<ContentHash>,
    ) -> Result<std::fs::File> {
        self.with_disk(move |disk| match hash {
            Some(hash) => reading::open_checked(disk, &key, hash),
            None => reading::open_file(disk, &key),
        })
        .await
    }

    pub(crate) async fn delete(&self, key: String) -> Result<()> {
        self.with_disk(move |disk| disk.delete(&key)).await
    }

    pub(crate) async fn delete_tree(&self, key: String) -> Result<()> {
        self.with_disk(move |disk| disk.delete_tree(&key)).await
    }

    pub(crate) fn list_below(&self, key: &str) -> BoxStream<'static, Result<ListedObject>> {
        listing::list_below(Arc::clone(&self.disk), key.to_owned())
    }

    async fn with_disk<T: Send + 'static>(
        &self,
        work: impl FnOnce(&Disk) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let disk = Arc::clone(&self.disk);
        on_blocking_thread(move || work(&disk)).await?
    }
}
