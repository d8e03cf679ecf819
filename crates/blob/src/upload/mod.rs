//! An upload: bytes are hashed and stored while they arrive.
//!
//! ```text
//!   write ──► filling ──full──┬──► hashing   (a blocking thread)
//!             (one batch)     └──► sink      (file: a blocking thread; bucket: parts in flight)
//! ```
//!
//! While one batch is hashed and stored, the next one fills: memory stays the same whatever the size.
//! An upload that fits into one batch is not stored at all before it is published. That saves a
//! bucket two requests of three, and a duplicate that is discarded costs no disk.

mod blocking;
mod buffer_pool;

use std::fmt;
use std::fs::File;

use bytes::{Bytes, BytesMut};
use domain::ContentHash;
use sha2::{Digest, Sha256};
use uuid::Uuid;

use crate::bucket::{self, PartUploader};
use crate::error::{BlobError, Result};
use crate::folder::{self, BatchSize, StagedFile};
use crate::{Backend, Blobs};
pub(crate) use blocking::{BlockingValue, on_blocking_thread};
use buffer_pool::BufferPool;

/// How much of the beginning is kept to detect the kind of file.
const HEAD: usize = 8 * 1024;
/// Hashing less than this is faster than starting a task on another thread.
const HASHED_INLINE: usize = 16 * 1024;

/// An upload in progress. Dropping it before [`Upload::finish`] aborts it; at worst a staged object is left for the cleanup
/// task.
pub struct Upload {
    id: Uuid,
    blobs: Blobs,
    head: BytesMut,
    size: u64,
    filling: BytesMut,
    buffers: BufferPool,
    /// How much `filling` holds.
    batch: usize,
    /// In a folder.
    batch_size: Option<BatchSize>,
    hashing: BlockingValue<Sha256>,
    sink: Sink,
    /// A write failed or was dropped: bytes may be missing.
    is_broken: bool,
}

enum Sink {
    /// Everything fits into one batch so far.
    None,
    File(StagedFile),
    Parts(PartUploader),
}

/// A complete upload that belongs to no tenant yet: publish or discard it.
pub struct Staged {
    pub sha256: ContentHash,
    pub size: u64,
    /// The first 8 KiB.
    pub head: Bytes,
    upload: Uuid,
    content: Content,
}

pub(crate) enum Content {
    InMemory(Bytes),
    /// In a folder with the open file, whose lock shows that the upload is in use.
    Stored {
        _locked: Option<File>,
    },
}

impl Upload {
    pub(crate) fn new(blobs: Blobs, id: Uuid) -> Self {
        let batch_size = match &blobs.backend {
            Backend::Folder(folder) => Some(folder.batch_size()),
            Backend::Bucket(_) => None,
        };
        Self {
            id,
            blobs,
            head: BytesMut::new(),
            size: 0,
            filling: BytesMut::new(),
            buffers: BufferPool::default(),
            batch: batch_size.as_ref().map_or(bucket::PART_SIZE, BatchSize::next),
            batch_size,
            hashing: BlockingValue::new(Sha256::new()),
            sink: Sink::None,
            is_broken: false,
        }
    }

    /// How many bytes came so far.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Takes the next bytes. Waits while the store is slower than the sender. After an error, or when
    /// the future was dropped, the upload cannot be finished.
    pub async fn write(&mut self, mut bytes: Bytes) -> Result<()> {
        self.refuse_if_broken()?;
        self.is_broken = true;
        let size = self.size + bytes.len() as u64;
        self.refuse_beyond_limit(size)?;
        let head = bytes.len().min(HEAD - self.head.len());
        self.head.extend_from_slice(&bytes[..head]);
        while !bytes.is_empty() {
            if self.filling.len() == self.batch {
                self.store_batch().await?;
            }
            let room = self.batch - self.filling.len();
            self.filling.extend_from_slice(&bytes.split_to(bytes.len().min(room)));
        }
        self.size = size;
        self.is_broken = false;
        Ok(())
    }

