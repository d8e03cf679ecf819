//! The objects in a folder of this machine.
//!
//! What lasts: a file is written below `staging/`, fsynced, renamed to its place, and the folder
//! that it is in now is fsynced. A folder that is new, or that this process sees for the first
//! time (its maker may have died before the fsync), is made to last with all those above it first.
//! The rename is the moment at which an object exists.
//!
//! Before and after it the marker is looked at: a folder whose disk was taken away in between has none, and an upload
//! into what lies below is not acknowledged.
//!
//! A staged file is locked (`flock`) by the process that writes it. When that ends, however it ends, the lock is free,
//! and the cleanup task need not wait until the file is old.

mod disk;
mod listing;
mod reading;
mod staged_file;
mod steps;

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
use crate::place::staged_key;
use crate::upload::{Content, on_blocking_thread};
use crate::{BlobStream, Found, Settings, Staged};
use disk::Disk;
pub(crate) use staged_file::StagedFile;
pub(crate) use steps::{Steps, aligned};

#[derive(Debug)]
pub(crate) struct Folder {
    disk: Arc<Disk>,
    steps: Steps,
    check_within: Duration,
    /// One check at a time: a disk that hangs must not use up the threads.
    checking: Arc<Mutex<()>>,
}

impl Folder {
    pub(crate) fn open(root: &Path, settings: &Settings, identity: &Arc<Identity>) -> Result<Self> {
        let disk = Disk::open(root, settings.folder_must_exist, Arc::clone(identity))?;
        let disk = Arc::new(disk);
        Ok(Self {
            disk,
            steps: Steps::default(),
            check_within: settings.timeouts.check,
            checking: Arc::default(),
        })
    }

    pub(crate) async fn check(&self) -> Result<()> {
        let Ok(turn) = Arc::clone(&self.checking).try_lock_owned() else {
            return self.wait_for_the_check_under_way().await;
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

    async fn wait_for_the_check_under_way(&self) -> Result<()> {
        let waited = tokio::time::timeout(self.check_within, self.checking.lock()).await;
        waited.map(drop).map_err(|late| self.does_not_answer(late))
    }

    fn does_not_answer(&self, late: tokio::time::error::Elapsed) -> BlobError {
        let at = self.disk.root().display().to_string();
        BlobError::Unavailable { attempt: "answer in time", at, source: Box::new(late) }
    }

    /// For an upload, which keeps it as long as it is under way.
    pub(crate) fn steps(&self) -> Steps {
        self.steps.clone()
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

    pub(crate) fn list_below(&self, key: &str) -> BoxStream<'static, Result<Found>> {
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