    /// Waits until everything is hashed and stored. In the folder a file that is stored lasts from
    /// here on.
    pub async fn finish(mut self) -> Result<Staged> {
        self.refuse_if_broken()?;
        let content = if matches!(self.sink, Sink::None) {
            let whole = self.filling.split().freeze();
            self.hash(whole.clone()).await?;
            Content::InMemory(whole)
        } else {
            if !self.filling.is_empty() {
                self.store_batch().await?;
            }
            let held = match std::mem::replace(&mut self.sink, Sink::None) {
                Sink::None => None,
                Sink::File(file) => self.blobs.explained(file.finish().await).await?,
                Sink::Parts(parts) => {
                    parts.finish().await?;
                    None
                }
            };
            Content::Stored { _locked: held }
        };
        let sha256 = ContentHash(self.hashing.take().await?.finalize().into());
        let Self { id: upload, size, head, .. } = self;
        Ok(Staged { sha256, size, head: head.freeze(), upload, content })
    }

    async fn store_batch(&mut self) -> Result<()> {
        self.batch = self.batch_size.as_ref().map_or(bucket::PART_SIZE, BatchSize::next);
        let next = self.buffers.take(self.batch).unwrap_or_else(|| match &self.batch_size {
            None => BytesMut::with_capacity(bucket::PART_SIZE),
            Some(_) => folder::aligned(self.batch),
        });
        let filled = std::mem::replace(&mut self.filling, next);
        // The buffer of the first batch has grown and is not aligned.
        let batch = match &self.sink {
            Sink::None => filled.freeze(),
            Sink::File(_) | Sink::Parts(_) => self.buffers.share(filled),
        };
        self.hash(batch.clone()).await?;
        if matches!(self.sink, Sink::None) {
            self.blobs.verify_before_writing().await?;
            self.sink = match &self.blobs.backend {
                Backend::Folder(folder) => Sink::File(folder.begin_staged_file(self.id)),
                Backend::Bucket(bucket) => {
                    Sink::Parts(self.blobs.explained(bucket.begin_parts(self.id).await).await?)
                }
            };
        }
        let written = match &mut self.sink {
            Sink::None => Ok(()),
            Sink::File(file) => file.write(batch).await,
            Sink::Parts(parts) => parts.write(batch).await,
        };
        self.blobs.explained(written).await
    }

    async fn hash(&mut self, bytes: Bytes) -> Result<()> {
        if bytes.len() <= HASHED_INLINE {
            self.hashing.wait().await?.update(&bytes);
            return Ok(());
        }
        self.hashing.start(move |hasher| hasher.update(&bytes)).await
    }

    fn refuse_beyond_limit(&self, size: u64) -> Result<()> {
        match &self.blobs.backend {
            Backend::Bucket(_) if size > bucket::MAX_OBJECT_SIZE => {
                Err(BlobError::TooLarge { limit: bucket::MAX_OBJECT_SIZE })
            }
            _ => Ok(()),
        }
    }

    fn refuse_if_broken(&self) -> Result<()> {
        if !self.is_broken {
            return Ok(());
        }
        let source = "an earlier write failed or was dropped".into();
        Err(BlobError::Failed { attempt: "continue the upload", at: self.id.to_string(), source })
    }
}

impl fmt::Debug for Upload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Upload")
            .field("id", &self.id)
            .field("size", &self.size)
            .finish_non_exhaustive()
    }
}

impl Staged {
    pub fn upload(&self) -> Uuid {
        self.upload
    }

    pub(crate) fn is_stored(&self) -> bool {
        matches!(self.content, Content::Stored { .. })
    }

    pub(crate) fn content(&self) -> &Content {
        &self.content
    }
}

impl fmt::Debug for Staged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { sha256, size, head: _, upload, content: _ } = self;
        f.debug_struct("Staged")
            .field("sha256", sha256)
            .field("size", size)
            .field("upload", upload)
            .field("is_stored", &self.is_stored())
            .finish_non_exhaustive()
    }
}

/// The hash of bytes in memory.
pub(crate) async fn hash_whole(bytes: Bytes) -> Result<ContentHash> {
    if bytes.len() <= HASHED_INLINE {
        return Ok(ContentHash(Sha256::digest(&bytes).into()));
    }
    on_blocking_thread(move || ContentHash(Sha256::digest(&bytes).into())).await
}
